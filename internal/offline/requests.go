package offline

import (
	"agent/internal/history"
)

// requests keeps the prefix-cache account: what of each request a provider had
// seen in the one before.
type requests struct {
	counter  history.Counter
	service  *history.Service
	previous []*history.Content
	sent     bool
}

// cached returns what of a request of total tokens the provider holds; of a cold one
// nothing.
func (r *requests) cached(total int, entries []*history.Content, tokens []int, cold bool) int {
	cached := 0
	if r.sent && !cold {
		cached = r.common(total, entries, tokens)
	}
	r.previous, r.sent = entries, true
	return cached
}

// common returns the tokens of the longest common prefix with the request before:
// the head (system prompt and tools never change), the entries that are the same,
// and what two versions of the next entry share.
func (r *requests) common(total int, entries []*history.Content, tokens []int) int {
	shared := total
	for _, n := range tokens {
		shared -= n
	}
	for i, e := range entries {
		switch {
		case i == len(r.previous):
			return shared
		case r.previous[i] != e:
			return shared + r.commonBlocks(r.previous[i], e)
		}
		shared += tokens[i]
	}
	return shared
}

// commonBlocks returns the tokens at which an entry and the one that stood in its
// place begin alike.
func (r *requests) commonBlocks(before, after *history.Content) int {
	if before.Speaker != after.Speaker {
		return 0
	}
	shared := 0
	for i := range min(len(before.Blocks), len(after.Blocks)) {
		if before.Blocks[i] != after.Blocks[i] {
			return shared + r.counter.Count(commonWords(before.Blocks[i], after.Blocks[i]))
		}
		shared += r.service.CountBlocks(after.Blocks[i : i+1])
	}
	return shared
}

// commonWords returns what two blocks in one place begin with, if the request
// reads alike up to there.
func commonWords(before, after history.Block) string {
	switch b := before.(type) {
	case *history.Text:
		if a, ok := after.(*history.Text); ok {
			return commonPrefix(b.Text, a.Text)
		}
	case *history.ToolCall:
		if a, ok := after.(*history.ToolCall); ok && a.ID == b.ID && a.Name == b.Name {
			return b.Name + commonPrefix(string(b.Parameters), string(a.Parameters))
		}
	case *history.ToolResponse:
		if a, ok := after.(*history.ToolResponse); ok && a.CallID == b.CallID {
			return commonPrefix(b.Result.Text(), a.Result.Text())
		}
	}
	return ""
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
