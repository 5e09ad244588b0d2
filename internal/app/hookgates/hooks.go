package hookgates

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/command"
	"agent/internal/extend/hook"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/hooks"
	"agent/internal/gate"
	"agent/internal/history"
)

// Hooks runs the hooks of the user and the project.
type Hooks struct {
	host *Host
	// runner is nil if there are no hooks.
	runner *hook.Runner
	// listing holds the configured hooks, used or not.
	listing hooks.Listing
	// idle starts the idle notification hooks.
	idle *time.Timer
}

// NewHooks makes the runner for hooks that were found.
func NewHooks(host *Host, listing hooks.Listing) *Hooks {
	h := &Hooks{host: host, listing: listing}
	if len(listing.Hooks) == 0 {
		return h
	}
	h.runner = hook.New(hook.Config{
		Jobs: host.Env.Jobs, Confined: host.Confinement,
		Distrusted: func() []string {
			return slices.Concat(host.Env.Workspace.Folders(), host.Confinement().Policy.Writable())
		},
		OnlyLooks: func() bool { return host.Consent.Mode().IsReadOnly() },
		Dir:       host.Env.Workspace.Root(), Home: host.Home, Spool: host.Env.Workspace.TempDir,
		Common: h.input,
		May:    h.may,
		Ran:    host.ran,
		Around: h.trackChanges,
		Beside: func(name string) { host.Env.Snapshots.RecordProgram(name) },
		Slow: func(names string) {
			if names != "" {
				names = "the hook " + names
			}
			host.Loop.ReportWaiting(names)
		},
	}, listing.Hooks)
	return h
}

// Statuses returns the state of each hook.
func (h *Hooks) Statuses() []hook.Status { return h.runner.Statuses() }

// may returns an error if a hook must not run now, because the user has not approved the hook of a project.
func (h *Hooks) may(one hooks.Hook) error {
	if one.IsUserOwned() {
		return nil
	}
	return h.host.Trust.Store.Check(hookItem(one))
}

func hookItem(h hooks.Hook) consent.Item {
	return consent.Item{Kind: consent.KindHook, Name: h.Name(), Effects: h.Effects(), File: h.File, Folder: h.Project, User: h.Plugin}
}

// ConsentItems returns the hooks that need consent.
func ConsentItems(all hooks.Listing) (items []consent.Item) {
	for _, h := range all.Hooks {
		if !h.IsUserOwned() {
			items = append(items, hookItem(h))
		}
	}
	return items
}

// Close runs the SessionEnd hooks, and stops hooks that still run in the background.
func (h *Hooks) Close() error {
	if h.idle != nil {
		h.idle.Stop()
	}
	if h.runner.Has(hooks.SessionEnd) {
		reason := "prompt_input_exit"
		if h.host.Consent.Unattended {
			reason = "other"
		}
		out := h.runner.Run(context.Background(), hook.EventInput{Event: hooks.SessionEnd, Names: []string{reason}, Input: map[string]any{"reason": reason}})
		h.host.Say(out.Notices...)
	}
	h.runner.Close()
	return nil
}

// Describe lists the hooks for /hooks, each with its event, matcher, origin, state, number of runs,
// latest result and command.
func (h *Hooks) Describe() []string {
	var lines []string
	for _, s := range h.runner.Statuses() {
		what := s.State + ", " + humanize.Count(s.Runs, "run")
		if s.Last != "" {
			what += ", the last: " + s.Last
		}
		lines = append(lines, s.Name+"  "+h.host.Env.Workspace.Rel(s.File), "    "+what, "    "+humanize.Line(s.Command, command.MaxHelp))
	}
	return append(lines, SkippedLines(h.listing)...)
}

// SkippedLines lists the hooks that are not used, with the reasons.
func SkippedLines(listing hooks.Listing) (lines []string) {
	for _, left := range listing.Skipped {
		lines = append(lines, "not used: "+left)
	}
	return lines
}

// permissionModes maps the approval modes to their names in Claude Code.
var permissionModes = map[gate.Mode]string{
	gate.ModeAsk: "default", gate.ModeAutoEdit: "acceptEdits", gate.ModeFullAuto: "bypassPermissions", gate.ModePlan: "plan", gate.ModeReadOnly: "plan",
}

func (h *Hooks) input() map[string]any {
	mode := h.host.Consent.Mode()
	return map[string]any{
		"session_id": h.host.ID, "transcript_path": h.host.Transcript(), "cwd": h.host.Env.Workspace.Root(),
		"permission_mode": permissionModes[mode], "permission_mode_native": string(mode),
	}
}

// abouts maps events to the input member that the hook's matcher is compared with.
var abouts = map[hooks.Event]string{
	hooks.SessionStart: "source", hooks.SessionEnd: "reason", hooks.PreCompact: "trigger", hooks.PostCompact: "trigger",
}

// HookPointHandler returns the function that the turn loop calls at its events. At the end of a turn it runs the
// checks first. It runs the hooks only if the checks allow the turn to end.
func (h *Hooks) HookPointHandler(checks *Checks) func(context.Context, chat.HookPoint) chat.HookResult {
	refusedByChecks := 0 // consecutive Stop events
	return func(ctx context.Context, m chat.HookPoint) chat.HookResult {
		var result chat.HookResult
		if m.Event == hooks.Stop {
			if m.Refused == 0 {
				refusedByChecks = 0
			}
			if result = checks.RunAtTurnEnd(ctx); result.Refused != "" {
				refusedByChecks++
				return result
			}
		}
		notices := result.Notices
		o := hook.EventInput{Event: m.Event}
		switch m.Event {
		case hooks.UserPromptSubmit:
			o.Input = map[string]any{"prompt": m.Text}
		case hooks.Stop:
			o.Input = map[string]any{"stop_hook_active": m.Refused > refusedByChecks, "last_assistant_message": m.Text}
		default:
			o.Names, o.Input = []string{m.About}, map[string]any{abouts[m.Event]: m.About}
		}
		out := h.runner.Run(ctx, o)
		if m.Event == hooks.UserPromptSubmit {
			late := h.runner.AsyncOutcome()
			out.Context, out.Notices = append(late.Context, out.Context...), append(late.Notices, out.Notices...)
		}
		result = momentResult(m.Event, out)
		result.Notices = append(notices, result.Notices...)
		return result
	}
}

