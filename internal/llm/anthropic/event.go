package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
	"agent/internal/llm/refusal"
	"agent/internal/llm/sse"
)

func (r *reply) take(event sse.Event) error {
	if p, bad := refusal.ParseEvent(event.Data, event.Name); bad {
		failure := r.client.at.ProblemError(p, r.req.Model)
		failure.Costly = failure.Costly || r.begun
		return failure
	}
	r.emit(llm.Heartbeat{})
	if !json.Valid(event.Data) {
		if bytes.IndexByte([]byte("{[\""), event.Data[0]) < 0 {
			return nil // a word such as [DONE] counts as a heartbeat
		}
		return r.malformed("sent an event that is not valid JSON: " + refusal.Line(string(event.Data)))
	}
	err := r.takeEvent(event.Data)
	if !r.known && r.strange == "" {
		r.strange = refusal.Line(string(event.Data))
	}
	switch {
	case err != nil:
		return err
	case r.size > maxReply:
		return r.malformed(fmt.Sprintf("sent more than %d MiB in one reply", maxReply>>20))
	case len(r.blocks) > maxBlocks:
		return r.malformed(fmt.Sprintf("sent more than %d blocks in one reply", maxBlocks))
	}
	return nil
}

// wireEvent is an event of a stream, or the whole message from a server that does not stream.
type wireEvent struct {
	Type    string          `json:"type"`
	Index   lenientjson.Int `json:"index"`
	Block   json.RawMessage `json:"content_block"`
	Message wireMessage     `json:"message"`
	Delta   struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		JSON      string          `json:"partial_json"`
		Citation  json.RawMessage `json:"citation"`
		Stop      string          `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
	wireReport
}

// wireMessage is the message at the beginning of a stream.
type wireMessage struct {
	ID      string            `json:"id"`
	Content []json.RawMessage `json:"content"`
	Stop    string            `json:"stop_reason"`
	Usage   usage             `json:"usage"`
	wireReport
}

// takeEvent processes one event whose data is JSON. It ignores events of unknown types.
func (r *reply) takeEvent(data []byte) error {
	e := lenientjson.Decode[wireEvent](data)
	r.report(e.wireReport)
	switch e.Type {
	case "message_start":
		r.known = true
		r.begins(e.Message)
	case "content_block_start":
		r.known = true
		r.open(e.Index.Value, e.Block)
	case "content_block_delta":
		r.known = true
		return r.addDelta(e)
	case "content_block_stop":
		r.known = true
		r.closeBlock(e.Index.Value)
	case "message_delta":
		r.known = true
		r.counted = r.counted.with(e.Usage)
		if e.Delta.Stop != "" {
			r.stop = e.Delta.Stop
		}
	case "message_stop":
		r.known, r.ended = true, true
	case "message":
		r.known, r.ended = true, true
		r.wholeMessage(lenientjson.Decode[wireMessage](data))
	case "ping":
		r.known = true
	}
	return nil
}

func (r *reply) begins(m wireMessage) {
	r.counted = r.counted.with(m.Usage)
	r.report(m.wireReport)
	r.tellDropped()
	if m.ID != "" && !r.req.NoReply { // the provider compares with requests that have a reply
		r.client.remember(r.req.Cache.Key, m.ID)
	}
}

// wholeMessage processes the message of a server that does not stream.
func (r *reply) wholeMessage(m wireMessage) {
	r.begins(m)
	r.stop = m.Stop
	for i, raw := range m.Content {
		r.open(i, raw)
		r.closeBlock(i)
	}
}
