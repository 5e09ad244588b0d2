package llm

import (
	"bytes"
	"fmt"
	"strings"

	"agent/internal/history"
)

// noOutput stands for the result of a tool that answered nothing: servers refuse
// a tool message without content.
const noOutput = "(no output)"

// maxFunctionName is how long servers allow a function's name to be.
const maxFunctionName = 64

// messageWriter turns history entries into messages, one entry after the other.
// What it writes for an entry depends only on the entries before it, so the
// messages of a growing history are append-only and providers can reuse their
// prompt cache.
type messageWriter struct {
	buf []byte
	// ids pairs calls and responses by position (D-11): it gives the id on the
	// wire of the latest call that the history knows under an id.
	ids map[string]string
	// taken are the ids on the wire. Some servers refuse an id used twice.
	taken map[string]bool
	// replay says what goes back of what providers attached.
	replay replay
}

func (w *messageWriter) system(prompt string) {
	if strings.TrimSpace(prompt) == "" {
		return
	}
	w.open("system")
	w.text("content", prompt)
	w.close()
}

// entry writes the messages of one entry. An entry that says nothing gives none.
func (w *messageWriter) entry(c *history.Content) {
	if c.Empty() {
		return
	}
	switch c.Speaker {
	case history.Human:
		w.human(c)
	case history.AI:
		w.assistant(c)
	case history.Tool:
		for _, b := range c.Blocks {
			if response, ok := b.(*history.ToolResponse); ok {
				w.response(response)
			}
		}
	}
}

// human writes a plain text, or a list of parts if there are images.
func (w *messageWriter) human(c *history.Content) {
	w.open("user")
	defer w.close()
	text := joinText(c.Blocks)
	media := mediaOf(c.Blocks)
	if len(media) == 0 {
		w.text("content", text)
		return
	}
	w.raw(`,"content":[`)
	if text != "" {
		w.raw(`{"type":"text"`)
		w.text("text", text)
		w.raw(`},`)
	}
	for i, m := range media {
		if i > 0 {
			w.raw(`,`)
		}
		w.media(m)
	}
	w.raw(`]`)
}

func (w *messageWriter) media(m *history.Media) {
	if !strings.HasPrefix(m.MimeType, "image/") {
		w.raw(`{"type":"text"`)
		w.text("text", fmt.Sprintf("(an attachment of type %s, which cannot be sent)", m.MimeType))
		w.raw(`}`)
		return
	}
	w.raw(`{"type":"image_url","image_url":{"url":`)
	w.buf = appendJSON(w.buf, "data:"+m.MimeType+";base64,"+m.Data)
	w.raw(`}}`)
}

// assistant writes text and calls of one reply as one message, with the reasoning
// that its provider wants back.
func (w *messageWriter) assistant(c *history.Content) {
	w.open("assistant")
	defer w.close()
	text, calls := joinText(c.Blocks), c.Calls()
	if text == "" {
		// Servers want the key even where calls make the text optional.
		w.raw(`,"content":null`)
	} else {
		w.text("content", text)
	}
	w.reasoning(c)
	if len(calls) == 0 {
		return
	}
	w.raw(`,"tool_calls":[`)
	for i, call := range calls {
		if i > 0 {
			w.raw(`,`)
		}
		w.raw(`{"type":"function"`)
		w.text("id", w.callID(call.ID))
		w.raw(`,"function":{"name":`)
		w.buf = appendJSON(w.buf, functionName(call.Name))
		w.text("arguments", string(arguments(call)))
		w.raw(`}`)
		w.json(fieldExtraContent, w.replay.signature(call, i == 0))
		w.raw(`}`)
	}
	w.raw(`]`)
}

func (w *messageWriter) reasoning(c *history.Content) {
	field, words, details := w.replay.reasoning(c)
	if field != "" {
		w.text(field, words)
	}
	w.json(fieldReasoningDetails, details)
}

func (w *messageWriter) response(r *history.ToolResponse) {
	id, known := w.ids[r.CallID]
	if !known {
		id = r.CallID
	}
	w.open("tool")
	w.text("tool_call_id", id)
	w.text("content", responseText(r))
	w.close()
}

// callID returns the id on the wire of a new call: its own, unless it is empty or
// was used before.
func (w *messageWriter) callID(id string) string {
	wire := id
	if wire == "" {
		wire = "call"
	}
	base := wire
	for n := 2; w.taken[wire]; n++ {
		wire = fmt.Sprintf("%s_%d", base, n)
	}
	w.taken[wire] = true
	w.ids[id] = wire
	return wire
}

func (w *messageWriter) open(role string) {
	if len(w.buf) > 0 && w.buf[len(w.buf)-1] == '}' {
		w.raw(`,`)
	}
	w.raw(`{"role":"`)
	w.raw(role)
	w.raw(`"`)
}

func (w *messageWriter) close() { w.raw(`}`) }

func (w *messageWriter) raw(s string) { w.buf = append(w.buf, s...) }

func (w *messageWriter) text(key, value string) {
	w.raw(`,"`)
	w.raw(key)
	w.raw(`":`)
	w.buf = appendJSON(w.buf, value)
}

// json writes a member that is JSON already, unless there is none.
func (w *messageWriter) json(key string, value []byte) {
	if len(value) > 0 {
		w.raw(`,"` + key + `":`)
		w.buf = append(w.buf, value...)
	}
}

// joinText joins text blocks as history.Content.Text does; each file inclusion
// is a block with its markers on lines of their own (D-18). Blank blocks are left
// out, so that a blank text beside calls is no content.
func joinText(blocks []history.Block) string {
	var texts []string
	for _, b := range blocks {
		if t, ok := b.(*history.Text); ok && strings.TrimSpace(t.Text) != "" {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func mediaOf(blocks []history.Block) []*history.Media {
	var media []*history.Media
	for _, b := range blocks {
		if m, ok := b.(*history.Media); ok {
			media = append(media, m)
		}
	}
	return media
}

// responseText is all a model learns of a tool's answer: result, exit status and
// error, never nothing.
func responseText(r *history.ToolResponse) string {
	text := r.Result.Text()
	if r.Error == "" && r.ExitCode == nil && strings.TrimSpace(text) != "" {
		return text
	}
	var parts []string
	if strings.TrimSpace(text) != "" {
		parts = append(parts, text)
	} else if r.Error == "" {
		parts = append(parts, noOutput)
	}
	if r.ExitCode != nil {
		parts = append(parts, fmt.Sprintf("Exit code: %d", *r.ExitCode))
	}
	if r.Error != "" {
		parts = append(parts, "Error: "+r.Error)
	}
	return strings.Join(parts, "\n")
}

// arguments returns a call's parameters as a JSON object. What the model sent
// instead of one is wrapped, because servers parse the arguments of old calls and
// refuse the whole request.
func arguments(call *history.ToolCall) []byte {
	parameters := bytes.TrimSpace(call.Parameters)
	switch {
	case len(parameters) == 0 || string(parameters) == "null":
		return []byte("{}")
	case parameters[0] == '{':
		return parameters
	default:
		return append(append([]byte(`{"malformed_arguments":`), parameters...), '}')
	}
}

// functionName makes a name the model invented acceptable to servers, which
// otherwise refuse every later request of the conversation.
func functionName(name string) string {
	valid := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	mapped := strings.Map(func(r rune) rune {
		if valid(r) {
			return r
		}
		return '_'
	}, name)
	if mapped == "" {
		return "unknown"
	}
	return mapped[:min(len(mapped), maxFunctionName)]
}
