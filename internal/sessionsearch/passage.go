package sessionsearch

import (
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/base/humanize"
)

// longestPassage limits a passage, in characters.
const longestPassage = 200

// A Passage is the part of a text that contains the matching words, on one line.
type Passage struct {
	Text string
	// Marks are the positions of the words that match, as begin and end in bytes.
	Marks [][2]int
}

// MarkedText returns the passage with marks around the words that match.
func (p Passage) MarkedText() string {
	var b strings.Builder
	at := 0
	for _, m := range p.Marks {
		b.WriteString(p.Text[at:m[0]] + "«" + p.Text[m[0]:m[1]] + "»")
		at = m[1]
	}
	return b.String() + p.Text[at:]
}

// passage returns the passage of a text that contains the most wanted words.
func (q *Query) passage(text string) Passage {
	wanted := q.wanted()
	type place struct{ word, begin, end int }
	var places []place
	eachWord(text, func(word []byte, begin, end int) {
		if i := slices.IndexFunc(wanted, func(w string) bool { return matches(word, w) }); i >= 0 {
			places = append(places, place{i, begin, end})
		}
	})
	// best is the window with the most different words, or the first of several such windows. Each window
	// begins with a match.
	best, most := 0, 0
	for i, first := range places {
		in := map[int]bool{}
		for _, p := range places[i:] {
			if p.end-first.begin > longestPassage*3/4 {
				break
			}
			in[p.word] = true
		}
		if len(in) > most {
			best, most = i, len(in)
		}
		if most == len(wanted) || i > mostWindows {
			break
		}
	}
	begin, lead := 0, ""
	if len(places) > 0 && places[best].begin > longestPassage/4 {
		begin, lead = places[best].begin-longestPassage/4, "… "
		for !utf8.RuneStart(text[begin]) {
			begin++
		}
		if blank := strings.IndexAny(text[begin:places[best].begin], " \t\n"); blank >= 0 {
			begin += blank
		}
	}
	p := Passage{Text: humanize.Line(lead+text[begin:], longestPassage)}
	eachWord(p.Text, func(word []byte, begin, end int) {
		if slices.ContainsFunc(wanted, func(w string) bool { return matches(word, w) }) {
			p.Marks = append(p.Marks, [2]int{begin, end})
		}
	})
	return p
}

// mostWindows limits how many windows are compared in a long text.
const mostWindows = 2000

// wanted returns all words to mark in a text that was found.
func (q *Query) wanted() []string {
	wanted := slices.Clone(q.words)
	for _, p := range q.phrases {
		if !p.absent {
			wanted = append(wanted, p.words...)
		}
	}
	return wanted
}
