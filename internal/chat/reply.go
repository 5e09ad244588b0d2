package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/internal/base/lazyregexp"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/tools/decode"
)

// A reply is one reply of the model while it is received.
type reply struct {
	// model and estimate are the model of the request and its size in tokens by our own count. The
	// settings may have changed to another model since.
	model    string
	estimate int

	text    strings.Builder
	thought strings.Builder
	// attached is the provider's data for the thought, or nil.
	attached *history.Attachment
	calls    []llm.ToolCall
	// understood contains the calls with our tool names, once the reply is stored.
	understood []understood
	finish     string
	// counted is set if the provider has reported the tokens of the prompt.
	counted bool
}

func (r *reply) empty() bool {
	return strings.TrimSpace(r.text.String()) == "" && len(r.calls) == 0
}

// understood is a call of the model with our tool name.
type understood struct {
	decode.Call
	id string
	// cut is set if the model's output limit ended the call.
	cut bool
}

func (r *reply) hasBegun() bool { return r.text.Len()+r.thought.Len()+len(r.calls) > 0 }

// replies receives the model's replies and stores them. Only the owner goroutine of the chat uses it.
type replies struct {
	inbox inbox
	emit  emitter
	now   func() time.Time
	tools *tools.Registry
	// settings name the model server that the record names.
	settings *settings.Settings
	window   *window.Window
	// add puts an entry into the history.
	add func(*history.Content) error
	// searched is called with the number of searches that the server made by itself.
	searched func(n int)
	// reported is called with every usage report of a provider.
	reported func(model string, usage llm.Usage)
}

// stream sends one request, collects the reply and emits its parts as they arrive. It returns after the
// provider's goroutine has ended, so that no part of a request outlives stream. On an error the reply
// contains the parts received so far.
func (in *replies) stream(ctx context.Context, provider llm.Provider, request llm.Request) (r *reply, err error) {
	type item struct {
		chunk llm.Chunk
		err   error
	}
	// The size is estimated before sending, because events of the reply may change the token count.
	r = &reply{model: request.Model, estimate: in.window.Measure.Estimate()}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	items := make(chan item, 64)
	go func() {
		defer close(items)
		defer func() {
			if p := recover(); p != nil {
				items <- item{err: fmt.Errorf("internal error while reading the reply: %v", p)}
			}
		}()
		for chunk, err := range provider.Stream(ctx, request) {
			items <- item{chunk, err}
		}
	}()
	silence := &silence{time.NewTicker(SilenceInterval), in.now()}
	defer silence.ticker.Stop()
	for {
		select {
		case act := <-in.inbox.acts:
			act()
		case <-silence.ticker.C:
			if long := silence.length(in.now()); long > 0 {
				in.emit(Waiting{Model: r.model, For: long})
			}
		case next, ok := <-items:
			switch {
			case !ok:
				return r, err
			case next.err != nil:
				err = next.err
			default:
				silence.restart(in.now(), next.chunk)
				in.receive(r, next.chunk)
			}
		}
	}
}

// receive adds one chunk to the reply and emits its events.
func (in *replies) receive(r *reply, chunk llm.Chunk) {
	switch chunk := chunk.(type) {
	case llm.Text:
		r.text.WriteString(chunk.Delta)
		in.emit(TextDelta{Delta: chunk.Delta})
	case llm.Reasoning:
		r.thought.WriteString(chunk.Delta)
		in.emit(ReasoningDelta{Delta: chunk.Delta})
	case llm.TextWasReasoning:
		r.thought.WriteString(r.text.String())
		r.text.Reset()
		in.emit(TextWasThinking{})
	case llm.ReasoningAttachment:
		r.attached = chunk.Attached
	case llm.ToolCallStarted:
		in.emit(CallArriving{Name: chunk.Name, Label: in.tools.Traits(chunk.Name).DescribeName(chunk.Name)})
	case llm.ToolCall:
		r.calls = append(r.calls, chunk)
	case llm.ServerSearch:
		in.searched(chunk.Times)
		in.emit(Searched{Query: chunk.Query, Sources: chunk.Sources})
	case llm.Usage:
		r.counted = chunk.PromptTokens > 0
		in.window.Observe(r.model, r.estimate, window.ProviderReport{Prompt: chunk.PromptTokens, Cached: chunk.CachedTokens, Written: chunk.CacheWriteTokens})
		in.reported(r.model, chunk)
	case llm.RetryNotice:
		if chunk.Discard {
			*r = reply{model: r.model, estimate: r.estimate}
			in.emit(ReplyDiscarded{})
		}
		in.emit(Retry{Attempt: chunk.Attempt, Delay: chunk.Delay, Where: chunk.Where, Reason: chunk.Reason})
	case llm.AdaptedRequest:
		in.emit.notice("%s", chunk.Note)
	case llm.Finish:
		r.finish = chunk.Reason
	}
}

// Finish reasons of incomplete replies.
const (
	finishLength   = "length"
	finishFiltered = "content_filter" // the finish reason if the provider filtered the reply
)

// cutReason returns the reason why the reply is not complete, or "" if it is.
func (r *reply) cutReason() string {
	if r.finish == finishLength || r.finish == finishFiltered {
		return r.finish
	}
	return ""
}

