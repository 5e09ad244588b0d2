package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// claudeBlock is a block of a message of the Messages API.
type claudeBlock struct {
	Type, Text, Thinking, Signature, ID, Name string
	Input                                     json.RawMessage
	ToolUseID                                 string `json:"tool_use_id"`
	Content                                   json.RawMessage
	Source                                    struct {
		Type      string
		MediaType string `json:"media_type"`
		Data      string
	}
	Cache *struct{ Type, TTL string } `json:"cache_control"`
	// Tool is the tool that is added or removed.
	Tool struct{ Type, Name string }
}

// fromMessages converts a request of the Messages API to the form of chat completions. Tool results
// in a user message become separate messages.
func (r *Request) fromMessages(body []byte) error {
	var wire struct {
		System json.RawMessage
		Tools  []struct {
			Type, Name, Description string
			Schema                  json.RawMessage `json:"input_schema"`
		}
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return err
	}
	for _, t := range wire.Tools {
		tool := Tool{Name: t.Name, Description: t.Description, Parameters: t.Schema}
		if t.Type != "" && t.Type != "custom" {
			tool.Parameters = json.RawMessage(`{}`)
		}
		r.Tools = append(r.Tools, tool)
	}
	r.Messages = nil
	system, err := blocksOf(wire.System)
	if err != nil {
		return err
	}
	for _, raw := range system {
		var b claudeBlock
		if err := json.Unmarshal(raw, &b); err != nil {
			return err
		}
		r.Messages = append(r.Messages, Message{Role: "system", Content: b.Text})
	}
	for _, m := range wire.Messages {
		message := Message{Role: m.Role}
		var texts []string
		content, err := blocksOf(m.Content)
		if err != nil {
			return err
		}
		for _, raw := range content {
			var b claudeBlock
			if err := json.Unmarshal(raw, &b); err != nil {
				return err
			}
			switch b.Type {
			case "text":
				texts = append(texts, b.Text)
			case toolAddition, toolRemoval:
				texts = append(texts, b.Type+" "+b.Tool.Name)
			case "image", "document":
				message.Images = append(message.Images, "data:"+b.Source.MediaType+";base64,"+b.Source.Data)
			case "tool_use":
				message.ToolCalls = append(message.ToolCalls, ToolCall{ID: b.ID, Type: "function", Name: b.Name, Arguments: string(b.Input)})
			case "tool_result":
				text, images := resultOf(b.Content)
				r.Messages = append(r.Messages, Message{Role: "tool", Content: text, Images: images, ToolCallID: b.ToolUseID})
			default:
				message.Reasoning = append(message.Reasoning, raw)
			}
		}
		message.Content = strings.Join(texts, "\n")
		if len(texts)+len(message.Images)+len(message.ToolCalls)+len(message.Reasoning) > 0 {
			r.Messages = append(r.Messages, message)
		}
	}
	return nil
}

// blocksOf returns the blocks of a content, which may be a single string.
func blocksOf(content json.RawMessage) (blocks []json.RawMessage, err error) {
	var text string
	switch {
	case len(content) == 0:
		return nil, nil
	case json.Unmarshal(content, &text) == nil:
		return []json.RawMessage{json.RawMessage(`{"type":"text","text":` + quote(text) + `}`)}, nil
	}
	err = json.Unmarshal(content, &blocks)
	return blocks, err
}

// resultOf reads the content of a tool_result.
func resultOf(raw json.RawMessage) (text string, images []string) {
	var parts []claudeBlock
	if json.Unmarshal(raw, &text) == nil || json.Unmarshal(raw, &parts) != nil {
		return text, nil
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		} else {
			images = append(images, "data:"+p.Source.MediaType+";base64,"+p.Source.Data)
		}
	}
	return strings.Join(texts, "\n"), images
}

// messagesWire writes the events of the Messages API.
type messagesWire struct {
	*reply
	// count is the number of blocks. open is the type of the open block.
	count int
	open  string
	begun bool
	said  strings.Builder
	// blocks lists the blocks so far, in the form in which a client sends them back.
	blocks []string
}

