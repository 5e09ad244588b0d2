package offline

import (
	"slices"
	"time"

	"agent/internal/history"
	"agent/internal/llm/vendor"
)

// requests simulates a provider's cache. It computes how much of each request is in the cache, given
// the previous requests.
type requests struct {
	counter history.Counter
	service *history.Service
	cache   vendor.Cache

	previous []*history.Content
	at       time.Time
	// ends contains the cached prefixes of a provider that caches up to marks.
	ends []markedEnd
}

// sentRequest describes a request: its size, its entries with their sizes, the number of entries
// up to the free mark, and the time at which it is sent.
type sentRequest struct {
	total   int
	entries []*history.Content
	tokens  []int
	mark    int
	at      time.Time
}

// A markedEnd is the prefix of a request up to a mark, with the time of its latest use.
type markedEnd struct {
	entries []*history.Content
	used    time.Time
}

// cachedTokens returns how many tokens of a request are in the provider's cache.
func (r *requests) cachedTokens(s sentRequest) int {
	cached := 0
	switch {
	case r.cache.Kind == vendor.CacheNone:
	case r.cache.Kind == vendor.CacheMarks:
		cached = r.markedTokens(s)
	case r.warm(s.at):
		cached = r.commonPrefix(s)
	}
	r.previous, r.at = s.entries, s.at
	return r.cache.Whole(cached)
}

// warm reports whether the cache can still contain the previous request.
func (r *requests) warm(at time.Time) bool { return !r.at.IsZero() && r.cache.Alive(at.Sub(r.at)) }

// head returns the size of the part before the entries, in tokens.
func (s sentRequest) head() int {
	head := s.total
	for _, n := range s.tokens {
		head -= n
	}
	return head
}

// markedTokens returns the tokens up to the latest cached mark that is found from a mark of this
// request. It stores the ends of the request's own marks. The head is always marked.
func (r *requests) markedTokens(s sentRequest) int {
	r.ends = slices.DeleteFunc(r.ends, func(end markedEnd) bool { return !r.cache.Alive(s.at.Sub(end.used)) })
	marks, best := s.marks(r.cache.Ends), 0
	for i, end := range r.ends {
		if n := len(end.entries); n > best && n <= len(s.entries) && slices.Equal(end.entries, s.entries[:n]) && s.isReached(marks, n, r.cache.Reach) {
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

// marks returns the marks of a request, each as the number of entries before it: the free mark, and the
// two latest entries that may have a mark.
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

// isReached reports whether one of the marks finds a cached prefix of this number of entries.
func (s sentRequest) isReached(marks []int, entries, reach int) bool {
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

// hold records that the cache now contains this prefix of a request.
func (r *requests) hold(entries []*history.Content, at time.Time) {
	for i, end := range r.ends {
		if slices.Equal(end.entries, entries) {
			r.ends[i].used = at
			return
		}
	}
	r.ends = append(r.ends, markedEnd{entries, at})
}

// commonPrefix returns the tokens of the longest common prefix with the previous request: the head
// (system prompt and tools never change), the equal entries, and the common prefix of the first entry
// that differs.
func (r *requests) commonPrefix(s sentRequest) int {
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

// commonBlocks returns the tokens of the common prefix of an entry and its earlier version.
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

// commonWords returns the common prefix of two versions of a block. It returns "" if the request
// differs before their texts.
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
