package vim

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/tui/edit"
)

// text is the edited text as a list of characters with indexes from 0.
type text struct {
	all string
	// at holds the position of each character in bytes, and the end of the text.
	at []int
}

func textOf(e *edit.Editor) text { return text{e.Text, e.CursorStops()} }

func (t text) len() int { return len(t.at) - 1 }

// index returns the index of the character at a position in bytes.
func (t text) index(at int) int { return min(sort.SearchInts(t.at, at), t.len()) }

func (t text) char(i int) string {
	if i < 0 || i >= t.len() {
		return ""
	}
	return t.all[t.at[i]:t.at[i+1]]
}

func (t text) breaks(i int) bool { return t.char(i) == "\n" }

// lineStart and lineEnd return the bounds of a character's line. The end is the position of its line break.
func (t text) lineStart(i int) int {
	for i > 0 && !t.breaks(i-1) {
		i--
	}
	return i
}

func (t text) lineEnd(i int) int {
	for i < t.len() && !t.breaks(i) {
		i++
	}
	return i
}

// indent returns the first character of i's line that is not blank.
func (t text) indent(i int) int {
	i = t.lineStart(i)
	for i < t.len() && t.class(i, false) == blank && !t.breaks(i) {
		i++
	}
	return i
}

// emptyLine reports whether i is on a line without characters.
func (t text) emptyLine(i int) bool {
	return (i == t.len() || t.breaks(i)) && (i == 0 || t.breaks(i-1))
}

// rest returns the nearest position that is allowed for the cursor in normal mode, which is on a character.
func (t text) rest(i int) int {
	i = max(0, min(i, t.len()))
	if i > 0 && (i == t.len() || t.breaks(i)) && !t.breaks(i-1) {
		i--
	}
	return i
}

// The classes of characters. Adjacent characters of one class form a word.
const (
	blank = iota
	letter
	sign
)

// class returns the class of a character. If big is set, all characters except blanks have the same class.
func (t text) class(i int, big bool) int {
	r, _ := utf8.DecodeRuneInString(t.char(i))
	switch {
	case unicode.IsSpace(r):
		return blank
	case big || r == '_' || r >= edit.FirstPlaceholder || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return letter
	}
	return sign
}

// nextWord returns the start of the word after i.
func (t text) nextWord(i int, big bool) int {
	for class := t.class(i, big); class != blank && i < t.len() && t.class(i, big) == class; {
		i++
	}
	for from := i; i < t.len() && t.class(i, big) == blank; i++ {
		if i > from && t.emptyLine(i) {
			break
		}
	}
	return i
}

// wordEnd returns the last character of the word that ends after i.
func (t text) wordEnd(i int, big bool) int {
	for i++; i < t.len() && t.class(i, big) == blank; {
		i++
	}
	for i+1 < t.len() && t.class(i+1, big) == t.class(i, big) {
		i++
	}
	return min(i, t.len())
}

// wordStart returns the start of the word that begins before i.
func (t text) wordStart(i int, big bool) int {
	for i--; i > 0 && t.class(i, big) == blank && !t.emptyLine(i); {
		i--
	}
	for i > 0 && t.class(i, big) != blank && t.class(i-1, big) == t.class(i, big) {
		i--
	}
	return max(0, i)
}

// endBefore returns the end of the word before i.
func (t text) endBefore(i int, big bool) int {
	for class := t.class(i, big); i > 0 && class != blank && i < t.len() && t.class(i, big) == class; {
		i--
	}
	for i = min(i, t.len()-1); i > 0 && t.class(i, big) == blank; {
		i--
	}
	return max(0, i)
}

// paragraph returns the next empty line after i (by is 1) or before i (by is -1). If there is none, it
// returns the end or the start of the text.
func (t text) paragraph(i, by int) int {
	for i+by >= 0 && i+by <= t.len() && t.emptyLine(i) {
		i += by
	}
	for i+by >= 0 && i+by <= t.len() && !t.emptyLine(i) {
		i += by
	}
	return i
}

var brackets = []string{"()", "[]", "{}", "<>"}

// pair finds the first bracket at or after i in its line, and returns the matching bracket.
func (t text) pair(i int) (int, bool) {
	for end := t.lineEnd(i); i < end; i++ {
		for _, b := range brackets[:3] {
			switch t.char(i) {
			case b[:1]:
				return t.match(i, 1, b[:1], b[1:])
			case b[1:]:
				return t.match(i, -1, b[1:], b[:1])
			}
		}
	}
	return i, false
}

// match returns the bracket that matches the bracket at i. It searches in steps of by.
func (t text) match(i, by int, opens, closes string) (int, bool) {
	for depth := 0; i >= 0 && i < t.len(); i += by {
		switch t.char(i) {
		case opens:
			depth++
		case closes:
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// object returns the range of a text object around i. name is the object, such as w in iw or ( in a(.
// around is set for a.
func (t text) object(around bool, name string, i int) (from, to int, ok bool) {
	switch name {
	case "w", "W":
		return t.word(around, name == "W", i)
	case "p":
		return t.block(around, i)
	case `"`, "'", "`":
		return t.quoted(around, name, i)
	}
	for _, b := range brackets {
		if strings.Contains(b, name) || name == "b" && b == "()" || name == "B" && b == "{}" {
			return t.bracketed(around, b, i)
		}
	}
	return 0, 0, false
}

func (t text) word(around, big bool, i int) (from, to int, ok bool) {
	if i >= t.len() || t.breaks(i) {
		return i, i, false
	}
	same := func(at, of int) bool { return at >= 0 && at < t.len() && !t.breaks(at) && t.class(at, big) == of }
	class := t.class(i, big)
	for from = i; same(from-1, class); {
		from--
	}
	for to = i; same(to, class); {
		to++
	}
	if !around {
		return from, to, true
	}
	if class == blank {
		for next := t.class(to, big); same(to, next); {
			to++
		}
		return from, to, true
	}
	end := to
	for same(to, blank) {
		to++
	}
	for to == end && same(from-1, blank) {
		from--
	}
	return from, to, true
}

// block returns the range of a paragraph, in whole lines.
func (t text) block(around bool, i int) (from, to int, ok bool) {
	empty := t.emptyLine(t.lineStart(i))
	for from = t.lineStart(i); from > 0 && t.emptyLine(t.lineStart(from-1)) == empty; {
		from = t.lineStart(from - 1)
	}
	grow := func(empty bool) {
		for to < t.len() && t.emptyLine(to+1) == empty {
			to = t.lineEnd(to + 1)
		}
	}
	to = t.lineEnd(i)
	grow(empty)
	if around {
		grow(!empty)
	}
	return from, to, true
}

func (t text) quoted(around bool, quote string, i int) (from, to int, ok bool) {
	start, end, open := t.lineStart(i), t.lineEnd(i), -1
	for at := start; at < end; at++ {
		switch {
		case t.char(at) != quote || at > start && t.char(at-1) == `\`:
		case open < 0:
			open = at
		case at >= i:
			if around {
				return open, at + 1, true
			}
			return open + 1, at, true
		default:
			open = -1
		}
	}
	return 0, 0, false
}

func (t text) bracketed(around bool, pair string, i int) (from, to int, ok bool) {
	depth := 0
	for from = i; from >= 0; from-- {
		switch c := t.char(from); {
		case c == pair[1:] && from != i:
			depth++
		case c == pair[:1] && depth > 0:
			depth--
		case c == pair[:1]:
			to, ok = t.match(from, 1, pair[:1], pair[1:])
			if around {
				return from, to + 1, ok
			}
			return from + 1, to, ok
		}
	}
	return 0, 0, false
}
