// Package subagents runs the subagents of a conversation. A subagent is a second conversation that works on
// one task of the model and returns a report. Everything that it read stays out of the parent conversation.
//
// A Team belongs to a conversation, which creates the subagents' conversations for it (Config.Make). The
// team limits how many subagents run at the same time, how many start in a turn, and the cost of each. A
// call of the tool task waits for the report. A background task returns at once, and its report arrives
// later as a message.
package subagents

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/extend/setup/agents"
	"agent/internal/gate"
	"agent/internal/tools"
)

// Config connects a team to its conversation.
type Config struct {
	// Named returns the subagent with a name if it is offered. Otherwise the error names the offered
	// subagents.
	Named func(name string) (agents.Agent, error)
	// Make creates the conversation of a subagent.
	Make func(ctx context.Context, spec Spec) (Child, error)
	// Parent is the conversation that the team belongs to.
	Parent *chat.SubagentHost
	// Bounds returns the current limits for a subagent.
	Bounds func(agents.Agent) Limits
	// Rel returns the path to show for a file.
	Rel func(abs string) string
	// Keep stores the full text of a report that is shortened for the model, and returns where it is.
	Keep func(id, text string) (where string, err error)
	// Tokens counts the tokens of a text.
	Tokens func(text string) int
	// Record records the start and the end of a subagent.
	Record func(state chat.AgentState, status, changed string)
	Now    func() time.Time
	// Unattended is set if there is no user to answer questions. A call that needs approval then ends the
	// parent's turn too. If a user refuses such a call, only the subagent ends.
	Unattended bool
}

// Spec describes a subagent's conversation to be created.
type Spec struct {
	// ID identifies the subagent. Call is the call that started it.
	ID    string
	Call  tools.AgentCall
	Agent agents.Agent
	// Continues is set if the conversation is already recorded and continues.
	Continues bool
	// Config is part of the configuration of the conversation. Emit receives its events.
	Config chat.SubagentConfig
	Emit   func(chat.Event)
}

// A Child is the conversation of an agent.
type Child struct {
	Chat *chat.Chat
	// Model is the model that the agent uses.
	Model string
	// Unused has a line for each field of the subagent's file that has no effect.
	Unused []string
	// Ended is called with the subagent's status, the files that it changed and its last message.
	Ended func(status, changed, said string)
	Close func()
}

// A Team runs the agents of one conversation. It is safe for concurrent use.
type Team struct {
	Config

	// working ends when the team is closed.
	working context.Context
	end     context.CancelFunc
	ended   sync.WaitGroup

	mu sync.Mutex
	// jobs holds the subagents of the session, oldest first.
	jobs []*job
	// running counts the subagents that work. begun counts the subagents that were started in this turn.
	running, begun int
	// queue holds the subagents that wait to work, in order.
	queue []chan struct{}
}

// New returns a team. earlier holds the subagents of a resumed session.
func New(config Config, earlier []RecordedAgent) *Team {
	t := &Team{Config: config}
	t.working, t.end = context.WithCancel(context.Background())
	for _, e := range earlier {
		t.jobs = append(t.jobs, &job{AgentState: e.State, agent: e.Agent, status: e.Status, reported: true, team: t})
	}
	return t
}

// RecordedAgent is a subagent from the record of a session.
type RecordedAgent struct {
	State  chat.AgentState
	Agent  agents.Agent
	Status string
}

// Close stops the subagents that still work and waits for them.
func (t *Team) Close() error {
	t.end()
	t.ended.Wait()
	return nil
}

// BeginTurn resets the count of started subagents, for a new turn of the user.
func (t *Team) BeginTurn() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = 0
}

// RunningCount returns the number of background subagents whose reports have not been delivered yet.
func (t *Team) RunningCount() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	running := 0
	for _, j := range t.jobs {
		if j.Background && !j.reported {
			running++
		}
	}
	return running
}

