package llmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// wire writes the steps of a turn in one format.
type wire interface {
	text(delta string)
	think(delta string)
	// call streams one tool call as OpenAI does: first the name, then the arguments in small
	// pieces.
	call(index int, id, name, arguments string)
	// end writes the end of a turn. Without a finish reason the stream stops.
	end(Turn)
}

type usage struct{ prompt, completion, cached int }

// pieces splits arguments into a few pieces.
func pieces(arguments string) []string {
	const count = 4
	var list []string
	runes := []rune(arguments)
	for piece := range slices.Chunk(runes, max(1, (len(runes)+count-1)/count)) {
		list = append(list, string(piece))
	}
	return list
}

// chatWire writes chat completions.
type chatWire struct{ *reply }

func (w chatWire) delta(member string, value string) {
	w.event(fmt.Sprintf(`{"choices":[{"index":0,"delta":{"%s":%s},"finish_reason":null}]}`, member, value))
}

func (w chatWire) text(delta string)  { w.delta("content", quote(delta)) }
func (w chatWire) think(delta string) { w.delta("reasoning_content", quote(delta)) }

func (w chatWire) call(index int, id, name, arguments string) {
	extra := ""
	if w.extra != "" && index == 0 {
		extra = `,"extra_content":` + w.extra
	}
	if w.whole {
		w.delta("tool_calls", fmt.Sprintf(`[{"index":0,"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}]`, quote(id), quote(name), quote(arguments)))
		return
	}
	w.delta("tool_calls", fmt.Sprintf(`[{"index":%d,"id":%s,"type":"function"%s,"function":{"name":%s,"arguments":""}}]`, index, quote(id), extra, quote(name)))
	for _, piece := range pieces(arguments) {
		w.delta("tool_calls", fmt.Sprintf(`[{"index":%d,"function":{"arguments":%s}}]`, index, quote(piece)))
	}
}

func (w chatWire) end(t Turn) {
	if t.finish != "" {
		w.event(fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, t.finish))
	}
	if !t.noUsage {
		w.event(fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`,
			t.usage.prompt, t.usage.completion, t.usage.prompt+t.usage.completion, t.usage.cached))
	}
	if !t.noDone {
		w.event("[DONE]")
	}
}

// responsesWire writes the events of the Responses API.
type responsesWire struct {
	*reply
	// outputs counts the items. open is the item that is being written.
	outputs int
	open    *outputItem
	items   []string
}

// outputItem is an item of a response that is being written.
type outputItem struct {
	kind string
	said strings.Builder
}

func (w *responsesWire) typed(kind string, members string) {
	w.send("event: " + kind + "\n")
	w.event(fmt.Sprintf(`{"type":%q,"output_index":%d%s}`, kind, w.outputs, members))
}

// item returns the open item of a kind, and opens one if necessary.
func (w *responsesWire) item(kind, begin string) *outputItem {
	if w.open == nil || w.open.kind != kind {
		w.closeItem()
		w.open = &outputItem{kind: kind}
		w.typed("response.output_item.added", `,"item":`+begin)
	}
	return w.open
}

func (w *responsesWire) text(delta string) {
	w.item("message", `{"type":"message","role":"assistant","content":[]}`).said.WriteString(delta)
	w.typed("response.output_text.delta", `,"delta":`+quote(delta))
}

func (w *responsesWire) think(delta string) {
	w.item("reasoning", `{"type":"reasoning","summary":[]}`).said.WriteString(delta)
	w.typed("response.reasoning_summary_text.delta", `,"delta":`+quote(delta))
}

func (w *responsesWire) closeItem() {
	if w.open == nil {
		return
	}
	said := quote(w.open.said.String())
	done := fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}`, said)
	if w.open.kind == "reasoning" {
		hidden := encrypted(w.open.said.String())
		if isBound(w.request) {
			hidden = w.server.bound.sign(w.request, w.open.said.String(), w.items)
		}
		done = fmt.Sprintf(`{"id":"rs_%d_%d","type":"reasoning","summary":[{"type":"summary_text","text":%s}],"encrypted_content":%s}`,
			w.request.Number, w.outputs, said, quote(hidden))
	}
	w.done(done)
	w.open = nil
}

func (w *responsesWire) done(item string) {
	w.typed("response.output_item.done", `,"item":`+item)
	w.items = append(w.items, item)
	w.outputs++
}

// encrypted returns fake encrypted reasoning, which only the server can read.
func encrypted(reasoning string) string { return fmt.Sprintf("ENC(%x)", reasoning) }

func (w *responsesWire) call(_ int, id, name, arguments string) {
	w.closeItem()
	kind, member, event := "function_call", "arguments", "response.function_call_arguments"
	if slices.ContainsFunc(w.request.Tools, func(t Tool) bool { return t.Name == name && t.Grammar != "" }) {
		kind, member, event = "custom_tool_call", "input", "response.custom_tool_call_input"
		arguments = onlyText(arguments)
	}
	item := func(said string) string {
		return fmt.Sprintf(`{"type":%q,"call_id":%s,"name":%s,%q:%s}`, kind, quote(id), quote(name), member, quote(said))
	}
	w.typed("response.output_item.added", `,"item":`+item(""))
	for _, piece := range pieces(arguments) {
		w.typed(event+".delta", `,"delta":`+quote(piece))
	}
	w.typed(event+".done", fmt.Sprintf(`,%q:%s`, member, quote(arguments)))
	w.done(item(arguments))
}

// onlyText returns the value of arguments that consist of one text, otherwise "".
func onlyText(arguments string) string {
	var given map[string]string
	_ = json.Unmarshal([]byte(arguments), &given)
	return strings.Join(slices.Collect(maps.Values(given)), "")
}

func (w *responsesWire) end(t Turn) {
	if t.finish == "" {
		return
	}
	w.closeItem()
	kind, status, details := "response.completed", "completed", "null"
	switch t.finish {
	case "length":
		kind, status, details = "response.incomplete", "incomplete", `{"reason":"max_output_tokens"}`
	case "content_filter":
		kind, status, details = "response.incomplete", "incomplete", `{"reason":"content_filter"}`
	}
	usage := "null"
	if !t.noUsage {
		usage = fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d,"input_tokens_details":{"cached_tokens":%d}}`,
			t.usage.prompt, t.usage.completion, t.usage.prompt+t.usage.completion, t.usage.cached)
	}
	w.typed(kind, fmt.Sprintf(`,"response":{"id":"resp_1","object":"response","status":%q,"error":null,"incomplete_details":%s,"output":[%s],"usage":%s}`,
		status, details, strings.Join(w.items, ","), usage))
}

func quote(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}
