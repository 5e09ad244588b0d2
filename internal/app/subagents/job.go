package subagents

import (
	"context"
	"fmt"
	"sync"
	"time"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/extend/setup/agents"
	"agent/internal/gate"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// A job is one subagent of the session.
type job struct {
	// AgentState, status, reported and denied are guarded by the lock of the team.
	chat.AgentState
	// status describes how the subagent ended. It is "" while the subagent works or waits to start.
	status string
	// reported is set once the report of a background subagent has been delivered.
	reported bool
	// denied is set if the subagent ended because a call needed approval and there was no user to ask.
	denied bool

	team   *Team
	agent  agents.Agent
	call   tools.AgentCall
	bounds Limits
	// began is the time of the call.
	began time.Time
	// continues is set for a subagent that continues after an earlier task.
	continues bool
	// ctx is the context of the work. cancel or closing the team ends it. behind is closed once no call
	// waits for the subagent.
	ctx    context.Context
	cancel context.CancelFunc
	behind chan struct{}
	// turn is closed when the subagent may work.
	turn chan struct{}

	pacer   *pacer
	changed changes
	// said is the latest text that the subagent wrote. latest holds its latest calls.
	said   string
	latest []string
}

// grace returns the time after the limit in which a subagent may write its report.
func grace(bound time.Duration) time.Duration { return max(bound/4, 10*time.Second) }

// complete runs the task. If the run panics, it returns an answer that reports the failure.
func (j *job) complete() (answer tools.Answer) {
	defer j.cancel()
	defer func() {
		if v := recover(); v != nil {
			status := fmt.Sprintf("failed: internal error: %v", v)
			answer = j.ended(status, tools.Answer{Error: j.heading(status) + "\n" + toolspec.ReportFiles + j.changed.String()})
		}
	}()
	return j.work(j.ctx)
}

// work runs the subagent to its end and returns the answer for the model.
func (j *job) work(ctx context.Context) tools.Answer {
	select {
	case <-j.turn:
	default:
		j.tell(chat.AgentWaiting{AgentState: j.state()})
	}
	if err := j.team.enter(ctx, j.turn); err != nil {
		return j.ended("interrupted", tools.Answer{Error: j.heading("interrupted before it started")})
	}
	defer j.team.leave()
	now := j.team.Now()
	j.update(func() { j.Waits, j.Started, j.Model = false, now, j.bounds.Model })
	time := &clock{now: j.team.Now, started: now}
	j.pacer = &pacer{Limits: j.bounds, clock: time}
	child, err := j.team.Make(ctx, Spec{
		ID: j.ID, Call: j.call, Agent: j.agent, Continues: j.continues, Emit: j.event,
		Config: chat.SubagentConfig{Parent: j.team.Parent, Name: j.Agent, ID: j.ID, Task: j.Title, Only: onlyMode(j.agent), Pace: j.pacer.pace, Waits: time.waiting, Over: j.team.working.Done()},
	})
	if err != nil {
		j.tell(chat.AgentStarted{AgentState: j.state()})
		status := "failed: " + err.Error()
		return j.ended(status, tools.Answer{Error: j.heading(status)})
	}
	end := sync.OnceFunc(child.Close)
	defer end()
	j.update(func() { j.Model = child.Model })
	j.team.Record(j.state(), "", "")
	j.tell(chat.AgentStarted{AgentState: j.state()})
	ctx, late := context.WithTimeout(ctx, j.bounds.Time+grace(j.bounds.Time))
	defer late()
	outcome, err := child.Chat.Prompt(ctx, atcmd.Message{{Text: j.call.Task.Task}})
	status := j.statusOf(ctx, outcome, err)
	answer := j.report(status, child.Unused)
	child.Ended(status, j.changed.String(), j.said)
	end() // close the subagent, so that another call can continue it
	return j.ended(status, answer)
}

// statusOf describes how the subagent ended.
func (j *job) statusOf(ctx context.Context, outcome chat.Outcome, err error) string {
	switch {
	case outcome.Stop == chat.StopDone && j.pacer.reached == "":
		return "done"
	case j.pacer.reached != "":
		return j.pacer.reached
	case context.Cause(ctx) == context.DeadlineExceeded:
		return "timed out after " + humanize.Duration(j.bounds.Time)
	case outcome.Stop == chat.StopDenied && !j.team.Unattended:
		return "stopped: the user refused a call"
	case outcome.Stop == chat.StopDenied:
		j.update(func() { j.denied = true })
		return "failed: a call was not allowed"
	case outcome.Stop == chat.StopInterrupted:
		return "interrupted"
	case outcome.Stop == chat.StopMaxTurns:
		return "stopped: the run has reached max-turns"
	case outcome.Stop == chat.StopMaxCost:
		return "stopped: the run has reached max-cost"
	case err != nil:
		return "failed: " + humanize.Brief(err.Error())
	}
	return "stopped: " + string(outcome.Stop)
}

func (j *job) ended(status string, answer tools.Answer) tools.Answer {
	j.team.Record(j.state(), status, j.changed.String()) // recorded before the screen shows it
	j.update(func() { j.status = status })
	j.team.Parent.AddStats(j.team.working.Done(), j.state().Stats)
	j.tell(chat.AgentEnded{AgentState: j.state(), Status: status, Changed: j.changed.String()})
	return answer
}

func (j *job) update(change func()) {
	j.team.mu.Lock()
	defer j.team.mu.Unlock()
	change()
}

func (j *job) state() chat.AgentState {
	j.team.mu.Lock()
	defer j.team.mu.Unlock()
	return j.AgentState
}

// tell emits an event in the parent conversation.
func (j *job) tell(e chat.Event) { j.team.Parent.Emit(j.team.working.Done(), e) }

// event handles an event of the subagent's conversation, on the goroutine that runs it.
func (j *job) event(e chat.Event) {
	if _, state := e.(chat.StatusChanged); !state {
		j.tell(chat.AgentEvent{ID: j.ID, Agent: j.Agent, Event: e})
	}
	switch e := e.(type) {
	case chat.StatusChanged:
		j.update(func() { j.Stats, j.Model = e.Stats, e.Status.Model })
	case chat.Retry:
		j.update(func() { j.Latest = fmt.Sprintf("retrying (attempt %d): %s", e.Attempt, humanize.Line(e.Reason, 0)) })
	case chat.ReplyEnded:
		if e.Text != "" {
			j.said = e.Text
		}
		before := "" // the previous text, only while the call is retried
		if n := len(j.latest); n > 0 {
			before = j.latest[n-1]
		}
		j.update(func() { j.Latest = before })
	case chat.ToolStarted:
		said := humanize.Headline(e.Label.Progressive())
		j.update(func() { j.Latest = said })
		j.latest = append(j.latest, said)
		if len(j.latest) > LatestCalls {
			j.latest = j.latest[1:]
		}
	case chat.ToolEnded:
		j.changed.add(e.Answer, j.team.Rel)
		return
	default:
		return
	}
	j.team.Parent.EmitLatest(chat.AgentChanged{AgentState: j.state()})
}

// onlyMode returns the approval mode that limits a subagent, or "" for no limit.
func onlyMode(a agents.Agent) gate.Mode {
	if a.Looks {
		return gate.ModeReadOnly
	}
	return ""
}

// heading returns the first line of an answer.
func (j *job) heading(status string) string {
	text := Heading(j.Agent, j.ID, status)
	s := j.state().Stats
	if s.Requests == 0 {
		return text
	}
	return text + Figures(s) + ", " + humanize.Duration(j.pacer.clock.worked())
}
