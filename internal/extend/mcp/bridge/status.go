package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/catalogue"
)

// State is the state of a server.
type State string

// The states.
const (
	// StateKnown means that the server can be used.
	StateKnown State = "known"
	// StateStarting means that the first connection to the server has not ended.
	StateStarting State = "starting"
	// StateFailed means that the latest connection to the server failed.
	StateFailed State = "failed"
	// StateUnused means that the server is disabled, or requires approval.
	StateUnused State = "unused"
)

// Status is a server with its state, for lists.
type Status struct {
	Server
	State State
	// Reason is the reason why a server cannot be used, empty if it can.
	Reason string
	Known  catalogue.ServerInfo
	// OfferedDirectly is set if the server's tools are offered directly.
	OfferedDirectly bool
}

// Status returns all servers in the order of the configuration.
func (b *Bridge) Status() []Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.frozen && b.offered == nil {
		b.offered = b.choose()
	}
	var all []Status
	for _, st := range b.states {
		s := Status{Server: st.Server, State: StateKnown, Known: st.known, Reason: st.known.Failed}
		switch {
		case st.Unused != "":
			s.State, s.Reason = StateUnused, st.Unused
		case st.pending:
			s.State = StateStarting
		case !st.known.WasConnected():
			s.State = StateFailed
		}
		s.OfferedDirectly = slices.ContainsFunc(b.offered, func(o OfferedTool) bool {
			return strings.HasPrefix(o.Name, catalogue.DirectName(st.Configured.Name, ""))
		})
		all = append(all, s)
	}
	return all
}

// Summary describes the state of a server in one line.
func (s Status) Summary() string {
	switch {
	case s.State == StateUnused, s.State == StateFailed:
		return s.Reason
	case s.State == StateStarting && s.Reason != "":
		return "did not answer last time: " + s.Reason
	case s.State == StateStarting:
		return "was not contacted yet"
	}
	offered := "found by search"
	if s.OfferedDirectly {
		offered = "offered directly"
	}
	parts := []string{humanize.Count(len(s.Known.Tools), "tool"), humanize.Tokens(s.Known.Tokens()) + " tokens (" + offered + ")", "protocol " + s.Known.Protocol}
	if n := len(s.Known.Changed); n > 0 {
		parts = append(parts, humanize.Count(n, "changed definition"))
	}
	return strings.Join(parts, ", ")
}

// Prompts returns the prompts of all servers by SERVER:NAME.
func (b *Bridge) Prompts() map[string]mcp.Prompt {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[string]mcp.Prompt{}
	for _, st := range b.states {
		if st.Unused != "" {
			continue
		}
		for _, p := range st.known.Prompts {
			all[st.Configured.Name+":"+p.Name] = p
		}
	}
	return all
}

// Resources returns the resources of all servers in the form SERVER:URI.
func (b *Bridge) Resources() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, st := range b.states {
		for _, r := range st.known.Resources {
			if st.Unused == "" && !r.Template {
				all = append(all, st.Configured.Name+":"+r.URI)
			}
		}
	}
	return all
}

// Refresh reads the tools, prompts and resources of a server again.
func (b *Bridge) Refresh(ctx context.Context, server string) error {
	return b.ask(ctx, b.state(server))
}

// Reload reads the lists of all servers again and freezes the offered tools unless they are frozen.
// The error names the servers that failed.
func (b *Bridge) Reload(ctx context.Context) error {
	var failures []error
	results := make(chan error, len(b.states))
	asked := 0
	for _, st := range b.states {
		if st.Unused == "" {
			asked++
			go func() { results <- b.ask(ctx, st) }()
		}
	}
	for range asked {
		if err := <-results; err != nil {
			failures = append(failures, err)
		}
	}
	b.freeze()
	return errors.Join(failures...)
}

// Describe returns all data of a server as lines for the user.
func (s Status) Describe() []string {
	lines := []string{s.Configured.Name + ": " + s.Summary(), "in " + s.Configured.Location()}
	for _, line := range s.Configured.Describe() {
		lines = append(lines, "  "+line)
	}
	if s.Known.Version != "" {
		lines = append(lines, "it is "+s.Known.Version)
	}
	return append(lines, Describe(s.Known)...)
}

// Describe returns the tools, prompts and resources of a server as lines for the user.
func Describe(k catalogue.ServerInfo) []string {
	var lines []string
	if len(k.Tools) > 0 {
		lines = append(lines, fmt.Sprintf("tools, about %s tokens:", humanize.Tokens(k.Tokens())))
	}
	rows := [][]string{}
	for _, t := range k.Tools {
		note := humanize.Line(humanize.FirstLine(t.Description), 80)
		if t.Long {
			note = "(long definition: found only by search) " + note
		}
		rows = append(rows, []string{"  " + t.Shown, humanize.Tokens(t.Tokens()), note})
	}
	lines = append(lines, table.Lines("lrl", rows)...)
	for _, t := range k.Tools {
		if old, changed := k.Changed[t.Name]; changed {
			lines = append(lines, t.Shown+" has changed. If you allow a call, you accept these changes:")
			lines = append(lines, strings.Split(DiffTools(old, t), "\n")...)
		}
	}
	for _, p := range k.Prompts {
		lines = append(lines, "prompt "+p.Name+": "+p.Description)
	}
	if n := len(k.Resources); n > 0 {
		lines = append(lines, humanize.Count(n, "resource"))
	}
	return append(lines, k.Problems...)
}
