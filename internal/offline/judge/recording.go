package judge

import (
	"strings"

	"agent/internal/compression"
	"agent/internal/history"
)

// A Recording contains the needs of a span of a recorded conversation, reply by reply.
type Recording struct {
	Replies []Reply
	// Parts lists the units of the conversation, in order.
	Parts []compression.RecordedUnit

	// words maps the rare words that replies use to their numbers.
	words map[string]int32
	// views maps the positions of answers to the parts of files that they show.
	views map[history.Ref]*view
}

// Reply contains the needs of one reply.
type Reply struct {
	// Quotes lists the texts that its edits quote.
	Quotes []Quote
	// Rare lists the numbers of the rare words that the reply uses. Named is the number of its words that were in the
	// request.
	Rare  []int32
	Named int
}

// Quote is a text that an edit quotes.
type Quote struct {
	compression.EditQuote
	// Shown is set if the recorded conversation contained the text before the edit.
	Shown bool
	// Source is the text of the part from which the quote would be read again: the shortest answer that
	// contained it, or otherwise the shortest text of the model.
	Source string
}

// New reads a conversation that was never pruned.
func New(entries []*history.Content, o compression.EngineOptions) *Recording {
	parts, quotes := compression.RecordedUnits(entries, o)
	replies := 0
	for _, entry := range entries {
		if entry.Speaker == history.AI {
			replies++
		}
	}
	r := &Recording{Replies: make([]Reply, replies), Parts: parts, words: map[string]int32{}, views: map[history.Ref]*view{}}
	for _, p := range r.Parts {
		if p.Path != "" {
			r.views[history.Ref{Entry: p.Entry, Block: p.Block}] = &view{p.Path, p.From, p.To}
		}
	}
	for _, q := range quotes {
		reply := &r.Replies[q.Reply]
		reply.Quotes = append(reply.Quotes, r.quote(q))
	}
	r.findWords()
	return r
}

// quote finds the parts that contained the quoted text of an edit.
func (r *Recording) quote(q compression.EditQuote) Quote {
	found := Quote{EditQuote: q}
	source := -1
	for at := range r.Parts {
		p := &r.Parts[at]
		if p.Request > q.Reply {
			break
		}
		if !strings.Contains(p.Text, q.Text) {
			continue
		}
		found.Shown = true
		if source < 0 || better(p, &r.Parts[source]) {
			source = at
		}
	}
	if found.Shown {
		found.Source = r.Parts[source].Text
	}
	return found
}

// better reports whether a quote would be read again from a rather than from b. Answers are preferred
// to texts that the model wrote, and shorter texts to longer ones.
func better(a, b *compression.RecordedUnit) bool {
	if a.Written != b.Written {
		return b.Written
	}
	return a.Tokens < b.Tokens
}

// findWords finds the rare words of each reply.
func (r *Recording) findWords() {
	held, read := map[string]bool{}, 0 // the words so far, and whether a part that never changes has them
	for k := range r.Replies {
		for ; read < len(r.Parts) && r.Parts[read].Request <= k; read++ {
			for word := range compression.NameWords(r.Parts[read].Text) {
				held[word] = held[word] || r.Parts[read].Fixed
			}
		}
		reply, seen := &r.Replies[k], map[string]bool{}
		for at := read; at < len(r.Parts) && r.Parts[at].Request == k+1; at++ {
			if !r.Parts[at].Written {
				continue
			}
			for word := range compression.NameWords(r.Parts[at].Text) {
				fixed, known := held[word]
				if !known || seen[word] {
					continue
				}
				seen[word] = true
				reply.Named++
				if !fixed {
					reply.Rare = append(reply.Rare, r.number(word))
				}
			}
		}
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
