package offline

import (
	"slices"
	"time"

	"agent/internal/compression/cacheaware"
	"agent/internal/history"
)

// requests simulates a provider's cache: it says how much of each request the provider
// finds there, by what was sent before.
type requests struct {
	counter history.Counter
	service *history.Service
	cache   cacheaware.Cache

	previous []*history.Content
	at       time.Time
	// ends are what a provider that is asked by marks holds.
	ends []markedEnd
}

// sentRequest is a request: its size, its entries with theirs, how many of them are up to
// the free mark, and when it is sent.
type sentRequest struct {
	total   int
	entries []*history.Content
	tokens  []int
	mark    int
	at      time.Time
}

// markedEnd is the beginning of a request up to a mark, and when it was used last.
type markedEnd struct {
	entries []*history.Content
	used    time.Time
}

// cached returns what of a request the provider finds.
func (r *requests) cached(s sentRequest) int {
	cached := 0
	switch {
	case r.cache.Kind == cacheaware.CacheNone:
	case r.cache.Kind == cacheaware.CacheMarks:
		cached = r.marked(s)
	case r.warm(s.at):
		cached = r.common(s)
	}
	r.previous, r.at = s.entries, s.at
	return cached - cached%max(1, r.cache.Step)
}

// warm reports whether the request before can still be held.
func (r *requests) warm(at time.Time) bool { return !r.at.IsZero() && r.cache.Alive(at.Sub(r.at)) }

// head is the size of what is before the entries.
func (s sentRequest) head() int {
	head := s.total
	for _, n := range s.tokens {
		head -= n
	}
	return head
}

// marked returns the tokens up to the latest end of an earlier mark that is found from a
// mark of this request, and notes the ends of its own. The head is always marked.
func (r *requests) marked(s sentRequest) int {
	r.ends = slices.DeleteFunc(r.ends, func(end markedEnd) bool { return !r.cache.Alive(s.at.Sub(end.used)) })
	marks, best := s.marks(r.cache.Ends), 0
	for i, end := range r.ends {
		if n := len(end.entries); n > best && n <= len(s.entries) && slices.Equal(end.entries, s.entries[:n]) && s.reached(marks, n, r.cache.Reach) {
			best = n
			r.ends[i].used = s.at
		}
	}
	found := 0
	if r.warm(s.at) {
		found = s.head()
		for _, n := range s.tokens[:best] {
			found += n
		}
	}
	for _, mark := range marks {
		r.hold(s.entries[:mark], s.at)
	}
	return found
}

// marks are where a request is marked, as the number of entries up to there: the free mark,
// and the two latest entries that may have one.
func (s sentRequest) marks(ends bool) []int {
	var marks []int
	most := 2
	if ends {
		most = 1
	} else if s.mark > 0 {
		marks = append(marks, s.mark)
	}
	for i := len(s.entries); i > 0 && most > 0; i-- {
		if s.entries[i-1].Speaker != history.AI {
			marks = append(marks, i)
			most--
		}
	}
	return marks
}

// reached reports whether one of the marks finds what ended with so many entries.
func (s sentRequest) reached(marks []int, entries, reach int) bool {
	return slices.ContainsFunc(marks, func(mark int) bool {
		if mark < entries {
			return false
		}
		blocks := 0
		for _, e := range s.entries[entries:mark] {
			blocks += len(e.Blocks)
		}
		return blocks == 0 || blocks < reach
	})
}

// hold notes that what a request begins with is held.
func (r *requests) hold(entries []*history.Content, at time.Time) {
	for i, end := range r.ends {
		if slices.Equal(end.entries, entries) {
			r.ends[i].used = at
			return
		}
	}
	r.ends = append(r.ends, markedEnd{entries, at})
}

// common returns the tokens of the longest common prefix with the request before:
// the head (system prompt and tools never change), the entries that are the same,
// and what two versions of the next entry share.
func (r *requests) common(s sentRequest) int {
	shared := s.head()
	for i, e := range s.entries {
		switch {
		case i == len(r.previous):
			return shared
		case r.previous[i] != e:
			return shared + r.commonBlocks(r.previous[i], e)
		}
		shared += s.tokens[i]
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
