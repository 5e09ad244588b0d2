package openai

import (
	"encoding/json"
	"strings"

	"agent/internal/base/rawjson"
	"agent/internal/history"
	"agent/internal/llm/entries"
)

// messageWriter writes history entries as messages. The messages of an entry depend only on the entries
// before it. So a growing history only appends messages, and providers can reuse their prompt cache.
type messageWriter struct {
	buf []byte
	ids *entries.CallIDs
	// replay decides which attachments of earlier replies are sent.
	replay replay
	hints  cacheHints
	// documents means that PDFs are sent.
	documents bool
	// answers means that an assistant message must follow a tool message.
	answers bool
	// systemAsUser sends the system prompt as a user message, because the model supports no system
	// message.
	systemAsUser bool
	// afterTool is set if the latest message is a tool's answer.
	afterTool bool
}

func (w *messageWriter) system(prompt string) {
	if strings.TrimSpace(prompt) == "" {
		return
	}
	if w.systemAsUser {
		w.open("user")
		w.text("content", prompt)
		w.close()
		w.open("assistant")
		w.text("content", understood)
		w.close()
		return
	}
	w.open("system")
	switch {
	case len(w.hints.control) > 0:
		w.markedText(prompt, "cache_control", w.hints.control)
	case w.hints.breakpoint:
		w.markedText(prompt, "prompt_cache_breakpoint", explicitBreakpoint)
	default:
		w.text("content", prompt)
	}
	w.close()
}

// understood is the assistant's answer to the system prompt. If a model requires alternating user and
// assistant messages, the prompt is sent in a user message.
const understood = "(understood)"

// explicitBreakpoint is OpenAI's mark for its prompt cache.
var explicitBreakpoint = json.RawMessage(`{"mode":"explicit"}`)

// markedText writes the content as one text part with a cache mark.
func (w *messageWriter) markedText(text, member string, mark json.RawMessage) {
	w.raw(`,"content":[{"type":"text"`)
	w.text("text", text)
	w.json(member, mark)
	w.raw(`}]`)
}

// WriteHuman writes a user message: plain text, or a list of parts if there are images.
func (w *messageWriter) WriteHuman(c *history.Content, mark bool) {
	if w.answers && w.afterTool {
		w.open("assistant")
		w.text("content", betweenToolAndUser)
		w.close()
	}
	w.open("user")
	defer w.close()
	text := entries.JoinText(c.Blocks)
	media := entries.BlocksOf[*history.Media](c.Blocks)
	switch {
	case len(media) == 0 && mark:
		w.markedText(text, "cache_control", w.hints.control)
		return
	case len(media) == 0:
		w.text("content", text)
		return
	}
	w.raw(`,"content":[`)
	if text != "" {
		w.raw(`{"type":"text"`)
		w.text("text", text)
		if mark {
			w.json("cache_control", w.hints.control)
		}
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
	url, ok := entries.ImageURL(m)
	if entries.IsDocument(m) && w.documents {
		w.raw(`{"type":"file","file":{"filename":"` + entries.DocumentName + `","file_data":`)
		w.buf = rawjson.AppendString(w.buf, url)
		w.raw(`}}`)
		return
	}
	if !ok {
		w.raw(`{"type":"text"`)
		w.text("text", entries.UnsendableText(m))
		w.raw(`}`)
		return
	}
	w.raw(`{"type":"image_url","image_url":{"url":`)
	w.buf = rawjson.AppendString(w.buf, url)
	w.raw(`}}`)
}

// WriteAssistant writes the text and the calls of a reply as one message, with the reasoning that the
// provider requires.
func (w *messageWriter) WriteAssistant(c *history.Content) {
	w.ids.BeginEntry()
	w.open("assistant")
	defer w.close()
	text, calls := entries.JoinText(c.Blocks), c.Calls()
	field, words, details := w.replay.reasoning(c)
	if field == fieldThinkTags {
		field, text = "", fieldThinkTags+words+"</think>\n\n"+text
	}
	if text == "" {
		// Servers require the member even if calls make the text optional.
		w.raw(`,"content":null`)
	} else {
		w.text("content", text)
	}
	if field != "" {
		w.text(field, words)
	}
	w.json(fieldReasoningDetails, details)
	if len(calls) == 0 {
		return
	}
	w.raw(`,"tool_calls":[`)
	for i, call := range calls {
		if i > 0 {
			w.raw(`,`)
		}
		w.raw(`{"type":"function"`)
		w.text("id", w.ids.Add(c, call.ID))
		w.raw(`,"function":{"name":`)
		w.buf = rawjson.AppendString(w.buf, entries.FunctionName(call.Name))
		w.text("arguments", string(entries.Arguments(call)))
		w.raw(`}`)
		w.json(fieldExtraContent, w.replay.signature(call, i == 0))
		w.raw(`}`)
	}
	w.raw(`]`)
}

func (w *messageWriter) WriteResponse(r *history.ToolResponse, mark bool) {
	w.open("tool")
	w.text("tool_call_id", w.ids.SentID(r.CallID))
	if mark {
		w.markedText(entries.ResponseText(r), "cache_control", w.hints.control)
	} else {
		w.text("content", entries.ResponseText(r))
	}
	w.close()
}

// betweenToolAndUser is an assistant message between a tool's answer and the user's next message,
// for vendors that refuse a user message after a tool's answer.
const betweenToolAndUser = "(the user continues)"

func (w *messageWriter) open(role string) {
	w.afterTool = role == "tool"
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
	w.buf = rawjson.AppendString(w.buf, value)
}

// optional writes a member unless its value is empty.
func (w *messageWriter) optional(key, value string) {
	if value != "" {
		w.text(key, value)
	}
}

// json writes a member whose value is JSON, unless the value is empty.
func (w *messageWriter) json(key string, value []byte) {
	if len(value) > 0 {
		w.raw(`,"` + key + `":`)
		w.buf = append(w.buf, value...)
	}
}
