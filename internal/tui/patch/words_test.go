package patch

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// marked returns both lines with the changed words in brackets.
func marked(a, b string) (string, string) {
	old, changed := line{kind: '-', text: a}, line{kind: '+', text: b}
	pair(&old, &changed)
	show := func(l line) string {
		text := l.text
		for _, r := range slices.Backward(l.words) {
			text = text[:r.From] + "[" + text[r.From:r.To] + "]" + text[r.To:]
		}
		return text
	}
	return show(old), show(changed)
}

// Each changed word is marked separately, and not the whole range from the first to the last.
func TestSeveralChangedWords(t *testing.T) {
	t.Parallel()
	for _, tc := range [][4]string{
		{"line 3 of file 0", "line three of file 0, round 0", "line [3] of file 0", "line [three] of file 0[, round 0]"},
		{"x.Foo(1).Bar(2)", "y.Foo(1).Bar(3)", "[x].Foo(1).Bar([2])", "[y].Foo(1).Bar([3])"},
		{"return a, nil // the answer", "return b, err // the answer", "return [a, nil] // the answer", "return [b, err] // the answer"},
		{"one two", "three four", "one two", "three four"},
		{"a  b", "a b", "a [ ]b", "a b"},
		{"für größe", "für grösse", "für [größe]", "für [grösse]"},
	} {
		if was, is := marked(tc[0], tc[1]); was != tc[2] || is != tc[3] {
			t.Errorf("%q -> %q: %q -> %q", tc[0], tc[1], was, is)
		}
	}
}

// Without their marked parts the lines are equal, or nothing is marked.
func TestUnmarkedPartsAreEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab,. é]{0,30}`)
		old, changed := line{text: text.Draw(t, "old")}, line{text: text.Draw(t, "new")}
		pair(&old, &changed)
		if old.words == nil && changed.words == nil {
			return
		}
		rest := func(l line) string {
			var b strings.Builder
			at := 0
			for _, r := range l.words {
				b.WriteString(l.text[at:r.From])
				at = r.To
			}
			b.WriteString(l.text[at:])
			return strings.Map(func(r rune) rune {
				if partOfWord(r) {
					return r
				}
				return -1
			}, b.String())
		}
		if a, b := rest(old), rest(changed); a != b {
			t.Fatalf("%q and %q are left of %q %v and %q %v", a, b, old.text, old.words, changed.text, changed.words)
		}
	})
}
