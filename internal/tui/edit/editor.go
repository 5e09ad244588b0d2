// Package edit is the prompt as a value: the text, its cursor, what was pasted into
// it, and earlier prompts. It is pure: no keys, no colours, no screen.
package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/atcmd"
	"agent/internal/tui/style"
)

// Editor is a line of text that may have several lines, and a cursor. It is pure:
// no keys, no colours, no screen. Positions are bytes, always between grapheme
// clusters; a long paste is one placeholder character, see pastes.
type Editor struct {
	Text   string
	Cursor int
	Pastes pastes
	// Killed is what the latest Ctrl+K, Ctrl+U or Ctrl+W removed.
	Killed string

	// Selected looks different.
	Selected Selection
	changes  changes
}

// Value is the text with long pastes in full.
func (e *Editor) Value() string { return e.Pastes.expand(e.Text) }

// Message is the text as it is sent: what was pasted is data (D-46).
func (e *Editor) Message() atcmd.Message { return e.Pastes.message(e.Text) }

// Restore puts a message in place of the text, the cursor at its end.
func (e *Editor) Restore(message atcmd.Message) {
	e.Set("")
	for _, part := range message {
		switch {
		case part.Image != "":
			e.InsertImage(part.Text, part.Image)
		case part.Source != "":
			e.InsertPaste(part.Text)
		default:
			e.Insert(part.Text)
		}
	}
}

// Clear empties the editor; what was killed can still be yanked.
func (e *Editor) Clear() { *e = Editor{Killed: e.Pastes.expand(e.Killed)} }

// Empty reports whether there is no text.
func (e *Editor) Empty() bool { return e.Text == "" }

// Set replaces the text, the cursor at its end.
func (e *Editor) Set(text string) {
	e.Text = CleanInput(text)
	e.Cursor = len(e.Text)
	e.Pastes = nil
}

// Insert puts typed text at the cursor.
func (e *Editor) Insert(text string) { e.put(CleanInput(text)) }

// InsertPaste puts pasted text at the cursor, as a placeholder when it is long. It
// stays known as pasted: signs that mean something when they are typed do not
// (D-46).
func (e *Editor) InsertPaste(text string) {
	before := e.state()
	e.put(e.Pastes.insertion(text))
	e.record(before, false)
}

// InsertImage puts an image at the cursor. The text represents it.
func (e *Editor) InsertImage(text, path string) {
	before := e.state()
	e.put(e.Pastes.placeholder(paste{text: CleanInput(text), image: path}))
	e.record(before, false)
}

// InsertLong puts text at the cursor that somebody wrote, as a placeholder when it
// is long.
func (e *Editor) InsertLong(text string) { e.put(e.Pastes.long(text)) }

func (e *Editor) put(text string) {
	e.Text = e.Text[:e.Cursor] + text + e.Text[e.Cursor:]
	e.Cursor += len(text)
	e.settle()
}

// settle moves the cursor to the end of the cluster it is in: text typed in pieces
// may join into one.
func (e *Editor) settle() {
	if start := e.floor(e.Cursor); start < e.Cursor {
		e.Cursor = e.after(start)
	}
}

// floor is the start of the cluster that position at is in, or at itself between
// clusters.
func (e *Editor) floor(at int) int {
	start := strings.LastIndexByte(e.Text[:at], '\n') + 1
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
func (e *Editor) before(at int) int {
	if at <= 0 {
		return 0
	}
	return e.floor(at - 1)
}

// after is the position one cluster after at.
func (e *Editor) after(at int) int { return at + clusterLength(e.Text[at:]) }

// Left and Right move by a cluster.
func (e *Editor) Left()  { e.Cursor = e.before(e.Cursor) }
func (e *Editor) Right() { e.Cursor = e.after(e.Cursor) }

// lineStart and lineEnd bound the line the cursor is in.
func (e *Editor) lineStart() int { return strings.LastIndexByte(e.Text[:e.Cursor], '\n') + 1 }

func (e *Editor) lineEnd() int {
	if i := strings.IndexByte(e.Text[e.Cursor:], '\n'); i >= 0 {
		return e.Cursor + i
	}
	return len(e.Text)
}

func (e *Editor) Home() { e.Cursor = e.lineStart() }
func (e *Editor) End()  { e.Cursor = e.lineEnd() }

// WordLeft moves to the start of the word before the cursor.
func (e *Editor) WordLeft() {
	skipped := strings.TrimRightFunc(e.Text[:e.Cursor], notWord)
	e.Cursor = e.floor(len(strings.TrimRightFunc(skipped, isWord)))
}

// WordRight moves to the end of the word after the cursor.
func (e *Editor) WordRight() {
	skipped := strings.TrimLeftFunc(e.Text[e.Cursor:], notWord)
	e.Cursor = len(e.Text) - len(strings.TrimLeftFunc(skipped, isWord))
	e.settle()
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_' || isPlaceholder(r)
}

func notWord(r rune) bool { return !isWord(r) }

// Up and down move by a line and report false at the first and last one.
func (e *Editor) Up() bool {
	start := e.lineStart()
	if start == 0 {
		return false
	}
	column := style.Width(e.Text[start:e.Cursor])
	e.Cursor = start - 1
	e.toColumn(column)
	return true
}

func (e *Editor) Down() bool {
	end := e.lineEnd()
	if end == len(e.Text) {
		return false
	}
	column := style.Width(e.Text[e.lineStart():e.Cursor])
	e.Cursor = end + 1
	e.toColumn(column)
	return true
}

// toColumn moves along the cursor's line to a column, or to its end.
func (e *Editor) toColumn(column int) {
	at, end := e.lineStart(), e.lineEnd()
	for used := 0; at < end; {
		next := e.after(at)
		used += style.Width(e.Text[at:next])
		if used > column {
			break
		}
		at = next
	}
	e.Cursor = at
}

// Backspace and del remove the cluster before and after the cursor.
func (e *Editor) Backspace() { e.remove(e.before(e.Cursor), e.Cursor) }
func (e *Editor) Delete()    { e.remove(e.Cursor, e.after(e.Cursor)) }

// The killing keys remove and remember.
func (e *Editor) KillWord() {
	end := e.Cursor
	head := strings.TrimRightFunc(e.Text[:end], unicode.IsSpace)
	e.kill(e.floor(len(strings.TrimRightFunc(head, func(r rune) bool { return !unicode.IsSpace(r) }))), end)
}

func (e *Editor) KillWordRight() {
	start := e.Cursor
	e.WordRight()
	e.kill(start, e.Cursor)
}

func (e *Editor) KillToStart() { e.kill(e.lineStart(), e.Cursor) }

func (e *Editor) KillToEnd() {
	end := e.lineEnd()
	if end == e.Cursor {
		end = e.after(end)
	}
	e.kill(e.Cursor, end)
}

func (e *Editor) Yank() { e.put(e.Killed) }

func (e *Editor) kill(from, to int) {
	if from < to {
		e.Killed = e.Text[from:to]
	}
	e.remove(from, to)
}

func (e *Editor) remove(from, to int) {
	e.Text = e.Text[:from] + e.Text[to:]
	e.Cursor = from
	e.settle()
}

// Replace puts text in place of what is between from and the cursor.
func (e *Editor) Replace(from int, text string) {
	e.remove(from, e.Cursor)
	e.Insert(text)
}