// Plan returns the preview of a task and a function that starts it. It returns an error for a task that
// cannot start now. Subagents work in the order in which their tasks were started.
func (t *Team) Plan(task tools.Task) (tools.Preview, tools.BeginTask, error) {
	agent, err := t.agentOf(task)
	if err != nil {
		return tools.Preview{}, nil, err
	}
	preview := tools.Preview{Title: "give agent " + agent.Name + " a task: " + task.Title + " (" + t.Bounds(agent).String() + ")"}
	return preview, func(call tools.AgentCall) func(context.Context) tools.Answer {
		j, err := t.begin(agent, call)
		if err != nil {
			return func(context.Context) tools.Answer { return tools.Answer{Error: err.Error()} }
		}
		return func(ctx context.Context) tools.Answer { return t.run(ctx, j) }
	}, nil
}

func (t *Team) agentOf(task tools.Task) (agents.Agent, error) {
	if task.Continue == "" {
		return t.Named(nameOf(task))
	}
	t.mu.Lock()
	earlier, err := t.continued(task.Continue)
	t.mu.Unlock()
	if err != nil {
		return agents.Agent{}, err
	}
	return t.Named(earlier.agent.Name) // the definition of the agent may need approval again
}

func nameOf(task tools.Task) string {
	if task.Agent == "" {
		return agents.ExploreAgent
	}
	return strings.ToLower(strings.TrimSpace(task.Agent))
}

// continued returns the subagent of an earlier call, for a call that continues it. The error names the
// subagents that can continue. The caller holds the lock.
func (t *Team) continued(id string) (*job, error) {
	problem := fmt.Sprintf("unknown subagent %q", id)
	var free []string
	for _, j := range t.jobs {
		switch {
		case j.ID == id && j.Waits && j.status != "":
			problem = "agent " + id + " ended before it started; start the task again"
		case j.Waits && j.status != "":
		case j.ID == id && j.status != "":
			return j, nil
		case j.ID == id:
			problem = "agent " + id + " is still running; its report arrives when it ends"
		case j.status != "":
			free = append(free, j.ID)
		}
	}
	if len(free) == 0 {
		return nil, errors.New(problem + "; no subagent can continue")
	}
	return nil, errors.New(problem + "; these subagents can continue: " + strings.Join(free, ", "))
}

// run runs a started subagent. It returns at once if the subagent is in the background.
func (t *Team) run(ctx context.Context, j *job) tools.Answer {
	t.Record(j.state(), "", "") // the record must exist before the model reads about it
	done := make(chan tools.Answer, 1)
	t.ended.Go(func() {
		if answer := j.complete(); !j.state().Background {
			done <- answer
		} else {
			report := BackgroundReport(j.Agent, j.ID, j.Title, answer.ModelText()+answer.Error)
			report.Began, report.Denied = j.began, j.denied
			t.Parent.Report(t.working.Done(), report, func() { j.update(func() { j.reported = true }) })
		}
	})
	select {
	case answer := <-done:
		return answer
	case <-j.behind:
	case <-ctx.Done():
		if t.leaves(j) {
			j.cancel()
			return <-done
		}
	}
	return tools.Answer{Text: "started " + j.ID + "; its report comes as a message", Summary: "in the background", Started: j.ID}
}

// RunTask runs a subagent on a task of the program itself. It returns the subagent's id and its last
// message. The caller is the goroutine that runs the conversation. If the task names the subagent of an
// earlier task, that subagent continues.
func (t *Team) RunTask(ctx context.Context, agent agents.Agent, task tools.Task) (id, said string, err error) {
	j, err := t.begin(agent, tools.AgentCall{Task: task})
	if err != nil {
		return "", "", err
	}
	t.Record(j.state(), "", "")
	defer context.AfterFunc(ctx, j.cancel)()
	done := make(chan struct{})
	t.ended.Go(func() {
		defer close(done)
		j.complete()
	})
	t.Parent.ServeUntil(done)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return j.ID, "", ctx.Err()
	case j.denied:
		return j.ID, "", gate.ErrDenied
	case j.status != "done":
		return j.ID, j.said, errors.New("agent " + j.ID + " " + j.status)
	}
	return j.ID, j.said, nil
}

// leaves reports whether a subagent ends with the call that waits for it, because it is in the foreground.
func (t *Team) leaves(j *job) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !j.Background
}

