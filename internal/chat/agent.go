package chat

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/gate"
)

// SubagentConfig is set in the conversation of a subagent, which a call of its parent conversation started
// for one task.
type SubagentConfig struct {
	// Parent asks the user the questions of the subagent. The agent shares the parent's permissions,
	// and its requests count for the parent's turn.
	Parent *SubagentHost
	// Name and ID identify the subagent and Task is its task. Questions show them.
	Name, ID, Task string
	// Only limits the approval mode; "" sets no limit besides the parent's mode.
	Only gate.Mode
	// Pace returns before each request how much more the subagent may do.
	Pace func(Stats) ContinueAdvice
	// Over is closed when the parent ends. Nothing waits for the parent after that.
	Over <-chan struct{}
	// Waits is called with true when a question of the subagent begins to wait for the user, and with
	// false when the wait ends.
	Waits func(waits bool)
}

// A ContinueAdvice limits how an agent continues.
type ContinueAdvice struct {
	// Say is a text that the model reads before the next request; "" adds none.
	Say string
	// Last makes the next request the last one: calls in its reply are not run.
	Last bool
}

// asked returns the function that puts the questions of a subagent to the user. It is nil for a
// conversation of the user, which shows its questions itself.
func (w *SubagentConfig) asked() func(context.Context, gate.Question) (Decision, bool) {
	if w == nil {
		return nil
	}
	return func(ctx context.Context, q gate.Question) (Decision, bool) {
		w.Waits(true)
		defer w.Waits(false)
		q.Approval.Agent, q.Approval.AgentID, q.Approval.Task = w.Name, w.ID, w.Task
		q.Approval.Preview.Title = "agent " + w.Name + ": " + q.Approval.Preview.Title
		q.Approval.Call = 0 // the subagent's call numbers have no meaning in the parent
		return w.Parent.relay(ctx, w.Over, q)
	}
}

// settleOthers settles the open questions that an answer to the subagent has made unnecessary.
func (w *SubagentConfig) settleOthers() {
	w.Parent.line.inbox.give(w.Over, func() { w.Parent.line.asker.settleMoot() })
}

// A SubagentHost connects a conversation with its subagents. It contains the permissions, the lock and the
// request counter that they share.
type SubagentHost struct {
	line    *Handle
	consent *gate.Consent
	// writing is a lock that a call holds while it runs, if it may change files.
	writing chan struct{}
	// spent counts the requests of the turn.
	spent *atomic.Int64
	// reports holds the reports of agents that have not been delivered yet.
	reports []AgentReport
}

// NewSubagentHost returns the part of a chat that runs agents. line posts work to the owner of the chat.
// consent contains the permissions of the chat.
func NewSubagentHost(line *Handle, consent *gate.Consent) *SubagentHost {
	return &SubagentHost{line: line, consent: consent, spent: new(atomic.Int64), writing: make(chan struct{}, 1)}
}

// ServeUntil serves the inbox of the conversation until done is closed. The caller is the goroutine that
// owns the chat.
func (a *SubagentHost) ServeUntil(done <-chan struct{}) {
	await(a.line.inbox, done)
	a.line.inbox.serve() // deliver the events that were sent before the end
}

// relay puts an agent's question to the user and waits for the answer. It may be called from
// any goroutine. It reports false if ctx ends first. over is closed when the chat has ended.
func (a *SubagentHost) relay(ctx context.Context, over <-chan struct{}, q gate.Question) (Decision, bool) {
	id := 0
	shown := make(chan (<-chan Decision), 1)
	select {
	case a.line.inbox.acts <- func() {
		if ctx.Err() == nil {
			var decided <-chan Decision
			id, decided = a.line.asker.show(q)
			shown <- decided
		}
	}:
	case <-ctx.Done():
		return Decision{}, false
	}
	defer a.line.inbox.give(over, func() { a.line.asker.settle(id) })
	var decided <-chan Decision
	for {
		select {
		case decided = <-shown:
			shown = nil
		case d := <-decided:
			return d, true
		case <-ctx.Done():
			return Decision{}, false
		}
	}
}

