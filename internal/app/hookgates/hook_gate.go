package hookgates

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/extend/hook"
	"agent/internal/extend/setup/hooks"
	"agent/internal/extend/setup/permissions"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/tools/decode"
)

// hookGate runs hooks before and after each call (setup 6).
type hookGate struct {
	hooks *Hooks
	tools *tools.Registry

	mu sync.Mutex
	// answers holds the hooks' answers about the unfinished calls, by call number.
	answers map[int]hookAnswer
}

// hookAnswer is the result of the PreToolUse hooks for a call.
type hookAnswer struct {
	// arguments are the arguments that the hooks received, or the arguments with which the hooks replaced
	// them.
	arguments arguments.Arguments
	outcome   hook.Outcome
	// remarks are lines that the model reads with the answer of the call.
	remarks []string
}

// Gates returns the gate that runs hooks for tool calls, or none if no hook is for tool events.
func (h *Hooks) Gates(tools *tools.Registry) []gate.Gate {
	if !slices.ContainsFunc(hooks.Events(), func(e hooks.Event) bool { return e.IsToolEvent() && h.runner.Has(e) }) {
		return nil
	}
	g := &hookGate{hooks: h, tools: tools, answers: map[int]hookAnswer{}}
	return []gate.Gate{{Name: "hooks", Stage: gate.StageHook, Check: g.check, Asked: g.permission, After: g.runAfter, Ended: g.forgetAnswer}}
}

// callsForHooks returns a call with the tool names and arguments of Claude Code, because hooks are written
// for them. A call about several files becomes several calls.
func (g *hookGate) callsForHooks(k gate.Call) []decode.ClaudeCall {
	if served := k.Preview.Served; served != nil {
		return decode.TranslateServed(served.HookName(), k.Arguments, !strings.HasPrefix(k.Name, "mcp__"))
	}
	return decode.ClaudeCalls(k.Name, k.Arguments, g.hooks.host.Absolute)
}

// run runs the hooks of an event for a call, file by file, until a hook refuses the call. more returns
// additional members for the input of the hooks.
func (g *hookGate) run(ctx context.Context, event hooks.Event, k gate.Call, more func(decode.ClaudeCall) map[string]any) (hook.Outcome, error) {
	var all hook.Outcome
	for _, their := range g.callsForHooks(k) {
		input := map[string]any{"tool_name": their.Name, "tool_input": their.Input, "tool_name_native": k.Name, "tool_use_id": k.ID}
		if k.AgentID != "" {
			input["agent_id"], input["agent_type"] = k.AgentID, k.Agent
		}
		if more != nil {
			maps.Copy(input, more(their))
		}
		names := []string{their.Name}
		if their.Name != k.Name {
			names = append(names, k.Name)
		}
		out := g.hooks.runner.Run(ctx, hook.EventInput{Event: event, Names: names, Subject: g.subject(their, k), Input: input})
		if out.Input != nil {
			back, err := their.ToOwnArguments(out.Input)
			if err != nil {
				return all, fmt.Errorf("can't use the input that a hook of %s returned: %w", event, err)
			}
			out.Input = g.tools.Translate(k.Name, string(back)).Arguments.Raw()
		}
		if all.Merge(out); all.IsBlocked() || all.Stop || ctx.Err() != nil {
			break
		}
	}
	return all, nil
}

// subject returns the command, host and files of a call, which the conditions of hooks test.
func (g *hookGate) subject(their decode.ClaudeCall, k gate.Call) permissions.Subject {
	return permissions.Subject{Tool: their.Name, Command: k.Preview.Command, Host: PageHost(k), Files: their.Files()}
}

// check runs the PreToolUse hooks, unless they have already checked the same arguments.
func (g *hookGate) check(ctx context.Context, k gate.Call) gate.Verdict {
	g.mu.Lock()
	known, is := g.answers[k.Number]
	g.mu.Unlock()
	if is && bytes.Equal(known.arguments.Raw(), k.Arguments.Raw()) {
		return g.verdict(k, known.outcome, nil, blocked)
	}
	out, err := g.run(ctx, hooks.PreToolUse, k, nil)
	g.showNotices(out)
	verdict := g.verdict(k, out, err, blocked)
	out.Input = nil
	now := hookAnswer{arguments: k.Arguments, outcome: out, remarks: remarks(hooks.PreToolUse, out)}
	if verdict.Arguments.Raw() != nil {
		now.arguments = verdict.Arguments
	}
	if verdict.Refusal != "" {
		verdict.Refusal = joinLines(verdict.Refusal, now.remarks...)
		now.remarks = nil
	}
	now.remarks = append(known.remarks, now.remarks...)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers[k.Number] = now
	return verdict
}

// blocked begins the message that a hook refused a call.
const blocked = "blocked by hook: "

