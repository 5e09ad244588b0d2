package anthropic

import (
	"bytes"
	"encoding/json"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/entries"
	"agent/internal/llm/lenientjson"
)

// fieldMessages is the Field of attachments to replies of this API.
const fieldMessages = "messages"

// origin describes the request that a reply answers.
type origin struct {
	// Prefix is the digest of the conversation without its thinking.
	Prefix string `json:"prefix"`
	// First is the digest of the oldest thinking in the conversation, or "".
	First string `json:"first,omitzero"`
}

// kept is stored with a reply, so that later requests send the reply unchanged.
type kept struct {
	origin
	// Blocks are the blocks of the reply in order.
	Blocks []keptBlock `json:"blocks"`

	// digest identifies the reply. valid is set if the conversation before the reply has not changed
	// since.
	digest string
	valid  bool
}

// keptBlock is one block of a reply. Exactly one of TextBytes, Call and Raw is set. Texts and calls are in
// the entry of the reply, where density may remove them.
type keptBlock struct {
	// TextBytes is the length of a text in bytes. Its name in JSON is older.
	TextBytes int `json:"chars,omitzero"`
	// Citations are the citations of a text.
	Citations json.RawMessage `json:"citations,omitzero"`
	// Call is the id of a call.
	Call string `json:"call,omitzero"`
	// Raw is a block of any other kind.
	Raw json.RawMessage `json:"raw,omitzero"`
}

func (k keptBlock) withText(text string) []byte {
	raw := textBlock(text)
	if len(k.Citations) > 0 {
		raw = append(raw[:len(raw)-1], `,"citations":`...)
		raw = append(append(raw, k.Citations...), '}')
	}
	return raw
}

// textBytes returns the total length of the texts.
func (k *kept) textBytes() (n int) {
	for _, b := range k.Blocks {
		n += b.TextBytes
	}
	return n
}

func isThinking(raw []byte) bool {
	kind := lenientjson.Decode[struct{ Type string }](raw).Type
	return kind == "thinking" || kind == "redacted_thinking"
}

// keptIn returns the kept form of a reply, or nil if none of it is sent. That is so if it comes from
// another model or host, the user disabled it, or the endpoint has refused it.
func keptIn(c *history.Content, r *request) *kept {
	if r.Replay == llm.ReplayNever || r.dialect.NoThinking {
		return nil
	}
	for _, t := range entries.BlocksOf[*history.Thinking](c.Blocks) {
		if !t.Attached.IsFrom(r.Model, r.host) || t.Attached.Field != fieldMessages || r.dialect.Forgotten.Has(t.Attached) {
			continue
		}
		var k kept
		if json.Unmarshal(t.Attached.Data, &k) == nil {
			k.digest = entries.Digest(t.Attached)
			return &k
		}
	}
	return nil
}

// dropVoid omits thinking that the API would refuse, and stores the oldest remaining thinking. If bound is
// set, the API accepts thinking only while everything before it is unchanged. So dropVoid omits all thinking
// after a change. It also omits thinking that was not part of the request for the newest reply.
func (c *conversation) dropVoid(bound bool) {
	var thought []*kept
	for _, m := range c.messages {
		for _, b := range m.blocks {
			if k := b.thinking; k != nil && (k.valid || !bound) && (len(thought) == 0 || thought[len(thought)-1] != k) {
				thought = append(thought, k)
			}
		}
	}
	if bound && len(thought) > 0 {
		thought = seenBy(thought)
	}
	sent := map[*kept]bool{}
	for _, k := range thought {
		sent[k] = true
	}
	if len(thought) > 0 {
		c.first = thought[0].digest
	}
	for i := range c.messages {
		m := &c.messages[i]
		left := m.blocks[:0]
		for _, b := range m.blocks {
			if b.thinking == nil || sent[b.thinking] {
				left = append(left, b)
			}
		}
		m.blocks = left
	}
}

// seenBy returns the thinking that was in the request for the newest reply, from the oldest on. If none
// of it remains, the server has removed thinking from the beginning, and seenBy returns all.
func seenBy(thought []*kept) []*kept {
	newest := thought[len(thought)-1]
	if newest.First == "" {
		return thought[len(thought)-1:]
	}
	for i, k := range thought {
		if k.digest == newest.First {
			return thought[i:]
		}
	}
	return thought
}

// pack returns the attachment for a reply. It returns nil if the entry contains everything.
func (r *reply) pack() *history.Attachment {
	k := kept{origin: r.origin}
	special := false
	for _, b := range r.blocks {
		switch {
		case b.kind == kindText && b.text.Len() == 0:
		case b.kind == kindText:
			special = special || len(b.citations) > 0
			k.Blocks = append(k.Blocks, keptBlock{TextBytes: b.text.Len(), Citations: b.allCitations()})
		case b.kind == kindCall:
			k.Blocks = append(k.Blocks, keptBlock{Call: b.id})
		default:
			special = true
			k.Blocks = append(k.Blocks, keptBlock{Raw: b.raw()})
		}
	}
	if !special {
		return nil
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(k) != nil {
		return nil // a block that is not JSON cannot be sent again
	}
	return &history.Attachment{
		Model: r.req.Model, Host: r.req.host, Wanted: true, Field: fieldMessages, Data: bytes.TrimSpace(data.Bytes()),
	}
}
