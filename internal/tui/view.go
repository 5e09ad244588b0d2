package tui

import (
	"slices"

	"agent/internal/tui/question"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/words"
)

// frame takes what the terminal shall show since the last one.
func (m *Model) frame() term.Frame {
	var printed []string
	if m.again {
		printed = m.transcript.Again(m.theme, m.columns())
		m.reply.looked = 0
		m.grow()
		m.layout()
	}
	f := term.Frame{
		Printed: append(printed, m.transcript.Take()...), Reset: m.again,
		Live: m.live, Row: m.row, Col: m.col, Width: m.width, Height: m.height, At: m.opts.Now(), Bell: m.bell, Sequence: m.sequence,
	}
	if m.pager != nil {
		m.pager.Waits = ""
		if m.questions.Asking() && m.questions.First().ID != m.reading {
			m.pager.Waits = "a question waits"
		}
		f.Full = m.pager.View(m.theme, m.columns(), m.height)
	}
	m.bell, m.again, m.sequence = false, false, ""
	return f
}

// columns is how wide lines of the live part may be. The last column stays free: a
// full line leaves ghosts when the window is made narrower.
func (m *Model) columns() int { return max(8, m.width-1) }

// layout composes the live part from its parts, from the bottom up, so that what
// the user types is there in the smallest window. Every part is bounded; together
// they are lower than the window.
func (m *Model) layout() {
	width, most := m.columns(), max(1, m.height-1)
	var input []string
	var cursor place
	if m.picking != nil && !m.questions.Open() {
		input, cursor = m.pickerView(width, max(2, min(pickerRows, m.height/2-2)))
	} else {
		input, cursor = m.inputView(width, max(1, min(10, most/3)))
	}
	room := most - len(input) - 1
	popup := m.underInput(width, room)
	room -= len(popup)
	queue := append(m.queueView(width, min(3, room/4)), m.todoView(width, room)...)
	room -= len(queue)

	if !m.questions.Open() {
		// What is live is at most half of the window: it cannot be pushed out of it
		// by a window that is made lower.
		room = min(room, max(m.height/2, 8)-len(input)-len(popup)-len(queue)-1)
	}

	// A blank line above, and one before the input, if there is room for them.
	lead, gap := min(1, max(0, room)), min(1, max(0, room-7))
	if m.reply.goesOn(m.transcript.Grown()) {
		lead = 0 // it belongs to what was printed last
	}
	above, asked := m.activityView(width, room-lead-gap), question.Place{}
	if m.questions.Open() {
		if room < 8 {
			lead = 0 // what is asked needs every row
		}
		above, asked = m.questions.View(m.theme, width, room-lead-gap)
	}
	live := append(blank(lead), above...)
	live = append(live, queue...)
	if len(live) > lead {
		live = append(live, blank(gap)...)
	}
	if m.questions.Asking() {
		cursor = place{asked.Row + lead, asked.Col}
	} else {
		cursor.row += len(live)
	}
	live = append(live, input...)
	live = append(live, popup...)
	live = append(live, m.statusView(width))
	if extra := len(live) - most; extra > 0 {
		live = live[extra:]
		cursor.row = max(0, cursor.row-extra)
	}
	m.live, m.row, m.col = live, cursor.row, min(cursor.col, max(0, m.width-1))
}

// pickerRows is how many rows a list takes at most, with the one that is typed in.
const pickerRows = 11

// underInput is what stands between the input and the status line: the keys, or what
// is proposed.
func (m *Model) underInput(width, room int) []string {
	switch {
	case m.picking != nil:
		return nil
	case m.keysShown:
		return m.keysView(width, min(len(Keys()), room))
	}
	return m.popupView(width, min(10, room/2))
}

// blank is n blank lines.
func blank(n int) []string { return make([]string, n) }

// place is where the cursor belongs in some lines.
type place struct{ row, col int }

// activityView is what goes on: the tail of the reply, running tools, and a line
// that says so.
func (m *Model) activityView(width, room int) []string {
	working := m.workingView(width)
	room -= len(working)
	tools := m.toolsView(width, room)
	room -= len(tools)
	grown, _ := m.transcript.Grown()
	tail := m.reply.view(m.theme, m.md, width, room-min(1, len(tools)+len(working)), grown)
	if len(tail) > 0 && len(tools)+len(working) > 0 {
		tail = append(tail, "")
	}
	return append(append(tail, tools...), working...)
}

var spinnerFrames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// spinner is the frame for now; it needs no state.
func (m *Model) spinner() string {
	at := m.opts.Now().Sub(m.started) / tickTime
	return string(spinnerFrames[max(0, int(at))%len(spinnerFrames)])
}

// todoView is the progress of the todo list, where there is room for a line and no
// question, whose answers it would seem to belong to.
func (m *Model) todoView(width, room int) []string {
	const least = 6
	if m.status.Todo == "" || room < least || m.questions.Open() {
		return nil
	}
	return []string{m.theme.Dim.Text(style.Truncate("  "+style.Clean(m.status.Todo), width))}
}

// queueView lists the messages that wait, and then the lines for the shell: the latest
// of them.
func (m *Model) queueView(width, room int) []string {
	waiting := slices.Concat(m.queued, m.held)
	var lines []string
	if before := len(waiting) - room; before > 0 && room > 0 {
		before++ // for the line that says so
		lines = append(lines, "  "+words.Count(before, "message")+" queued before")
		waiting = waiting[before:]
	}
	for i, text := range waiting {
		line := "  queued: " + style.Clean(words.FirstLine(text))
		if i == len(waiting)-1 {
			line += " (Up takes it back)"
		}
		lines = append(lines, line)
	}
	lines = lines[:min(len(lines), max(0, room))]
	for i, line := range lines {
		lines[i] = m.theme.Dim.Text(style.Truncate(line, width))
	}
	return lines
}
