// Package trace sends turns, requests and tool calls as spans to the collector that the user's
// environment names. It uses OTLP with JSON. Spans contain names and numbers, but no content of
// messages or files. A slow or broken collector does not delay the run.
package trace

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/internal/base/lazyregexp"
	"agent/internal/chat"
)

// mostSpans is the greatest number of spans that wait to be sent. Further spans are dropped and
// counted.
const mostSpans = 2048

// Tracer creates spans from the events of one conversation. A nil Tracer does nothing.
type Tracer struct {
	now   func() time.Time
	id    string
	model func() string
	// printable shortens a text from outside the program and removes the parts that the collector
	// must not receive.
	printable func(text string) string
	sender    *sender

	mu            sync.Mutex
	trace, parent string
	// next is the ID of the next turn's span. It is also the ID that servers receive if they start
	// before the turn.
	next string
	line
	// calls maps the numbers of the turn's calls to the IDs of their spans. agents maps the IDs of
	// running subagents to their spans.
	calls   map[int]string
	agents  map[string]*line
	done    []*span
	dropped int
}

// line holds the open spans of a conversation: its turn, its request and its calls.
type line struct {
	turn, request *span
	tools         map[int]*span
	model         string
}

// Start returns the tracer of a conversation, or nil if the environment names no collector. model
// returns the model in use. printable shortens and cleans texts from outside, such as names and IDs
// of calls, which the endpoint chooses.
func Start(env func(string) string, version, conversation string, model func() string, printable func(text string) string, now func() time.Time) *Tracer {
	where := collectorOf(env)
	if where == nil {
		return nil
	}
	t := &Tracer{now: now, id: conversation, model: model, printable: printable, line: line{tools: map[int]*span{}}, calls: map[int]string{}, agents: map[string]*line{}, trace: randomHex(16), next: randomHex(8)}
	if caller := traceparent.FindStringSubmatch(env("TRACEPARENT")); caller != nil {
		t.trace, t.parent = caller[1], caller[2]
	}
	t.sender = newSender(*where, version, t.take)
	return t
}

// TraceParent returns the current span as a TRACEPARENT, for programs that start now. It is the span of
// the running call, or of the turn if no call or several calls run. Between turns it is the span of
// the caller, or of the next turn if there is no caller. It is "" without tracing.
func (t *Tracer) TraceParent() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at := cmp.Or(t.parent, t.next)
	if t.turn != nil {
		at = t.turn.SpanID
	}
	if len(t.tools) == 1 {
		for _, call := range t.tools {
			at = call.SpanID
		}
	}
	return "00-" + t.trace + "-" + at + "-01"
}

// traceparent matches the span of the caller (W3C Trace Context).
var traceparent = lazyregexp.New(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}`)

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// span is a span in the JSON form of OTLP.
type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes"`
	Events     []event     `json:"events,omitempty"`
	Status     status      `json:"status"`
}

type event struct {
	Time       string      `json:"timeUnixNano"`
	Name       string      `json:"name"`
	Attributes []attribute `json:"attributes"`
}

type status struct {
	Code int `json:"code,omitempty"`
}

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is a text or a number. In OTLP, 64-bit numbers are strings.
type value struct {
	Text *string `json:"stringValue,omitempty"`
	Int  *string `json:"intValue,omitempty"`
}

func text(key, v string) attribute { return attribute{key, value{Text: &v}} }

func number(key string, n int) attribute {
	v := strconv.Itoa(n)
	return attribute{key, value{Int: &v}}
}

// The kinds of spans, and the status of a failed span.
const (
	internal, client = 1, 3
	failed           = 2
)

func (t *Tracer) begin(name string, kind int, parent string, about ...attribute) *span {
	for _, a := range about {
		if a.Value.Text != nil {
			*a.Value.Text = t.printable(*a.Value.Text)
		}
	}
	return &span{TraceID: t.trace, SpanID: randomHex(8), ParentID: parent, Name: t.printable(name), Kind: kind, Start: t.nano(), Attributes: about}
}

func (t *Tracer) nano() string { return strconv.FormatInt(t.now().UnixNano(), 10) }

func (t *Tracer) end(s *span, about ...attribute) {
	s.End, s.Attributes = t.nano(), append(s.Attributes, about...)
	if len(t.done) >= mostSpans {
		t.dropped++
		return
	}
	t.done = append(t.done, s)
}

// take removes and returns the ended spans.
func (t *Tracer) take() []*span {
	t.mu.Lock()
	defer t.mu.Unlock()
	done := t.done
	t.done = nil
	return done
}