// store stores the reply in the history before it is shown as complete. If the reply failed, store
// keeps the received text, but no calls, because they may be incomplete. It stores nothing if the
// provider refused the request, because the model has then not answered (D-50).
func (in *replies) store(r *reply, failed error) error {
	if failed != nil {
		r.calls, r.attached = nil, nil
	}
	var refusal *llm.Error
	if errors.As(failed, &refusal) && refusal.IsRequestError() {
		if r.text.Len()+r.thought.Len() > 0 {
			in.emit(ReplyDiscarded{})
		}
		return nil
	}
	var blocks []history.Block
	if r.thought.Len() > 0 || r.attached != nil {
		blocks = append(blocks, &history.Thinking{Thought: r.thought.String(), Attached: r.attached})
	}
	if text := r.text.String(); strings.TrimSpace(text) != "" {
		blocks = append(blocks, &history.Text{Text: text})
	}
	distinguish(r.calls)
	for _, call := range r.calls {
		// The session log, the permission rules and pruning use the call that runs (D-92).
		meant := in.tools.Translate(call.Name, call.Arguments)
		r.understood = append(r.understood, understood{Call: meant, id: call.ID, cut: call.Cut})
		block := history.NewCall(call.ID, meant.Name, meant.Arguments)
		block.Attached = call.Attached
		blocks = append(blocks, block)
	}
	if len(blocks) == 0 {
		return nil
	}
	entry := history.New(history.AI, blocks...).WithMeta(history.MetaModel, r.model)
	if host := hostOf(in.settings); host != "" {
		entry = entry.WithMeta(history.MetaHost, host)
	}
	if failed != nil {
		entry = entry.WithMeta(history.MetaInterrupted, true)
	}
	if r.finish == finishFiltered {
		entry = entry.WithMeta(history.MetaFiltered, true)
	}
	err := in.add(in.window.StampReply(entry))
	in.emit(ReplyEnded{Text: r.text.String(), Interrupted: failed != nil})
	switch {
	case r.empty(): // converse reports an empty reply itself
	case r.finish == finishLength:
		in.emit.notice("The reply was cut at the model's output limit. Ask it to continue, or raise max-output-tokens")
	case r.finish == finishFiltered:
		in.emit.notice("The provider's content filter cut the reply")
	}
	return err
}

// distinguish gives every call a unique id. Some servers use the same id for all calls, or none.
func distinguish(calls []llm.ToolCall) {
	taken := map[string]bool{"": true}
	for i := range calls {
		given := calls[i].ID
		for n := i + 1; taken[calls[i].ID]; n++ {
			calls[i].ID = fmt.Sprintf("%s#%d", given, n)
		}
		taken[calls[i].ID] = true
	}
}

// SilenceInterval is the interval at which the silence of a model is reported.
const SilenceInterval = 10 * time.Second

// silence measures the time for which a model has sent nothing.
type silence struct {
	ticker *time.Ticker
	since  time.Time
}

// restart restarts the measurement. The pause before a retry was already reported, so it does not count
// as silence.
func (s *silence) restart(now time.Time, chunk llm.Chunk) {
	s.since = now
	if retrying, ok := chunk.(llm.RetryNotice); ok {
		s.since = now.Add(retrying.Delay)
	}
	s.ticker.Reset(s.since.Sub(now) + SilenceInterval)
}

// length returns the length of the silence in whole seconds.
func (s *silence) length(now time.Time) time.Duration {
	s.ticker.Reset(SilenceInterval)
	return now.Sub(s.since).Round(time.Second)
}

// writtenCalls matches a call that a model wrote as text because its server does not parse calls. It
// covers the forms of Qwen and Hermes, Mistral, Llama, MiniMax, Kimi and DeepSeek. The group is the
// name of the tool.
var writtenCalls = lazyregexp.New(`(?:<tool_call>|\[TOOL_CALLS\]|<function=|<invoke name=|<\|tool_call_begin\|>|<｜tool▁call▁begin｜>)[\[{\s"]*(?:name"\s*:\s*")?(?:function<｜tool▁sep｜>|functions\.|<function=)?(\w+)`)

// quotedCode matches code that a reply quotes, where a call is only an example.
var quotedCode = lazyregexp.New("(?s)```.*?(?:```|$)|`[^`\n]*`")

// writtenCallError reports that a model wrote a call of a tool as text.
type writtenCallError struct{ tool string }

func (e *writtenCallError) Error() string {
	return fmt.Sprintf("Not run: the model wrote a call of %s as text, because its server doesn't parse tool calls. Start the server with a parser (llama-server: --jinja, vLLM: --enable-auto-tool-choice and --tool-call-parser), or use another model", e.tool)
}

// writtenCall returns an error if a reply without calls contains a call in its text. Such a call never
// runs, because the text may come from a file.
func (in *replies) writtenCall(r *reply) error {
	text := r.text.String()
	if !strings.ContainsAny(text, "<[") {
		return nil
	}
	found := writtenCalls.FindStringSubmatch(quotedCode.ReplaceAllString(text, ""))
	if found == nil {
		return nil
	}
	if _, err := in.tools.Get(found[1]); err != nil {
		return nil
	}
	return &writtenCallError{found[1]}
}
