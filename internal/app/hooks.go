package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/hook"
	"agent/internal/setup/consent"
	"agent/internal/setup/hooks"
	"agent/internal/setup/trust"
	"agent/internal/words"
)

// findHooks finds the hooks of the user and of the project, and makes what runs them.
func (c *Conversation) findHooks() {
	c.foundHooks = hooks.Find(hooks.Where{Config: c.folders.Config, Home: c.process.Home, Workspace: c.workspace.Root()})
	for _, left := range c.foundHooks.LeftOut {
		c.Notices = append(c.Notices, "not used: "+left)
	}
	c.hooks = hook.New(hook.Config{
		Jobs: c.env.Jobs, Confined: c.confinement,
		Distrusted: func() []string { return slices.Concat(c.workspace.Folders(), c.confinement().Policy.Writable()) },
		OnlyLooks:  func() bool { return c.Mode().OnlyLooks() },
		Dir:        c.workspace.Root(), Home: realPath(c.process.Home), Spool: c.workspace.TempDir,
		Common: c.hookInput,
		May:    c.mayHook,
		Around: c.aroundHooks,
		Beside: func(name string) { c.env.Snapshots.Beside(name) },
		Slow: func(names string) {
			if names != "" {
				names = "the hook " + names
			}
			c.WaitsFor(names)
		},
	}, c.foundHooks.Hooks)
}

// mayHook says why a hook must not run now: what a project wants run was not agreed to.
func (c *Conversation) mayHook(h hooks.Hook) error {
	if h.Own() {
		return nil
	}
	return c.trust.Store.May(hookItem(h))
}

// hookItem is a hook of a project as what needs consent.
func hookItem(h hooks.Hook) consent.Item {
	says := h.Command
	for _, arg := range h.Args {
		says += " " + strconv.Quote(arg)
	}
	return consent.Item{
		Kind: consent.Hook, Name: h.Name(), Fields: map[string]any{"event": h.Event, "matcher": h.Matcher, "hook": h.Raw},
		Command: h.Words(), Says: says, Variables: consent.Variables(h.Words()...), File: h.File,
	}
}

// hooksOf are the hooks that need consent.
func hooksOf(all hooks.Found) trust.Found {
	var found trust.Found
	for _, h := range all.Hooks {
		if !h.Own() {
			found.Items = append(found.Items, hookItem(h))
		}
	}
	return found
}

// closeHooks has the hooks of SessionEnd run when the conversation ends, and no hook survive
// it.
func (c *Conversation) closeHooks() {
	if c.hooks == nil {
		return
	}
	c.onClose(func() error {
		if c.idle != nil {
			c.idle.Stop()
		}
		c.endHooks()
		c.hooks.Close()
		return nil
	})
}

// HookStatuses are the hooks with what became of them.
func (c *Conversation) HookStatuses() []hook.Status { return c.hooks.Statuses() }

// hookLines lists the hooks for /hooks: event, matcher and origin; state, runs, how the last
// ended and how long it took; the command.
func (c *Conversation) hookLines() []string {
	var lines []string
	for _, s := range c.HookStatuses() {
		what := s.State + ", " + words.Count(s.Runs, "run")
		if s.Last != "" {
			what += ", the last: " + s.Last
		}
		if s.Took != "" {
			what += " in " + s.Took
		}
		lines = append(lines, s.Name+"  "+c.shortPath(s.File), "    "+what, "    "+words.Line(s.Command, maxHelp))
	}
	for _, left := range c.foundHooks.LeftOut {
		lines = append(lines, "not used: "+left)
	}
	return lines
}

// permissionModes are Claude Code's words for the approval modes.
var permissionModes = map[gate.Mode]string{
	gate.ModeAsk: "default", gate.ModeAutoEdit: "acceptEdits", gate.ModeFullAuto: "bypassPermissions", gate.ModePlan: "plan", gate.ModeReadOnly: "plan",
}

// begunFrom is where the conversation begins from, for the hooks of SessionStart.
func (c *Conversation) begunFrom() string {
	switch {
	case c.options.Record.Fork:
		return "fork"
	case c.options.Record.resumes():
		return "resume"
	}
	return ""
}

// hookInput is what every hook reads.
func (c *Conversation) hookInput() map[string]any {
	mode := c.Mode()
	return map[string]any{
		"session_id": c.id, "transcript_path": c.transcriptPath(), "cwd": c.workspace.Root(),
		"permission_mode": permissionModes[mode], "permission_mode_native": string(mode),
	}
}

