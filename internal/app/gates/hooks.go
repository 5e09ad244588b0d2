package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/hook"
	"agent/internal/setup/consent"
	"agent/internal/setup/hooks"
	"agent/internal/words"
)

// Hooks are those of the person and the project, and what runs them. Without a Runner there
// are none.
type Hooks struct {
	*Host
	*hook.Runner
	// Found are those that were found.
	Found hooks.Found
	// idle notifies hooks that nothing happens.
	idle *time.Timer
}

// FindHooks finds the hooks of the user and of the project, and makes what runs them.
func (h *Hooks) FindHooks(host *Host) {
	h.Host, h.Found = host, hooks.Find(host.Where)
	h.Runner = hook.New(hook.Config{
		Jobs: h.Env.Jobs, Confined: h.Confinement,
		Distrusted: func() []string {
			return slices.Concat(h.Env.Workspace.Folders(), h.Confinement().Policy.Writable())
		},
		OnlyLooks: func() bool { return h.Chat().Mode().OnlyLooks() },
		Dir:       h.Env.Workspace.Root(), Home: h.Where.Home, Spool: h.Env.Workspace.TempDir,
		Common: h.input,
		May:    h.may,
		Around: h.around,
		Beside: func(name string) { h.Env.Snapshots.Beside(name) },
		Slow: func(names string) {
			if names != "" {
				names = "the hook " + names
			}
			h.Chat().WaitsFor(names)
		},
	}, h.Found.Hooks)
}

// may says why a hook must not run now: what a project wants run was not agreed to.
func (h *Hooks) may(one hooks.Hook) error {
	if one.Own() {
		return nil
	}
	return h.Trust().May(hookItem(one))
}

// hookItem is a hook of a project as what needs consent.
func hookItem(h hooks.Hook) consent.Item {
	return consent.Item{Kind: consent.Hook, Name: h.Name(), Effects: h.Effects(), File: h.File, Folder: h.Project}
}

// Items are the hooks that need consent.
func Items(all hooks.Found) (items []consent.Item) {
	for _, h := range all.Hooks {
		if !h.Own() {
			items = append(items, hookItem(h))
		}
	}
	return items
}

// Close runs the hooks of SessionEnd and has no hook survive the conversation.
func (h *Hooks) Close() error {
	if h.idle != nil {
		h.idle.Stop()
	}
	if h.Has(hooks.SessionEnd) && h.Chat() != nil {
		reason := "prompt_input_exit"
		if h.Unattended {
			reason = "other"
		}
		out := h.Runner.Run(context.Background(), hook.Occasion{Event: hooks.SessionEnd, Names: []string{reason}, Input: map[string]any{"reason": reason}})
		h.Say(out.Notices...)
	}
	h.Runner.Close()
	return nil
}

// Lines lists the hooks for /hooks: event, matcher and origin; state, runs and how the last
// ended; the command.
func (h *Hooks) Lines() []string {
	var lines []string
	for _, s := range h.Statuses() {
		what := s.State + ", " + words.Count(s.Runs, "run")
		if s.Last != "" {
			what += ", the last: " + s.Last
		}
		lines = append(lines, s.Name+"  "+h.Env.Workspace.Rel(s.File), "    "+what, "    "+words.Line(s.Command, command.MaxHelp))
	}
	return append(lines, h.LeftOut()...)
}

// LeftOut lists what is not used, and why.
func (h *Hooks) LeftOut() []string {
	var lines []string
	for _, left := range h.Found.LeftOut {
		lines = append(lines, "not used: "+left)
	}
	return lines
}

// permissionModes are Claude Code's words for the approval modes.
var permissionModes = map[gate.Mode]string{
	gate.ModeAsk: "default", gate.ModeAutoEdit: "acceptEdits", gate.ModeFullAuto: "bypassPermissions", gate.ModePlan: "plan", gate.ModeReadOnly: "plan",
}

// input is what every hook reads.
func (h *Hooks) input() map[string]any {
	mode := h.Chat().Mode()
	return map[string]any{
		"session_id": h.ID(), "transcript_path": h.Transcript(), "cwd": h.Env.Workspace.Root(),
		"permission_mode": permissionModes[mode], "permission_mode_native": string(mode),
	}
}

// abouts name what moments are about, as hooks read it.
var abouts = map[hooks.Event]string{
	hooks.SessionStart: "source", hooks.SessionEnd: "reason", hooks.PreCompact: "trigger", hooks.PostCompact: "trigger",
}

// Moments is what the turn loop asks at its moments: the checks, then the hooks, if there
// are any.
func (h *Hooks) Moments(checks *Checks) func(context.Context, chat.Moment) chat.Heard {
	checked := 0 // Stops that checks refused
	return func(ctx context.Context, m chat.Moment) chat.Heard {
		var heard chat.Heard
		if m.Event == hooks.Stop {
			if m.Refused == 0 {
				checked = 0
			}
			if heard = checks.Finish(ctx); heard.Refused != "" {
				checked++
				return heard
			}
		}
		notices := heard.Notices
		o := hook.Occasion{Event: m.Event}
		switch m.Event {
		case hooks.UserPromptSubmit:
			o.Input = map[string]any{"prompt": m.Text}
		case hooks.Stop:
			o.Input = map[string]any{"stop_hook_active": m.Refused > checked, "last_assistant_message": m.Text}
		default:
			o.Names, o.Input = []string{m.About}, map[string]any{abouts[m.Event]: m.About}
		}
		out := h.Runner.Run(ctx, o)
		if m.Event == hooks.UserPromptSubmit {
			late := h.Runner.Late()
			out.Context, out.Notices = append(late.Context, out.Context...), append(late.Notices, out.Notices...)
		}
		heard = heardOf(m.Event, out)
		heard.Notices = append(notices, heard.Notices...)
		return heard
	}
}

// heardOf is what hooks say at a moment, for the turn loop.
func heardOf(event hooks.Event, out hook.Outcome) chat.Heard {
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
		if out.Blocked() { // it cannot refuse, so it is only reported
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

// idleTime is after how long without a turn the person is notified.
const idleTime = time.Minute

// Notify runs the hooks of events that no hook can refuse.
func (h *Hooks) Notify(e chat.Event) {
	switch e := e.(type) {
	case chat.ApprovalRequested:
		h.notification("permission_prompt", "agent needs your permission: "+e.Approval.Preview.Title)
	case chat.TurnStarted:
		if h.idle != nil {
			h.idle.Stop()
		}
	case chat.TurnEnded:
		if h.Has(hooks.Notification) && !h.Unattended {
			h.idle = time.AfterFunc(idleTime, func() { h.notification("idle_prompt", "agent is waiting for your input") })
		}
	case chat.DensityApplied:
		h.Runner.Run(context.Background(), hook.Occasion{Event: hooks.PostDensity, Input: map[string]any{
			"ledger": pruned(e.Prunes), "tokens_before": e.TokensBefore, "tokens_after": e.TokensAfter,
		}})
	}
}

func (h *Hooks) notification(kind, message string) {
	h.Runner.Run(context.Background(), hook.Occasion{Event: hooks.Notification, Names: []string{kind}, Input: map[string]any{"message": message, "notification_type": kind}})
}

// pruned are the entries of the ledger that a pruning added, as hooks read them.
func pruned(prunes []window.Prune) []map[string]any {
	all := []map[string]any{}
	for _, p := range prunes {
		all = append(all, map[string]any{"kind": p.Kind, "subject": p.Subject, "paths": p.Paths, "tool": p.Tool, "reason": p.Reason, "tokens": p.Tokens, "turn": p.Turn})
	}
	return all
}