// momentResult turns the outcome of hooks at an event into the result for the turn loop.
func momentResult(event hooks.Event, out hook.Outcome) chat.HookResult {
	result := chat.HookResult{By: out.By, Notices: out.Notices}
	if out.IsBlocked() {
		result.Refused = out.Reason
	}
	if out.Stop {
		result.Ends = out.Why
	}
	texts := out.Context
	switch event {
	case hooks.Stop:
		if out.IsBlocked() {
			texts = append([]string{out.Reason}, texts...)
		}
	case hooks.SessionStart, hooks.PostCompact, hooks.SessionEnd, hooks.SubagentStart, hooks.SubagentStop:
		if out.IsBlocked() { // hooks can refuse nothing here, so the reason is only a notice
			result.Refused = ""
			result.Notices = append(result.Notices, out.By+": "+humanize.Headline(out.Reason))
		}
	}
	key := ""
	if event == hooks.SessionStart {
		key = "hook:" + string(event)
	}
	if len(texts) > 0 {
		result.Blocks = append(result.Blocks, &history.Text{Text: forModel(event, texts...), Source: history.SourceExtension, Key: key})
	}
	if out.Changed.Text != "" {
		result.Blocks = append(result.Blocks, &history.Text{Text: out.Changed.Text, Source: history.SourceExtension})
	}
	return result
}

// forModel returns texts of hooks as one block for the model, marked as hook output.
func forModel(event hooks.Event, texts ...string) string {
	text := strings.ReplaceAll(strings.Join(texts, "\n"), "</hook", `<\/hook`)
	return fmt.Sprintf("<hook event=%q>\n%s\n</hook>", event, text)
}

// idleTime is the time after a turn at which the idle notification runs.
const idleTime = time.Minute

// Notify runs the Notification hooks, which cannot refuse anything.
func (h *Hooks) Notify(e chat.Event) {
	switch e := e.(type) {
	case chat.ApprovalRequested:
		h.notification("permission_prompt", "agent needs your permission: "+e.Approval.Preview.Title)
	case chat.TurnStarted:
		if h.idle != nil {
			h.idle.Stop()
		}
	case chat.TurnEnded:
		if h.runner.Has(hooks.Notification) && !h.host.Consent.Unattended {
			h.idle = time.AfterFunc(idleTime, func() { h.notification("idle_prompt", "agent is waiting for your input") })
		}
	case chat.DensityApplied:
		h.runner.Run(context.Background(), hook.EventInput{Event: hooks.PostDensity, Input: map[string]any{
			"ledger": pruned(e.Prunes), "tokens_before": e.TokensBefore, "tokens_after": e.TokensAfter,
		}})
	}
}

func (h *Hooks) notification(kind, message string) {
	h.runner.Run(context.Background(), hook.EventInput{Event: hooks.Notification, Names: []string{kind}, Input: map[string]any{"message": message, "notification_type": kind}})
}

// RunSubagentStart runs the SubagentStart hooks, and returns the blocks that they add to the task.
func (h *Hooks) RunSubagentStart(ctx context.Context, id, agent, title string) []history.Block {
	return h.agent(ctx, hooks.SubagentStart, agent, map[string]any{"agent_id": id, "agent_type": agent, "title": title})
}

// An AgentEnd describes the end of a subagent: its status, the files that it changed, its last message, and
// the file of its record.
type AgentEnd struct{ Status, Changed, Said, Transcript string }

// leaveTime is the time limit for hooks at the end of a subagent that was stopped.
const leaveTime = 5 * time.Second

// RunSubagentStop runs the SubagentStop hooks, also after ctx has ended.
func (h *Hooks) RunSubagentStop(ctx context.Context, id, agent string, end AgentEnd) {
	if ctx.Err() != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
		defer stop()
	}
	h.agent(ctx, hooks.SubagentStop, agent, map[string]any{
		"agent_id": id, "agent_type": agent, "status": end.Status, "changed": end.Changed, "stop_hook_active": false,
		"last_assistant_message": end.Said, "agent_transcript_path": end.Transcript,
	})
}

// agent runs the hooks of a subagent event. These hooks cannot refuse anything.
func (h *Hooks) agent(ctx context.Context, event hooks.Event, agent string, input map[string]any) []history.Block {
	if !h.runner.Has(event) {
		return nil
	}
	result := momentResult(event, h.runner.Run(ctx, hook.EventInput{Event: event, Names: []string{agent}, Input: input}))
	for _, line := range result.Notices {
		h.host.Loop.Notify(line)
	}
	return result.Blocks
}

// pruned returns new lines of the pruning ledger in the format for hooks.
func pruned(prunes []window.Prune) []map[string]any {
	all := []map[string]any{}
	for _, p := range prunes {
		all = append(all, map[string]any{"kind": p.Kind, "subject": p.Subject, "paths": p.Paths, "tool": p.Tool, "reason": p.Reason, "tokens": p.Tokens, "turn": p.Turn})
	}
	return all
}
