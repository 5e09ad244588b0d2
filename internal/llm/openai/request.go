package openai

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/rawjson"
)

// encode writes req as the body of a chat completion. The library's own
// request type leaves out what servers need (temperature 0, empty arguments, the
// content beside calls) and takes several times as long, on the path between
// Enter and the first byte sent. The same request always gives the same bytes,
// and the messages come last, growing at their end only.
func (f chatCompletions) encode(req request) []byte {
	w := &messageWriter{
		buf: make([]byte, 0, sizeHint(req)), ids: newCallIDs(f.host, req.Model),
		replay:       replayFor(req, f.host),
		hints:        cacheHintsFor(req, f.host),
		systemAsUser: req.Dialect.SystemAsUser,
		answers:      req.Dialect.AnswerTools || isHost(f.host, "mistral.ai"),
	}
	w.raw(`{"model":`)
	w.buf = rawjson.AppendString(w.buf, req.Model)
	w.raw(`,"stream":true`)
	if !req.Dialect.OmitUsage && !isHost(f.host, "mistral.ai") { // which reports it unasked
		w.raw(`,"stream_options":{"include_usage":true}`)
	}
	w.options(req)
	w.optional("prompt_cache_key", w.hints.key)
	w.optional("session_id", w.hints.session)
	w.tools(req.Tools)
	w.raw(`,"messages":[`)
	w.system(req.System)
	for i, c := range req.History {
		w.mark = w.hints.marked[i]
		w.entry(c)
	}
	w.raw(`]}`)
	return w.buf
}

func (w *messageWriter) options(req request) {
	if req.MaxOutputTokens > 0 {
		w.raw(`,"` + cmp.Or(req.Dialect.OutputLimit, outputLimitKey(req.Model)) + `":`)
		w.buf = strconv.AppendInt(w.buf, int64(req.MaxOutputTokens), 10)
	}
	w.number("temperature", req.Temperature)
	w.number("top_p", req.TopP)
	w.optional("reasoning_effort", req.ReasoningEffort)
}

func (w *messageWriter) number(key string, value *float64) {
	if value == nil {
		return
	}
	w.raw(`,"` + key + `":`)
	w.buf = strconv.AppendFloat(w.buf, *value, 'f', -1, 64)
}

func (w *messageWriter) tools(tools []llm.ToolSpec) {
	if len(tools) == 0 {
		return
	}
	w.raw(`,"tools":[`)
	for i, t := range tools {
		if i > 0 {
			w.raw(`,`)
		}
		w.raw(`{"type":"function","function":{"name":`)
		w.buf = rawjson.AppendString(w.buf, t.Name)
		w.text("description", t.Description)
		w.raw(`,"parameters":`)
		w.buf = append(w.buf, parameters(t)...)
		w.raw(`}}`)
	}
	w.raw(`]`)
}

// parameters is the schema of a tool, also of one that takes none.
func parameters(t llm.ToolSpec) json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

// The two names of the member that bounds the reply.
const (
	limitOld = "max_tokens"
	limitNew = "max_completion_tokens"
)

// outputLimitKey is the field that bounds the reply. OpenAI's reasoning models
// refuse the old name; other servers often know only that one.
func outputLimitKey(model string) string {
	name := BaseName(model)
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(name, family) {
			return limitNew
		}
	}
	return limitOld
}

// sizeHint guesses the size of the body, so that it is rarely copied to grow.
func sizeHint(req request) int {
	const (
		envelope   = 1 << 10
		perMessage = 128
	)
	size := envelope + len(req.System)
	for _, t := range req.Tools {
		size += perMessage + len(t.Description) + len(t.Schema)
	}
	for _, c := range req.History {
		size += perMessage + entrySize(c)
	}
	return size + size/8
}

func entrySize(c *history.Content) int {
	size := 0
	for _, b := range c.Blocks {
		switch b := b.(type) {
		case *history.Text:
			size += len(b.Text)
		case *history.ToolCall:
			size += len(b.Parameters)
			if b.Attached != nil {
				size += len(b.Attached.Data)
			}
		case *history.Thinking:
			if b.Attached != nil {
				size += len(b.Thought) + len(b.Attached.Data)
			}
		case *history.ToolResponse:
			size += len(b.Result.Text())
		case *history.Media:
			size += len(b.Data)
		}
	}
	return size
}
