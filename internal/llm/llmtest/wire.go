package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// wire writes the steps of a turn in one format.
type wire interface {
	text(delta string)
	think(delta string)
	// call streams one tool call the way OpenAI does: the name first, then the
	// arguments in small pieces.
	call(index int, id, name, arguments string)
	end(ending)
}

// ending is how a turn ends; without a finish reason the stream just stops.
type ending struct {
	finish          string
	usage           usage
	noUsage, noDone bool
}

type usage struct{ prompt, completion, cached int }

// pieces cuts arguments into a few pieces.
func pieces(arguments string) []string {
	const count = 4
	var list []string
	runes := []rune(arguments)
	size := max(1, (len(runes)+count-1)/count)
	for len(runes) > 0 {
		n := min(size, len(runes))
		list = append(list, string(runes[:n]))
		runes = runes[n:]
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

func (w chatWire) end(e ending) {
	if e.finish != "" {
		w.event(fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, e.finish))
	}
	if !e.noUsage {
		w.event(fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`,
			e.usage.prompt, e.usage.completion, e.usage.prompt+e.usage.completion, e.usage.cached))
	}
	if !e.noDone {
		w.event("[DONE]")
	}
}

// responsesWire writes the events of the Responses API.
type responsesWire struct {
	*reply
	// outputs counts the items; open is the one that is being written.
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

// item makes sure that an item of a kind is open.
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

// closeItem completes the open item.
func (w *responsesWire) closeItem() {
	if w.open == nil {
		return
	}
	said := quote(w.open.said.String())
	done := fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}`, said)
	if w.open.kind == "reasoning" {
		done = fmt.Sprintf(`{"id":"rs_%d_%d","type":"reasoning","summary":[{"type":"summary_text","text":%s}],"encrypted_content":%s}`,
			w.request.Number, w.outputs, said, quote(encrypted(w.open.said.String())))
	}
	w.done(done)
	w.open = nil
}

func (w *responsesWire) done(item string) {
	w.typed("response.output_item.done", `,"item":`+item)
	w.items = append(w.items, item)
	w.outputs++
}

// encrypted is what represents reasoning that only the server can read.
func encrypted(reasoning string) string { return fmt.Sprintf("ENC(%x)", reasoning) }

func (w *responsesWire) call(_ int, id, name, arguments string) {
	w.closeItem()
	if w.offersFree(name) {
		w.freeCall(id, name, arguments)
		return
	}
	begin := fmt.Sprintf(`"type":"function_call","call_id":%s,"name":%s`, quote(id), quote(name))
	w.typed("response.output_item.added", `,"item":{`+begin+`,"arguments":""}`)
	for _, piece := range pieces(arguments) {
		w.typed("response.function_call_arguments.delta", `,"delta":`+quote(piece))
	}
	w.typed("response.function_call_arguments.done", `,"arguments":`+quote(arguments))
	w.done(`{` + begin + `,"arguments":` + quote(arguments) + `}`)
}

// offersFree reports whether the request offers a tool in free form.
func (w *responsesWire) offersFree(name string) bool {
	return slices.ContainsFunc(w.request.Tools, func(t Tool) bool { return t.Name == name && t.Grammar != "" })
}

// freeCall streams a call in free form: the one text of the arguments, in pieces.
func (w *responsesWire) freeCall(id, name, arguments string) {
	var given map[string]string
	input := ""
	if json.Unmarshal([]byte(arguments), &given) == nil {
		for _, text := range given {
			input = text
		}
	}
	begin := fmt.Sprintf(`"type":"custom_tool_call","call_id":%s,"name":%s`, quote(id), quote(name))
	w.typed("response.output_item.added", `,"item":{`+begin+`,"input":""}`)
	for _, piece := range pieces(input) {
		w.typed("response.custom_tool_call_input.delta", `,"delta":`+quote(piece))
	}
	w.typed("response.custom_tool_call_input.done", `,"input":`+quote(input))
	w.done(`{` + begin + `,"input":` + quote(input) + `}`)
}

func (w *responsesWire) end(e ending) {
	if e.finish == "" {
		return
	}
	w.closeItem()
	kind, status, details := "response.completed", "completed", "null"
	switch e.finish {
	case "length":
		kind, status, details = "response.incomplete", "incomplete", `{"reason":"max_output_tokens"}`
	case "content_filter":
		kind, status, details = "response.incomplete", "incomplete", `{"reason":"content_filter"}`
	}
	usage := "null"
	if !e.noUsage {
		usage = fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d,"input_tokens_details":{"cached_tokens":%d}}`,
			e.usage.prompt, e.usage.completion, e.usage.prompt+e.usage.completion, e.usage.cached)
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