// Background moves the subagent of a call into the background, while the call waits for it. It reports
// whether the call has a subagent.
func (t *Team) Background(call int) bool {
	t.mu.Lock()
	var moved *job
	for _, j := range slices.Backward(t.jobs) {
		if j.Call == call && j.status == "" && !j.Background {
			j.Background, moved = true, j
			close(j.behind)
			break
		}
	}
	t.mu.Unlock()
	if moved == nil {
		return false
	}
	t.Parent.EmitLatest(chat.AgentChanged{AgentState: moved.state()})
	return true
}

func (t *Team) begin(agent agents.Agent, call tools.AgentCall) (*job, error) {
	j := &job{team: t, agent: agent, began: t.Now(), bounds: t.Bounds(agent), continues: call.Continue != "", behind: make(chan struct{}), turn: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	var earlier *job
	if j.continues {
		var err error
		if earlier, err = t.continued(call.Continue); err != nil {
			return nil, err
		}
	}
	if t.begun >= j.bounds.PerTurn {
		return nil, fmt.Errorf("agents.per-turn allows %s in a turn, and all were started; do the rest yourself", humanize.Count(j.bounds.PerTurn, "agent"))
	}
	t.begun++
	j.ctx, j.cancel = context.WithCancel(t.working)
	j.AgentState = chat.AgentState{
		ID: t.newID(), CallID: call.ID, Call: call.Number, Agent: j.agent.Name, Title: call.Title,
		Background: call.Background || j.agent.Background, Waits: true, Started: j.began,
	}
	if j.Background {
		close(j.behind)
	}
	j.call = call
	if earlier != nil {
		j.ID = earlier.ID
		t.jobs = slices.DeleteFunc(t.jobs, func(other *job) bool { return other == earlier })
	}
	t.jobs = append(t.jobs, j)
	if t.running < j.bounds.Parallel && len(t.queue) == 0 {
		t.running++
		close(j.turn)
	} else {
		t.queue = append(t.queue, j.turn)
	}
	return j, nil
}

// newID returns an id that no agent of the session has. The caller holds the lock.
func (t *Team) newID() string {
	for {
		id := "s-" + strings.ToLower(rand.Text()[:5])
		if !slices.ContainsFunc(t.jobs, func(j *job) bool { return j.ID == id }) {
			return id
		}
	}
}

// enter waits until a subagent may work. It returns an error if ctx ends first.
func (t *Team) enter(ctx context.Context, turn chan struct{}) error {
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.queue, turn); i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
	} else { // the slot became free at the same moment
		t.pass()
	}
	return ctx.Err()
}

// leave makes room for the next subagent.
func (t *Team) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass hands the slot of a finished subagent to the first one in the queue. The caller holds the lock.
func (t *Team) pass() {
	if len(t.queue) == 0 {
		t.running--
		return
	}
	close(t.queue[0])
	t.queue = t.queue[1:]
}

// Stop ends the agent with an id.
func (t *Team) Stop(id string) error {
	if t.stop(func(j *job) bool { return j.ID == id }) == 0 {
		return fmt.Errorf("no subagent %q is running; /agents lists them", id)
	}
	return nil
}

// StopAll stops the running subagents, and returns their number.
func (t *Team) StopAll() int { return t.stop(func(*job) bool { return true }) }

func (t *Team) stop(which func(*job) bool) (stopped int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, j := range t.jobs {
		if j.status == "" && which(j) {
			j.cancel()
			stopped++
		}
	}
	return stopped
}

// AgentInfo is a subagent of the session, for a list.
type AgentInfo struct {
	chat.AgentState
	// Status describes how the subagent ended, or is "" while it works.
	Status string
}

// List returns the agents of the session, oldest first.
func (t *Team) List() []AgentInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]AgentInfo, len(t.jobs))
	for i, j := range t.jobs {
		all[i] = AgentInfo{j.AgentState, j.status}
	}
	return all
}

// TurnError returns the error with which the turn ends after the answer of a call, or nil if the turn
// continues. Ids of calls may repeat, so it uses the latest call.
func (t *Team) TurnError(callID string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, j := range slices.Backward(t.jobs) {
		if j.CallID != callID {
			continue
		}
		if j.denied { // an approval of a call needed a user
			return gate.ErrDenied
		}
		return nil
	}
	return nil
}
