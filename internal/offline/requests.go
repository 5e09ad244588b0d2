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
	// counts memoises the entries' tokens: a recording is summed once a request.
	counts map[*history.Content]int
}

// add accounts for one request of total tokens.
func (r *requests) add(a *Account, total int, entries []*history.Content) {
	a.Requests++
	a.TotalInput += total
	a.PeakInput = max(a.PeakInput, total)
	if r.sent {
		a.CachedInput += r.common(total, entries)
	}
	r.previous, r.sent = entries, true
}

// common returns the tokens of the longest common prefix with the request before:
// the head (system prompt and tools never change), the entries that are the same,
// and the words two edited versions of the next entry share.
func (r *requests) common(total int, entries []*history.Content) int {
	body, shared := 0, 0
	same := true
	for i, e := range entries {
		tokens := r.count(e)
		body += tokens
		if !same {
			continue
		}
		if i < len(r.previous) && r.previous[i] == e {
			shared += tokens
			continue
		}
		same = false
		if i < len(r.previous) {
			shared += r.commonWords(r.previous[i], e)
		}
	}
	return total - body + shared
}

func (r *requests) count(e *history.Content) int {
	tokens, known := r.counts[e]
	if !known {
		tokens = r.service.CountContent(e)
		r.counts[e] = tokens
	}
	return tokens
}

func (r *requests) commonWords(a, b *history.Content) int {
	left, _ := a.MarshalJSON()
	right, _ := b.MarshalJSON()
	n := 0
	for n < len(left) && n < len(right) && left[n] == right[n] {
		n++
	}
	return r.counter.Count(string(left[:n]))
}
