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
	// Known means that the server can be used.
	Known State = "known"
	// Starting means that the first connection to the server has not ended.
	Starting State = "starting"
	// Failed means that the latest connection to the server failed.
	Failed State = "failed"
	// Unused means that the server is disabled, or requires approval.
	Unused State = "unused"
)

// Status is a server with its state, for lists.
type Status struct {
	Server
	State State
	// Reason is the reason why a server cannot be used, empty if it can.
	Reason string
	Known  catalogue.ServerInfo
	// Direct is set if the server's tools are offered directly.
	Direct bool
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
		s := Status{Server: st.Server, State: Known, Known: st.known, Reason: st.known.Failed}
		switch {
		case st.Unused != "":
			s.State, s.Reason = Unused, st.Unused
		case st.pending:
			s.State = Starting
		case !st.known.Asked():
			s.State = Failed
		}
		s.Direct = slices.ContainsFunc(b.offered, func(o Offered) bool {
			return strings.HasPrefix(o.Name, catalogue.DirectName(st.Configured.Name, ""))
		})
		all = append(all, s)
	}
	return all
}

// Summary describes the state of a server in one line.
func (s Status) Summary() string {
	switch {
	case s.State == Unused, s.State == Failed:
		return s.Reason
	case s.State == Starting && s.Reason != "":
		return "did not answer last time: " + s.Reason
	case s.State == Starting:
		return "was not contacted yet"
	}
	offered := "by search only"
	if s.Direct {
		offered = "direct"
	}
	parts := []string{humanize.Count(len(s.Known.Tools), "tool"), humanize.Tokens(s.Known.Tokens()) + " tokens " + offered, s.Known.Protocol}
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
	lines := []string{s.Configured.Name + ": " + s.Summary(), "in " + s.Configured.Place()}
	for _, line := range s.Configured.Lines() {
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
			note = "(long: by search only) " + note
		}
		rows = append(rows, []string{"  " + t.Shown, humanize.Tokens(t.Tokens()), note})
	}
	lines = append(lines, table.Lines("lrl", rows)...)
	for _, t := range k.Tools {
		if old, changed := k.Changed[t.Name]; changed {
			lines = append(lines, t.Shown+" has changed; a call that you allow accepts it:")
			lines = append(lines, strings.Split(Difference(old, t), "\n")...)
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