// HandleEvent handles an event of the conversation. It does not block.
func (t *Tracer) HandleEvent(e chat.Event) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := e.(type) {
	case chat.TurnStarted:
		t.turn = t.begin("invoke_agent agent", internal, t.parent, text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", "agent"), text("gen_ai.conversation.id", t.id))
		t.turn.SpanID, t.next = t.next, randomHex(8)
	case chat.TurnEnded:
		t.endTurn(e)
	case chat.Warmed:
		parent := t.parent
		if t.turn != nil {
			parent = t.turn.SpanID
		}
		refresh := t.begin("refresh "+e.Model, client, parent, text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", e.Model),
			number("gen_ai.usage.input_tokens", e.Prompt), number("gen_ai.usage.cache_read.input_tokens", e.Cached))
		refresh.Start = strconv.FormatInt(e.At.UnixNano(), 10)
		t.end(refresh)
	case chat.AgentStarted:
		t.agents[e.ID] = &line{tools: map[int]*span{}, model: e.Model, turn: t.begin("invoke_agent "+e.Agent, internal, cmp.Or(t.calls[e.Call], t.parent),
			text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", e.Agent), text("gen_ai.agent.id", e.ID))}
	case chat.AgentEvent:
		if agent := t.agents[e.ID]; agent != nil {
			t.turnEvent(agent, e.Event)
		}
	case chat.AgentEnded:
		t.endAgent(e)
	default:
		if t.turn != nil {
			t.line.model = t.model()
			t.turnEvent(&t.line, e)
		}
	}
}

// turnEvent handles an event of a turn, or of a subagent's task.
func (t *Tracer) turnEvent(l *line, e chat.Event) {
	switch e := e.(type) {
	case chat.RequestStarted:
		t.endRequest(l, true)
		l.request = t.begin("chat "+l.model, client, l.turn.SpanID, text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", l.model))
	case chat.UsageReported:
		if l.request != nil {
			l.request.Attributes = append(l.request.Attributes, number("gen_ai.usage.input_tokens", e.PromptTokens), number("gen_ai.usage.output_tokens", e.CompletionTokens), number("gen_ai.usage.cache_read.input_tokens", e.CachedTokens))
		}
	case chat.Retry:
		if l.request != nil {
			l.request.Events = append(l.request.Events, event{t.nano(), "retry", []attribute{number("agent.attempt", e.Attempt)}})
		}
	case chat.ReplyEnded:
		t.endRequest(l, e.Interrupted)
	case chat.ToolStarted:
		t.endRequest(l, false)
		l.tools[e.Call] = t.begin("execute_tool "+e.Name, internal, l.turn.SpanID, text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", e.Name), text("gen_ai.tool.call.id", e.ID))
		if l == &t.line {
			t.calls[e.Call] = l.tools[e.Call].SpanID
		}
	case chat.ToolEnded:
		if s := l.tools[e.Call]; s != nil {
			delete(l.tools, e.Call)
			if e.Answer.Error != "" {
				s.Status.Code = failed
			}
			t.end(s)
		}
	case chat.DensityApplied:
		l.turn.Events = append(l.turn.Events, event{t.nano(), "density", []attribute{number("agent.tokens_before", e.TokensBefore), number("agent.tokens_after", e.TokensAfter)}})
	case chat.Compressed:
		l.turn.Events = append(l.turn.Events, event{t.nano(), "compression", []attribute{number("agent.tokens_before", e.TokensBefore), number("agent.tokens_after", e.TokensAfter)}})
	}
}

func (t *Tracer) endRequest(l *line, cut bool) {
	if l.request == nil {
		return
	}
	if cut {
		l.request.Status.Code = failed
	}
	t.end(l.request)
	l.request = nil
}

func (t *Tracer) endAgent(e chat.AgentEnded) {
	agent := t.agents[e.ID]
	if agent == nil {
		return
	}
	delete(t.agents, e.ID)
	t.endRequest(agent, e.Status != agentDone)
	if e.Status != agentDone {
		agent.turn.Status.Code = failed
	}
	stop, _, _ := strings.Cut(e.Status, ":") // a reason may include content
	t.end(agent.turn, text("agent.stop", stop), number("agent.requests", e.Stats.Requests), number("agent.tool_calls", e.Stats.ToolCalls))
	t.sender.wake()
}

// agentDone is the status of a subagent that completed its task.
const agentDone = "done"

func (t *Tracer) endTurn(e chat.TurnEnded) {
	if t.turn == nil {
		return
	}
	t.endRequest(&t.line, e.Err != nil || e.Outcome.Stop == chat.StopInterrupted)
	if e.Err != nil {
		t.turn.Status.Code = failed
	}
	t.end(t.turn, text("agent.stop", string(e.Outcome.Stop)), number("agent.requests", e.Outcome.Requests), number("agent.tool_calls", e.Outcome.ToolCalls), number("agent.dropped_spans", t.dropped))
	t.turn = nil
	clear(t.tools)
	clear(t.calls)
	t.sender.wake()
}

// Close sends the remaining spans. It waits for two seconds at most.
func (t *Tracer) Close() {
	if t != nil {
		t.sender.close()
	}
}
