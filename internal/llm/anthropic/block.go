package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// The kinds of blocks. All other kinds are kept unchanged.
const (
	kindText     = "text"
	kindThinking = "thinking"
	kindCall     = "tool_use"
)

// replyBlock is a block of a reply that is being received.
type replyBlock struct {
	index int
	kind  string
	// start is the block as it began.
	start json.RawMessage
	// text is the text, the reasoning, or the input of a call of any kind.
	text      strings.Builder
	signature strings.Builder
	citations []json.RawMessage
	id, name  string
}

func (r *reply) open(index int, raw json.RawMessage) {
	begun := lenientjson.Decode[struct {
		Type, Text, Thinking, Signature, ID, Name string
		Input                                     json.RawMessage
		Citations                                 []json.RawMessage
	}](raw)
	b := &replyBlock{index: index, kind: begun.Type, start: raw, id: begun.ID, name: begun.Name, citations: begun.Citations}
	r.blocks = append(r.blocks, b)
	r.size += len(raw)
	switch begun.Type {
	case kindText:
		r.say(b, begun.Text)
	case kindThinking:
		b.signature.WriteString(begun.Signature)
		r.think(b, begun.Thinking)
	case kindCall:
		if input := strings.TrimSpace(string(begun.Input)); input != "" && input != "{}" && input != "null" {
			b.text.WriteString(input)
		}
		if b.id == "" {
			r.started++
			b.id = fmt.Sprintf("toolu_made_%d", r.started)
		}
		r.emit(llm.ToolCallStarted{Name: b.name})
	default:
		r.emit(llm.Heartbeat{Token: true})
	}
}

// openBlock returns the block at an index of the exchange, or nil if none was begun.
func (r *reply) openBlock(index int) *replyBlock {
	for _, b := range r.blocks[r.begin:] {
		if b.index == index {
			return b
		}
	}
	return nil
}

func (r *reply) say(b *replyBlock, text string) {
	if text != "" {
		b.text.WriteString(text)
		r.size += len(text)
		r.emit(llm.Text{Delta: text})
	}
}

func (r *reply) think(b *replyBlock, text string) {
	if text == "" {
		return
	}
	if b.text.Len() == 0 && r.thought {
		r.emit(llm.Reasoning{Delta: "\n\n"})
	}
	r.thought = true
	b.text.WriteString(text)
	r.size += len(text)
	r.emit(llm.Reasoning{Delta: text})
}

func (r *reply) addText(index int, text string) error {
	r.known = true
	b := r.openBlock(index)
	if b == nil {
		return r.unopened(index)
	}
	if b.kind == kindText {
		r.say(b, text)
	}
	if r.size > maxReply {
		return r.malformed(fmt.Sprintf("sent more than %d MiB in one reply", maxReply>>20))
	}
	return nil
}

// addDelta adds a part of a block. It ignores parts of unknown types.
func (r *reply) addDelta(e wireEvent) error {
	b, d := r.openBlock(e.Index.Value), e.Delta
	if b == nil {
		return r.unopened(e.Index.Value)
	}
	switch d.Type {
	case "text_delta":
		return r.addText(e.Index.Value, d.Text)
	case "thinking_delta":
		r.think(b, d.Thinking)
	case "signature_delta":
		b.signature.WriteString(d.Signature)
		r.size += len(d.Signature)
	case "input_json_delta":
		b.text.WriteString(d.JSON)
		r.size += len(d.JSON)
		r.emit(llm.Heartbeat{Token: true})
	case "citations_delta":
		b.citations = append(b.citations, d.Citation)
		r.size += len(d.Citation)
	}
	return nil
}

func (r *reply) unopened(index int) error {
	return r.malformed(fmt.Sprintf("sent a part of content block %d before the start of that block", index))
}

// closeBlock ends a block. If the block is a search by the server, it reports the search.
func (r *reply) closeBlock(index int) {
	if b := r.openBlock(index); b != nil {
		r.tellSearch(b)
	}
}

// raw returns a block in the form in which later requests send it.
func (b *replyBlock) raw() json.RawMessage {
	var w writer
	switch {
	case b.kind == kindText:
		return keptBlock{Citations: b.allCitations()}.withText(b.text.String())
	case b.kind == kindThinking:
		w.raw(`{"type":"thinking","thinking":`)
		w.string(b.text.String())
		w.raw(`,"signature":`)
		w.string(b.signature.String())
		w.raw(`}`)
		return w.buf
	case b.text.Len() > 0 && json.Valid([]byte(b.text.String())): // the server ran this call itself
		return withMember(b.start, "input", b.text.String())
	}
	return b.start
}

// withMember returns an object with another value for a member. The order of the members is kept.
func withMember(object json.RawMessage, name, value string) json.RawMessage {
	old := member(object, name)
	if old == nil {
		return object
	}
	at := bytes.LastIndex(object, append([]byte(`"`+name+`":`), old...))
	if at < 0 {
		return object
	}
	at += len(name) + len(`"":`)
	return bytes.Join([][]byte{object[:at], []byte(value), object[at+len(old):]}, nil)
}

// allCitations returns the citations of a text as a JSON list, or nil if there are none.
func (b *replyBlock) allCitations() json.RawMessage {
	if len(b.citations) == 0 {
		return nil
	}
	return append(append([]byte("["), bytes.Join(rawsOf(b.citations), []byte(","))...), ']')
}

func rawsOf(list []json.RawMessage) [][]byte {
	raws := make([][]byte, len(list))
	for i := range list {
		raws[i] = list[i]
	}
	return raws
}

// raw returns the blocks so far in the form in which a request sends them to continue the reply.
func (r *reply) raw() (blocks [][]byte) {
	for _, b := range r.blocks {
		if b.kind != kindText || !isBlank(b.text.String()) {
			blocks = append(blocks, b.raw())
		}
	}
	return blocks
}
