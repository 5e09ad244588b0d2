package judge

import (
	"strings"

	"agent/internal/compression/cacheaware"
	"agent/internal/history"
)

// Recording is what a stretch of a recorded conversation needed, reply by reply.
type Recording struct {
	Replies []Reply

	parts []cacheaware.Part
	// words numbers the rare words that replies use.
	words map[string]int32
	// views are the parts of files that answers show, by where they are.
	views map[history.Ref]*view
}

// Reply is what one reply needed of the request it answered.
type Reply struct {
	// Quotes are what its edits quote.
	Quotes []Quote
	// Rare is how many rare words it uses, Named how many words that stood in the
	// request.
	Rare, Named int

	rare []rareWord
}

// Quote is a text that an edit quotes.
type Quote struct {
	cacheaware.Quote
	// Shown says that the recorded conversation showed it.
	Shown bool
	// Source is the shortest text that showed it, for reading it again.
	Source string

	newest int // the part that showed it last
	fixed  bool
}

// rareWord is a rare word and the newest part that holds it.
type rareWord struct {
	word   int32
	newest int
}

// New reads a conversation nothing was pruned of.
func New(entries []*history.Content, o cacheaware.Options) *Recording {
	engine := cacheaware.New(o)
	for _, entry := range entries {
		engine.Add(entry)
	}
	replies := 0
	for _, entry := range entries {
		if entry.Speaker == history.AI {
			replies++
		}
	}
	r := &Recording{Replies: make([]Reply, replies), parts: engine.Recorded(), words: map[string]int32{}, views: map[history.Ref]*view{}}
	for _, p := range r.parts {
		if p.Path != "" {
			r.views[history.Ref{Entry: p.Entry, Block: p.Block}] = &view{p.Path, p.From, p.To}
		}
	}
	for _, q := range engine.Quotes() {
		reply := &r.Replies[q.Reply]
		reply.Quotes = append(reply.Quotes, r.quote(q))
	}
	r.findWords()
	return r
}

// Found are the answers of commands and searches.
func (r *Recording) Found() []cacheaware.Part {
	var found []cacheaware.Part
	for _, p := range r.parts {
		if p.Found {
			found = append(found, p)
		}
	}
	return found
}

// quote finds out what showed the text of an edit.
func (r *Recording) quote(q cacheaware.Quote) Quote {
	found := Quote{Quote: q}
	source := -1
	for at := range r.parts {
		p := &r.parts[at]
		if p.Request > q.Reply {
			break
		}
		if !strings.Contains(p.Text, q.Text) {
			continue
		}
		found.Shown, found.newest, found.fixed = true, at, found.fixed || p.Fixed
		if source < 0 || better(p, &r.parts[source]) {
			source = at
		}
	}
	if found.Shown {
		found.Source = r.parts[source].Text
	}
	return found
}

// better reports whether a text would be read again from a rather than from b:
// answers before what the model wrote, then the shorter.
func better(a, b *cacheaware.Part) bool {
	if a.Written != b.Written {
		return b.Written
	}
	return a.Tokens < b.Tokens
}

// findWords notes of each reply the rare words it uses.
func (r *Recording) findWords() {
	type holder struct {
		newest int
		fixed  bool
	}
	held, read := map[string]holder{}, 0
	for k := range r.Replies {
		for ; read < len(r.parts) && r.parts[read].Request <= k; read++ {
			for word := range cacheaware.Names(r.parts[read].Text) {
				held[word] = holder{read, held[word].fixed || r.parts[read].Fixed}
			}
		}
		reply, seen := &r.Replies[k], map[string]bool{}
		for at := read; at < len(r.parts) && r.parts[at].Request == k+1; at++ {
			if !r.parts[at].Written {
				continue
			}
			for word := range cacheaware.Names(r.parts[at].Text) {
				h, known := held[word]
				if !known || seen[word] {
					continue
				}
				seen[word] = true
				reply.Named++
				if !h.fixed {
					reply.rare = append(reply.rare, rareWord{r.number(word), h.newest})
				}
			}
		}
		reply.Rare = len(reply.rare)
	}
}

func (r *Recording) number(word string) int32 {
	n, known := r.words[word]
	if !known {
		n = int32(len(r.words))
		r.words[word] = n
	}
	return n
}
