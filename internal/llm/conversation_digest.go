package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"

	"agent/internal/history"
)

// pastLength is the length of a stored digest in bytes. A short digest is enough, because a
// collision helps no attacker.
const pastLength = 12

// ConversationDigest returns a digest of a request: of its tools, its system prompt and its
// conversation with the sent reasoning. It is stored with the reply to the request
// (history.Attachment.Past).
func ConversationDigest(req Request) string {
	return walk(req, func(int, *history.Thinking, string) bool { return true })
}

// DropVoidReasoning returns a request without void reasoning, and the replies from which it was removed.
// Reasoning is void if the conversation before the reply has changed since. A model whose reasoning is
// bound to the conversation refuses void reasoning, or drops it silently.
func DropVoidReasoning(req Request) (Request, []*history.Content) {
	void := map[int]bool{}
	walk(req, func(entry int, t *history.Thinking, past string) bool {
		void[entry] = void[entry] || t.Attached.Past != past
		return !void[entry]
	})
	var replies []*history.Content
	for i, is := range void {
		if !is {
			continue
		}
		if replies = append(replies, req.History[i]); len(replies) == 1 {
			req.History = slices.Clone(req.History)
		}
		blocks := slices.Clone(req.History[i].Blocks)
		for j, b := range blocks {
			if t, ok := b.(*history.Thinking); ok && t.Attached != nil {
				edited, attached := *t, *t.Attached
				attached.Void = true
				edited.Attached = &attached
				blocks[j] = &edited
			}
		}
		req.History[i] = req.History[i].WithBlocks(blocks)
	}
	return req, replies
}

// walk visits a request in the order in which the model reads it, and returns its digest. It calls
// reasoning with each block of reasoning that may be sent, and the digest of everything before its
// reply. reasoning reports whether the block is sent.
func walk(req Request, reasoning func(entry int, t *history.Thinking, past string) bool) string {
	w := pastWriter{sha256.New()}
	w.add(req.Model, req.System)
	for _, t := range req.Tools {
		w.add(t.Name, t.Description, string(t.Schema))
	}
	for i, entry := range req.History {
		past := ""
		if entry.Speaker == history.AI {
			past = w.digest()
		}
		w.add(string(entry.Speaker))
		for _, b := range entry.Blocks {
			w.block(b, func(t *history.Thinking) bool {
				return t.Attached != nil && !t.Attached.Void && t.Attached.Model == req.Model && req.Replay != ReplayNever && reasoning(i, t, past)
			})
		}
	}
	return w.digest()
}

type pastWriter struct{ sum hash.Hash }

func (w pastWriter) add(texts ...string) {
	for _, text := range texts {
		_, _ = io.WriteString(w.sum, text)
		_, _ = w.sum.Write([]byte{0})
	}
}

func (w pastWriter) digest() string { return hex.EncodeToString(w.sum.Sum(nil)[:pastLength]) }

func (w pastWriter) block(b history.Block, sent func(*history.Thinking) bool) {
	switch b := b.(type) {
	case *history.Thinking:
		if sent(b) {
			w.add(b.Kind(), string(b.Attached.Data))
		}
	case *history.Text:
		w.add(b.Kind(), b.Text)
	case *history.ToolCall:
		w.add(b.Kind(), b.ID, b.Name, string(b.Parameters))
	case *history.ToolResponse:
		w.add(b.Kind(), b.CallID, b.Result.Text(), b.Error)
	case *history.Media:
		w.add(b.Kind(), b.MimeType, b.Data)
	}
}