// moments is what the turn loop asks at its moments: the checks, then the hooks.
func (c *Conversation) moments() func(context.Context, chat.Moment) chat.Heard {
	checked := 0 // Stops that checks refused
	return func(ctx context.Context, m chat.Moment) chat.Heard {
		var heard chat.Heard
		if m.Event == hooks.Stop {
			if m.Refused == 0 {
				checked = 0
			}
			if heard = c.checkAfter(ctx); heard.Refused != "" {
				checked++
				return heard
			}
		}
		if c.hooks == nil {
			return heard
		}
		notices := heard.Notices
		o := hook.Occasion{Event: m.Event}
		switch m.Event {
		case hooks.SessionStart:
			o.Names, o.Input = []string{m.About}, map[string]any{"source": m.About}
		case hooks.UserPromptSubmit:
			o.Input = map[string]any{"prompt": m.Text}
		case hooks.Stop:
			o.Input = map[string]any{"stop_hook_active": m.Refused > checked, "last_assistant_message": m.Text}
		case hooks.SessionEnd:
			o.Names, o.Input = []string{m.About}, map[string]any{"reason": m.About}
		case hooks.PreCompact, hooks.PostCompact:
			o.Names, o.Input = []string{m.About}, map[string]any{"trigger": m.About}
		}
		out := c.hooks.Run(ctx, o)
		if m.Event == hooks.UserPromptSubmit {
			late := c.hooks.Late()
			out.Context, out.Notices = append(late.Context, out.Context...), append(late.Notices, out.Notices...)
		}
		heard = c.heard(m.Event, out)
		heard.Notices = append(notices, heard.Notices...)
		return heard
	}
}

// heard is what hooks say at a moment, for the turn loop.
func (c *Conversation) heard(event hooks.Event, out hook.Outcome) chat.Heard {
	heard := chat.Heard{By: out.By, Notices: out.Notices}
	if out.Blocked() {
		heard.Refused = out.Reason
	}
	if out.Stop {
		heard.Ends = out.Why
	}
	texts := out.Context
	switch event {
	case hooks.Stop:
		if out.Blocked() {
			texts = append([]string{out.Reason}, texts...)
		}
	case hooks.SessionStart, hooks.PostCompact, hooks.SessionEnd:
		if out.Blocked() { // it cannot refuse, so it is only told
			heard.Refused = ""
			heard.Notices = append(heard.Notices, out.By+": "+words.Headline(out.Reason))
		}
	}
	key := ""
	if event == hooks.SessionStart {
		key = "hook:" + string(event)
	}
	if len(texts) > 0 {
		heard.Blocks = append(heard.Blocks, &history.Text{Text: forModel(event, texts...), Source: history.Brought, Key: key})
	}
	if out.Changed.Text != "" {
		heard.Blocks = append(heard.Blocks, &history.Text{Text: out.Changed.Text, Source: history.Brought})
	}
	return heard
}

// forModel is what hooks say, in a block that says so.
func forModel(event hooks.Event, texts ...string) string {
	text := strings.ReplaceAll(strings.Join(texts, "\n"), "</hook", `<\/hook`)
	return fmt.Sprintf("<hook event=%q>\n%s\n</hook>", event, text)
}

// endHooks runs the hooks of SessionEnd.
func (c *Conversation) endHooks() {
	reason := "prompt_input_exit"
	if c.options.Unattended {
		reason = "other"
	}
	if c.Chat == nil || !c.hooks.Has(hooks.SessionEnd) {
		return
	}
	out := c.hooks.Run(context.Background(), hook.Occasion{Event: hooks.SessionEnd, Names: []string{reason}, Input: map[string]any{"reason": reason}})
	c.process.say(out.Notices...)
}

// idleTime is after how long without a turn the person is notified.
const idleTime = time.Minute

// notify runs the hooks that are only told of an event.
func (c *Conversation) notify(e chat.Event) {
	if _, started := e.(chat.TurnStarted); started {
		c.checks.Begin()
	}
	if c.hooks == nil {
		return
	}
	switch e := e.(type) {
	case chat.ApprovalRequested:
		c.notification("permission_prompt", "agent needs your permission: "+e.Approval.Preview.Title)
	case chat.TurnStarted:
		if c.idle != nil {
			c.idle.Stop()
		}
	case chat.TurnEnded:
		if !c.options.Unattended && c.hooks.Has(hooks.Notification) {
			c.idle = time.AfterFunc(idleTime, func() { c.notification("idle_prompt", "agent is waiting for your input") })
		}
	case chat.DensityApplied:
		c.hooks.Run(context.Background(), hook.Occasion{Event: hooks.PostDensity, Input: map[string]any{
			"ledger": pruned(e.Prunes), "tokens_before": e.TokensBefore, "tokens_after": e.TokensAfter,
		}})
	}
}

func (c *Conversation) notification(kind, message string) {
	c.hooks.Run(context.Background(), hook.Occasion{Event: hooks.Notification, Names: []string{kind}, Input: map[string]any{"message": message, "notification_type": kind}})
}

// pruned are the entries of the ledger that a pruning added, as hooks read them.
func pruned(prunes []window.Prune) []map[string]any {
	all := []map[string]any{}
	for _, p := range prunes {
		all = append(all, map[string]any{"kind": p.Kind, "subject": p.Subject, "paths": p.Paths, "tool": p.Tool, "reason": p.Reason, "tokens": p.Tokens, "turn": p.Turn})
	}
	return all
}