func (w *messagesWire) typed(kind, members string) {
	w.send("event: " + kind + "\n")
	w.event(fmt.Sprintf(`{"type":%q%s}`, kind, members))
}

func (w *messagesWire) begin() {
	if w.begun {
		return
	}
	w.begun = true
	bill := w.server.claude.bill(w.request)
	w.typed("message_start", fmt.Sprintf(`,"message":{"id":"msg_%d","type":"message","role":"assistant","model":%s,"content":[],"stop_reason":null,"stop_sequence":null,"usage":%s%s}`,
		w.request.Number, quote(w.request.Model), bill.json(1), w.server.claude.diagnosis(w.request)))
	w.typed("ping", "")
}

// block opens a block of a type unless one is open.
func (w *messagesWire) block(kind, begin string) {
	w.begin()
	if w.open == kind {
		return
	}
	w.closeBlock()
	w.open = kind
	w.typed("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, w.count, begin))
}

func (w *messagesWire) delta(members string) {
	w.typed("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{%s}`, w.count, members))
}

func (w *messagesWire) text(delta string) {
	w.block("text", `{"type":"text","text":""}`)
	w.said.WriteString(delta)
	w.delta(`"type":"text_delta","text":` + quote(delta))
}

func (w *messagesWire) think(delta string) {
	w.block("thinking", `{"type":"thinking","thinking":"","signature":""}`)
	w.said.WriteString(delta)
	w.delta(`"type":"thinking_delta","thinking":` + quote(delta))
}

// closeBlock ends the open block. Thinking is signed, and its signature is bound to the
// conversation.
func (w *messagesWire) closeBlock() {
	if w.open == "" {
		return
	}
	said := quote(w.said.String())
	block := `{"type":"text","text":` + said + `}`
	if w.open == "thinking" {
		signature := w.server.claude.sign(w.request, w.blocks)
		w.delta(`"type":"signature_delta","signature":` + quote(signature))
		block = `{"type":"thinking","thinking":` + said + `,"signature":` + quote(signature) + `}`
	}
	w.typed("content_block_stop", fmt.Sprintf(`,"index":%d`, w.count))
	w.blocks = append(w.blocks, block)
	w.said.Reset()
	w.open = ""
	w.count++
}

func (w *messagesWire) call(_ int, id, name, arguments string) {
	w.begin()
	w.closeBlock()
	w.open = "tool_use"
	w.typed("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":"tool_use","id":%s,"name":%s,"input":{}}`, w.count, quote(id), quote(name)))
	w.delta(`"type":"input_json_delta","partial_json":""`)
	for _, piece := range pieces(arguments) {
		w.delta(`"type":"input_json_delta","partial_json":` + quote(piece))
	}
	w.typed("content_block_stop", fmt.Sprintf(`,"index":%d`, w.count))
	w.blocks = append(w.blocks, fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":%s}`, quote(id), quote(name), arguments))
	w.open = ""
	w.count++
}

// stops maps finish reasons of turns to stop reasons.
var stops = map[string]string{"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}

func (w *messagesWire) end(t Turn) {
	if t.finish == "" {
		return
	}
	w.begin()
	w.closeBlock()
	stop := stops[t.finish]
	if stop == "" {
		stop = t.finish
	}
	members := ""
	if !t.noUsage {
		bill := w.server.claude.bill(w.request)
		if t.usage.cached > 0 || t.usage.completion != len(t.steps) {
			bill = claudeBill{input: t.usage.prompt - t.usage.cached, read: t.usage.cached}
		}
		members = `,"usage":` + bill.json(t.usage.completion)
	}
	w.typed("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null}%s`, stop, members))
	w.typed("message_stop", "")
	w.server.claude.served(w.request)
}

// Block adds a complete block of the Messages API.
func (t Turn) Block(block string) Turn {
	return t.then(func(r *reply) {
		w, is := r.wire.(*messagesWire)
		if !is {
			return
		}
		w.begin()
		w.closeBlock()
		w.typed("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, w.count, block))
		w.typed("content_block_stop", fmt.Sprintf(`,"index":%d`, w.count))
		w.blocks = append(w.blocks, block)
		w.count++
	})
}
