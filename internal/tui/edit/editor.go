// Package edit holds the prompt as a value: the text, its cursor, pasted texts, and earlier prompts. It has
// no keyboard, no colors and no screen.
package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/atcmd"
	"agent/internal/tui/style"
)

// Editor holds a text of one or more lines, and a cursor. Positions are in bytes, and always between
// grapheme clusters. A long paste is a single placeholder character; see pastes.
type Editor struct {
	Text   string
	Cursor int
	// Pastes only grows between two calls of Clear, so that a placeholder in Killed or in an undone text
	// always represents the same paste.
	Pastes pastes
	// Killed is the text removed by the latest Ctrl+K, Ctrl+U or Ctrl+W.
	Killed string

	// Selected is a range that is highlighted.
	Selected Selection
	changes  changes
}

// Value returns the text with long pastes in full.
func (e *Editor) Value() string { return e.Pastes.expand(e.Text) }

// Message returns the text as it is sent: pasted parts are marked as data (D-46).
func (e *Editor) Message() atcmd.Message { return e.Pastes.message(e.Text) }

// Restore replaces the text by a message, and puts the cursor at its end.
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

// Clear empties the editor; the killed text can still be yanked.
func (e *Editor) Clear() {
	cleared := Editor{Killed: e.Killed}
	if strings.ContainsFunc(e.Killed, isPlaceholder) {
		cleared.Pastes = e.Pastes
	}
	*e = cleared
}

// Empty reports whether there is no text.
func (e *Editor) Empty() bool { return e.Text == "" }

// Set replaces the text, and puts the cursor at its end.
func (e *Editor) Set(text string) {
	e.Text = CleanInput(text)
	e.Cursor = len(e.Text)
}

// Insert inserts typed text at the cursor.
func (e *Editor) Insert(text string) { e.put(CleanInput(text)) }

// InsertPaste inserts pasted text at the cursor, as a placeholder if it is long. The editor records that
// the text was pasted: characters such as @ have no special meaning in it (D-46).
func (e *Editor) InsertPaste(text string) {
	before := e.state()
	e.put(e.Pastes.insertion(text))
	e.record(before, false)
}

// InsertImage inserts an image at the cursor. The editor shows text in its place.
func (e *Editor) InsertImage(text, path string) {
	before := e.state()
	e.put(e.Pastes.placeholder(paste{text: CleanInput(text), image: path}))
	e.record(before, false)
}

// InsertLong inserts text that the user wrote at the cursor, as a placeholder if it is long.
func (e *Editor) InsertLong(text string) { e.put(e.Pastes.long(text)) }

func (e *Editor) put(text string) {
	e.Text = e.Text[:e.Cursor] + text + e.Text[e.Cursor:]
	e.Cursor += len(text)
	e.snapCursor()
}

// snapCursor moves the cursor to the end of the cluster around it, because typed characters may join into
// one cluster.
func (e *Editor) snapCursor() {
	if start := e.floor(e.Cursor); start < e.Cursor {
		e.Cursor = e.after(start)
	}
}

// floor returns the start of the cluster around position at. Between clusters it returns at itself.
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

// clusterLength returns the length of the first grapheme cluster of s. A line end is a separate cluster.
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

// before returns the position one cluster before at.
func (e *Editor) before(at int) int {
	if at <= 0 {
		return 0
	}
	return e.floor(at - 1)
}

// after returns the position one cluster after at.
func (e *Editor) after(at int) int { return at + clusterLength(e.Text[at:]) }

// Left and Right move by a cluster.
func (e *Editor) Left()  { e.Cursor = e.before(e.Cursor) }
func (e *Editor) Right() { e.Cursor = e.after(e.Cursor) }

// lineStart and lineEnd return the start and the end of the cursor's line.
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
	e.snapCursor()
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_' || isPlaceholder(r)
}

func notWord(r rune) bool { return !isWord(r) }

// Up and Down move by a line. They return false at the first and the last line.
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

// toColumn moves the cursor along its line to a column, or to the end of the line.
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

// Backspace and Delete remove the cluster before and after the cursor.
func (e *Editor) Backspace() { e.remove(e.before(e.Cursor), e.Cursor) }
func (e *Editor) Delete()    { e.remove(e.Cursor, e.after(e.Cursor)) }

// KillWord and the other killing methods remove text and store it for Yank.
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
	e.snapCursor()
}

// Replace replaces the text between from and the cursor.
func (e *Editor) Replace(from int, text string) {
	e.remove(from, e.Cursor)
	e.Insert(text)
}
