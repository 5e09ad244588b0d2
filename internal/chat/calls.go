package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
	"agent/internal/tools"
)

// call is one tool call on its way from the model to its answer.
type call struct {
	number     int
	id, name   string
	title      string
	parameters json.RawMessage
	tool       tools.Tool
	// refused is why the call will not run: it is malformed, unknown or denied.
	refused string
	started time.Time
	answer  tools.Answer
}

// Answers to calls that did not run.
const (
	answerInterrupted = "interrupted by the user before it finished; the effect, if any, is unknown"
	answerNotRun      = "not run: the turn ended before this call"
)

// runCalls answers every call of a reply: calls that only look run in parallel,
// edits and commands one after the other in the model's order. Whatever happens,
// every call has exactly one response in the history when it returns (D-32). A
// stop that is not empty ends the turn.
func (c *Chat) runCalls(ctx context.Context, requested []llm.ToolCall, out *Outcome) (Stop, error) {
	calls := c.newCalls(requested)
	for len(calls) > 0 {
		batch := calls[:parallel(calls)]
		calls = calls[len(batch):]
		stop, err := c.runBatch(ctx, batch, out)
		if stop != "" || err != nil {
			return stop, errorOr(c.abandon(calls, answerNotRun), err)
		}
		c.serve()
	}
	return "", nil
}

// parallel returns how many calls from the first on may run side by side. Calls of
// tools that do not exist are among them, for they do nothing.
func parallel(calls []*call) int {
	n := 0
	for n < len(calls) && calls[n].tool.Kind == tools.KindRead {
		n++
	}
	return max(n, 1)
}

func (c *Chat) newCalls(requested []llm.ToolCall) []*call {
	calls := make([]*call, len(requested))
	for i, r := range requested {
		calls[i] = c.newCall(r)
	}
	return calls
}

// newCall looks the call up and checks what can be checked without running it.
func (c *Chat) newCall(r llm.ToolCall) *call {
	c.calls++
	k := &call{number: c.calls, id: r.ID, name: r.Name, parameters: parameters(r.Arguments)}
	c.Emit(CallRequested{ID: k.id, Name: k.name, Parameters: k.parameters})
	tool, err := c.Tools.Get(r.Name)
	k.tool, k.title = tool, callTitle(tool, k)
	var object map[string]json.RawMessage
	switch {
	case err != nil:
		k.refused = err.Error()
	case json.Unmarshal(k.parameters, &object) != nil:
		k.refused = fmt.Sprintf("the arguments of %s are not a JSON object; send the call again with valid JSON", r.Name)
	}
	return k
}

// runBatch runs one group of calls and stores the answers in the model's order.
func (c *Chat) runBatch(ctx context.Context, batch []*call, out *Outcome) (Stop, error) {
	var stop Stop
	for _, k := range batch {
		out.ToolCalls++
		c.stats.ToolCalls++
		if k.refused == "" && ctx.Err() == nil {
			stop = c.approve(ctx, k)
		}
	}
	done := c.start(ctx, batch)
	for range batch {
		await(c, done)
	}
	c.serve() // what the calls printed comes before their end
	var firstErr error
	for _, k := range batch {
		if k.refused != "" {
			k.answer = tools.Answer{Error: k.refused}
		}
		firstErr = errorOr(firstErr, c.storeAnswer(k))
		if stop == "" && c.failures.note(k) {
			stop = StopRepeating
			c.notice("the same call failed %d times in a row: %s. How should it go on?", maxFailures, k.title)
		}
	}
	return stop, firstErr
}

// start sets the calls of a batch going and returns a channel that delivers once
// for each of them.
func (c *Chat) start(ctx context.Context, batch []*call) <-chan *call {
	done := make(chan *call, len(batch))
	for _, k := range batch {
		k.started = c.Now()
		if k.refused == "" && ctx.Err() != nil {
			k.refused = answerNotRun
		}
		if k.refused != "" {
			done <- k
			continue
		}
		c.Emit(ToolStarted{Call: k.number, ID: k.id, Name: k.name, Title: k.title, Parameters: k.parameters})
		env := c.toolEnv()
		env.Output = liveOutput{c, k.number}
		go func() {
			k.answer = run(ctx, k, env)
			done <- k
		}()
	}
	return done
}

// toolEnv is the tools' environment with the limits that are set now.
func (c *Chat) toolEnv() *tools.Env {
	env := *c.Env
	env.Limits = tools.Limits{
		OutputTokens:        settings.ToolOutputMaxTokens.Of(c.Settings),
		ReadLines:           settings.FileReadMaxLines.Of(c.Settings),
		ShellTimeoutSeconds: settings.ShellTimeoutSeconds.Of(c.Settings),
	}
	return &env
}

// run executes one call. A tool that panics is a defect of ours; the model and
// the user read of it, the conversation goes on.
func run(ctx context.Context, k *call, env *tools.Env) (answer tools.Answer) {
	defer func() {
		if p := recover(); p != nil {
			answer = tools.Answer{Error: internalError(k, p).Error()}
		}
		if ctx.Err() != nil && answer.Error == "" && answer.Result == "" {
			answer.Error = answerInterrupted
		}
	}()
	return k.tool.Run(ctx, env, k.parameters)
}

func internalError(k *call, panicked any) error {
	return fmt.Errorf("internal error in %s: %v", k.name, panicked)
}

// storeAnswer puts a call's response into the history, then shows it.
func (c *Chat) storeAnswer(k *call) error {
	err := c.add(history.New(history.Tool, &history.ToolResponse{
		CallID:   k.id,
		ToolName: k.name,
		Result:   history.TextResult(k.answer.Result),
		Error:    k.answer.Error,
		ExitCode: k.answer.ExitCode,
	}))
	c.Emit(ToolEnded{Call: k.number, ID: k.id, Name: k.name, Title: k.title, Answer: k.answer, Duration: c.Now().Sub(k.started)})
	return err
}

// abandon answers calls that will not run any more, so that the stored history is
// valid by itself.
func (c *Chat) abandon(calls []*call, reason string) error {
	var firstErr error
	for _, k := range calls {
		k.started = c.Now()
		if k.refused == "" {
			k.refused = reason
		}
		k.answer = tools.Answer{Error: k.refused}
		firstErr = errorOr(firstErr, c.storeAnswer(k))
	}
	return firstErr
}

// liveOutput carries what a command prints to the screen. It is written to by the
// tool's goroutine and never holds it up: what the owner cannot take in time is
// dropped, for the whole output is in the answer. Half of the inbox is left to
// people.
type liveOutput struct {
	chat *Chat
	call int
}

func (o liveOutput) Write(p []byte) (int, error) {
	if len(o.chat.inbox) >= cap(o.chat.inbox)/2 {
		return len(p), nil
	}
	data := string(p)
	select {
	case o.chat.inbox <- func() { o.chat.Emit(ToolOutput{Call: o.call, Data: data}) }:
	default:
	}
	return len(p), nil
}

func errorOr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
