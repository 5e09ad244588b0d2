package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// editor is a line of text that may have several lines, and a cursor. It is pure:
// no keys, no colours, no screen. Positions are bytes, always between grapheme
// clusters; a long paste is one placeholder character, see pastes.
type editor struct {
	text   string
	cursor int
	pastes pastes
	// killed is what the latest Ctrl+K, Ctrl+U or Ctrl+W removed.
	killed string
}

// value is the text with long pastes in full.
func (e *editor) value() string { return e.pastes.expand(e.text) }

// empty reports whether there is no text.
func (e *editor) empty() bool { return e.text == "" }

// set replaces the text, the cursor at its end.
func (e *editor) set(text string) {
	e.text = cleanInput(text)
	e.cursor = len(e.text)
	e.pastes = nil
}

// insert puts typed text at the cursor.
func (e *editor) insert(text string) { e.put(cleanInput(text)) }

// insertPaste puts pasted text at the cursor, as a placeholder when it is long.
func (e *editor) insertPaste(text string) { e.put(e.pastes.insertion(text)) }

func (e *editor) put(text string) {
	e.text = e.text[:e.cursor] + text + e.text[e.cursor:]
	e.cursor += len(text)
	e.settle()
}

// settle moves the cursor to the end of the cluster it is in: text typed in pieces
// may join into one.
func (e *editor) settle() {
	if start := e.floor(e.cursor); start < e.cursor {
		e.cursor = e.after(start)
	}
}

// floor is the start of the cluster that position at is in, or at itself between
// clusters.
func (e *editor) floor(at int) int {
	start := strings.LastIndexByte(e.text[:at], '\n') + 1
	for start < at {
		next := e.after(start)
		if next > at {
			break
		}
		start = next
	}
	return start
}

// clusterLength is the length of the grapheme cluster s begins with. A line end
// is one by itself.
func clusterLength(s string) int {
	if s == "" {
		return 0
	}
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1
	}
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(1, len(cluster))
}

// before is the position one cluster before at.
func (e *editor) before(at int) int {
	if at <= 0 {
		return 0
	}
	return e.floor(at - 1)
}

// after is the position one cluster after at.
func (e *editor) after(at int) int { return at + clusterLength(e.text[at:]) }

func (e *editor) left()  { e.cursor = e.before(e.cursor) }
func (e *editor) right() { e.cursor = e.after(e.cursor) }

// lineStart and lineEnd bound the line the cursor is in.
func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.cursor], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.cursor:], '\n'); i >= 0 {
		return e.cursor + i
	}
	return len(e.text)
}

func (e *editor) home() { e.cursor = e.lineStart() }
func (e *editor) end()  { e.cursor = e.lineEnd() }

// wordLeft moves to the start of the word before the cursor.
func (e *editor) wordLeft() {
	skipped := strings.TrimRightFunc(e.text[:e.cursor], notWord)
	e.cursor = e.floor(len(strings.TrimRightFunc(skipped, isWord)))
}

// wordRight moves to the end of the word after the cursor.
func (e *editor) wordRight() {
	skipped := strings.TrimLeftFunc(e.text[e.cursor:], notWord)
	e.cursor = len(e.text) - len(strings.TrimLeftFunc(skipped, isWord))
	e.settle()
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_' || isPlaceholder(r)
}

func notWord(r rune) bool { return !isWord(r) }

// up and down move by a line and report false at the first and last one.
func (e *editor) up() bool {
	start := e.lineStart()
	if start == 0 {
		return false
	}
	column := textWidth(e.text[start:e.cursor])
	e.cursor = start - 1
	e.toColumn(column)
	return true
}

func (e *editor) down() bool {
	end := e.lineEnd()
	if end == len(e.text) {
		return false
	}
	column := textWidth(e.text[e.lineStart():e.cursor])
	e.cursor = end + 1
	e.toColumn(column)
	return true
}

// toColumn moves along the cursor's line to a column, or to its end.
func (e *editor) toColumn(column int) {
	at, end := e.lineStart(), e.lineEnd()
	for used := 0; at < end; {
		next := e.after(at)
		used += textWidth(e.text[at:next])
		if used > column {
			break
		}
		at = next
	}
	e.cursor = at
}

// backspace and del remove the cluster before and after the cursor.
func (e *editor) backspace() { e.remove(e.before(e.cursor), e.cursor) }
func (e *editor) del()       { e.remove(e.cursor, e.after(e.cursor)) }

// The killing keys remove and remember.
func (e *editor) killWord() {
	end := e.cursor
	head := strings.TrimRightFunc(e.text[:end], unicode.IsSpace)
	e.kill(e.floor(len(strings.TrimRightFunc(head, func(r rune) bool { return !unicode.IsSpace(r) }))), end)
}

func (e *editor) killWordRight() {
	start := e.cursor
	e.wordRight()
	e.kill(start, e.cursor)
}

func (e *editor) killToStart() { e.kill(e.lineStart(), e.cursor) }

func (e *editor) killToEnd() {
	end := e.lineEnd()
	if end == e.cursor {
		end = e.after(end)
	}
	e.kill(e.cursor, end)
}

func (e *editor) yank() { e.put(e.killed) }

func (e *editor) kill(from, to int) {
	if from < to {
		e.killed = e.text[from:to]
	}
	e.remove(from, to)
}

func (e *editor) remove(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.cursor = from
	e.settle()
}

// replace puts text in place of what is between from and the cursor.
func (e *editor) replace(from int, text string) {
	e.remove(from, e.cursor)
	e.insert(text)
}