// An AgentReport is the report of a subagent that ran in the background.
type AgentReport struct {
	// ID identifies the agent. Title is a one-line description of its task, and Text its whole answer.
	ID, Title, Text string
	// Began is the time at which the agent received its task.
	Began time.Time
	// Denied is set if the agent needed an approval and no user could give it. It ends the turn.
	Denied bool
}

// Report delivers the report of a background agent to the conversation, and calls came once the report
// is stored. The model reads it at the next pause between two calls. If the chat waits for agents, the
// model reads it at once. After the turn, the model reads it with the next message. Report may be
// called from any goroutine. over is closed when the conversation has ended, and the report is lost
// then.
func (a *SubagentHost) Report(over <-chan struct{}, r AgentReport, came func()) {
	a.line.inbox.give(over, func() {
		a.reports = append(a.reports, r)
		came()
		a.line.emitStatus()
	})
}

// QueueReport adds a report before the conversation begins. The model reads it with the next message.
func (a *SubagentHost) QueueReport(r AgentReport) { a.reports = append(a.reports, r) }

// dropReports drops the reports of agents that began after the point at which the conversation resumes.
func (a *SubagentHost) dropReports(after time.Time) {
	a.reports = slices.DeleteFunc(a.reports, func(r AgentReport) bool { return r.Began.After(after) })
}

// Background manages the agents that run in the background.
type Background interface {
	// RunningCount returns the number of background agents. An agent counts until its report has been
	// delivered.
	RunningCount() int
	// StopAll ends the agents of the conversation and returns how many it ended.
	StopAll() int
}

// AddStats adds the figures of an agent's task to the totals of the session. It may be called
// from any goroutine. It waits for the owner until over is closed; then the figures are lost.
func (a *SubagentHost) AddStats(over <-chan struct{}, s Stats) {
	a.line.inbox.give(over, func() {
		a.line.stats.Agents.add(s)
		a.line.emitStatus()
	})
}

// Emit emits an event of an agent, on the goroutine that owns the chat. It may be called from any
// goroutine. It waits for the owner until over is closed; then the event is lost.
func (a *SubagentHost) Emit(over <-chan struct{}, e Event) {
	a.line.inbox.give(over, func() { a.line.emit(e) })
}

// EmitLatest does the same as Emit for an event that a later event replaces. It drops the event while
// the chat is busy.
func (a *SubagentHost) EmitLatest(e Event) {
	select {
	case a.line.inbox.acts <- func() { a.line.emit(e) }:
	default:
	}
}

// AgentEvent is an event in the conversation of a subagent.
type AgentEvent struct {
	// ID identifies the agent, Agent names its kind.
	ID, Agent string
	Event     Event
}

// AgentWaiting reports that an agent waits until another agent ends.
type AgentWaiting struct{ AgentState }

// AgentStarted reports that an agent began to work on a task.
type AgentStarted struct{ AgentState }

// AgentChanged reports the progress of an agent.
type AgentChanged struct{ AgentState }

// AgentEnded reports that an agent ended.
type AgentEnded struct {
	AgentState
	// Status is "done", or the reason why the agent ended.
	Status string
	// Changed lists the changed files with their lines, "none" for no file.
	Changed string
}

func (AgentWaiting) event() {}
func (AgentStarted) event() {}
func (AgentChanged) event() {}
func (AgentEnded) event()   {}
func (AgentEvent) event()   {}

// AgentState describes an agent.
type AgentState struct {
	// ID identifies the agent. CallID is the id, and Call the number, of the call that started it.
	ID, CallID string
	Call       int
	// Agent names the kind of the agent, Title its task.
	Agent, Title, Model string
	// Latest describes the latest call, "" before the first.
	Latest     string
	Background bool
	// Waits is set until the agent begins to work at the time Started.
	Waits   bool
	Started time.Time
	Stats   Stats
}

// String returns the figures of the agent in one line.
func (s AgentState) String() string {
	text := humanize.Count(s.Stats.Requests, "request")
	if tokens := s.Stats.PromptTokens + s.Stats.CompletionTokens; tokens > 0 { // not every server reports token counts
		text += " · " + humanize.Tokens(tokens) + " tokens"
	}
	if s.Stats.Cost >= leastCost {
		text += " · " + humanize.Dollars(s.Stats.Cost)
	}
	return text
}