// permission runs the PermissionRequest hooks, which can answer in place of the user.
func (g *hookGate) permission(ctx context.Context, k gate.Call) gate.Verdict {
	if !g.hooks.runner.Has(hooks.PermissionRequest) || len(k.Preview.Inquiries) > 0 || k.Preview.Plan != "" {
		return gate.Verdict{}
	}
	out, err := g.run(ctx, hooks.PermissionRequest, k, nil)
	g.showNotices(out)
	verdict := g.verdict(k, out, err, "denied by hook: ")
	verdict.Ask = nil // the approval prompt already asks the user
	return verdict
}

// verdict turns the outcome of hooks before a call into a verdict. refused begins the refusal message.
func (g *hookGate) verdict(k gate.Call, out hook.Outcome, err error, refused string) gate.Verdict {
	switch {
	case err != nil:
		return gate.Verdict{Refusal: refused + err.Error()}
	case out.Stop:
		stop := &gate.StoppedError{By: out.By, Why: out.Why}
		return gate.Verdict{Refusal: stop.Error(), End: stop}
	case out.IsBlocked():
		return gate.Verdict{Refusal: refused + out.Reason}
	}
	if out.Input != nil && !bytes.Equal(out.Input, k.Arguments.Raw()) {
		return gate.Verdict{Arguments: arguments.Parse(out.Input)} // the changed call passes all gates again
	}
	if out.Decision == hook.Ask && !g.hooks.host.Consent.WouldAsk(k) {
		why := humanize.Headline(out.Reason)
		return ask(g.hooks.host.Consent, k, "a hook requires approval: "+why, "refused: a hook requires approval ("+out.Reason+"), and there is no user to ask", out.By+" requires your approval: "+why)
	}
	return gate.Verdict{Spares: out.Decision == hook.Allow}
}

// runAfter runs the PostToolUse hooks, or the PostToolUseFailure hooks if the call failed, and adds their
// remarks to the answer.
func (g *hookGate) runAfter(ctx context.Context, k gate.Call, answer tools.Answer, took time.Duration) (tools.Answer, error) {
	event := hooks.PostToolUse
	if answer.Error != "" {
		event = hooks.PostToolUseFailure
	}
	g.mu.Lock()
	before := g.answers[k.Number].remarks
	g.mu.Unlock()
	answer = withRemarks(answer, before...)
	if !g.hooks.runner.Has(event) {
		return answer, nil
	}
	out, _ := g.run(ctx, event, k, func(their decode.ClaudeCall) map[string]any {
		more := map[string]any{"tool_response": response(their, answer), "duration_ms": took.Milliseconds()}
		if event == hooks.PostToolUseFailure {
			more["error"], more["is_interrupt"] = answer.Error, ctx.Err() != nil
		}
		return more
	})
	g.showNotices(out)
	if out.Output != nil {
		answer.Text, answer.Note, answer.View = *out.Output, "", nil
	}
	if view := answer.View; view != nil {
		if content, changed := out.Changed.Files[view.Path]; changed && content != nil {
			now := *view
			now.Hash, answer.View = history.Digest(content), &now
		} else if changed {
			answer.View = nil
		}
	}
	if out.IsBlocked() {
		out.Context = append([]string{out.Reason}, out.Context...)
	}
	answer = withRemarks(answer, remarks(event, out)...)
	if out.Stop {
		return answer, &gate.StoppedError{By: out.By, Why: out.Why}
	}
	return answer, nil
}

func (g *hookGate) forgetAnswer(k gate.Call, _ tools.Answer, _ time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.answers, k.Number)
}

func (g *hookGate) showNotices(out hook.Outcome) {
	for _, line := range out.Notices {
		g.hooks.host.Loop.Notify(line)
	}
}

// response returns the result of a call in the format of Claude Code.
func response(their decode.ClaudeCall, answer tools.Answer) map[string]any {
	text := answer.ModelText()
	if their.Name == "Bash" {
		all := map[string]any{"stdout": answer.Text, "stderr": "", "interrupted": answer.ExitCode == nil && answer.Error != ""}
		if answer.ExitCode != nil {
			all["exit_code"] = *answer.ExitCode
		}
		return all
	}
	all := map[string]any{"content": text, "success": answer.Error == ""}
	if file := their.File(); file != "" {
		all["filePath"] = file
	}
	return all
}

// remarks returns lines from hooks about a call, for the model.
func remarks(event hooks.Event, out hook.Outcome) []string {
	var all []string
	if len(out.Context) > 0 {
		all = append(all, forModel(event, out.Context...))
	}
	if out.Changed.Text != "" {
		all = append(all, out.Changed.Text)
	}
	return all
}

// withRemarks adds lines to an answer, for the model.
func withRemarks(answer tools.Answer, remarks ...string) tools.Answer {
	for _, remark := range remarks {
		if answer.Error != "" {
			answer.Error = joinLines(answer.Error, remark)
		} else {
			answer = answer.WithNote(remark)
		}
	}
	return answer
}

func joinLines(text string, more ...string) string {
	for _, m := range more {
		text += "\n" + m
	}
	return text
}
