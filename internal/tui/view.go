package tui

import (
	"agent/internal/tui/input"
	"agent/internal/tui/question"
	"agent/internal/tui/term"
)

// frame returns the changes of the screen since the last frame, and resets them.
func (m *Model) frame() term.Frame {
	var printed []string
	if m.surface.again {
		printed = m.surface.transcript.LayOutAgain(m.surface.theme, m.surface.columns())
		m.activity.reply.looked = 0
		m.activity.grow()
		m.layout()
	}
	f := term.Frame{
		Printed: append(printed, m.surface.transcript.TakeRows()...), Reset: m.surface.again,
		Live: m.live, Row: m.row, Col: m.col, Width: m.surface.width, Height: m.surface.height, At: m.surface.now(), Bell: m.surface.bell, Sequence: m.presence.sequence,
	}
	if read := m.reader.pager; read != nil {
		read.Waits = ""
		if m.questions.IsAsking() && m.questions.First().ID != m.reader.asked {
			read.Waits = "a question waits"
		}
		f.Full = read.View(m.surface.theme, m.surface.columns(), m.surface.height)
	}
	m.surface.bell, m.surface.again, m.presence.sequence = false, false, ""
	return f
}

// layout lays out the live part from the bottom up, so that even the smallest window shows the text the
// user types. Every part has a limit, and together they are lower than the window.
func (m *Model) layout() {
	width, most := m.surface.columns(), max(1, m.surface.height-1)
	var input []string
	var cursor place
	if m.chooser.picking != nil && !m.questions.IsOpen() {
		input, cursor.col = m.chooser.picking.View(m.surface.theme, width, max(2, min(pickerRows, m.surface.height/2-2)))
	} else {
		input, cursor = m.inputView(width, max(1, min(10, most/3)))
	}
	status := m.line.view(width, m.shellLine())
	if own := append(m.estimate.view(width), m.own.view(width)...); len(input)+len(status)+len(own) < most {
		status = append(own, status...)
	}
	room := most - len(input) - len(status)
	popup := m.underInput(width, room)
	room -= len(popup)
	queue := m.activity.queueView(width, min(3, room/4), m.questions.IsAsking())
	if !m.questions.IsOpen() { // below a question it would look like an answer
		queue = append(queue, m.surface.todoView(width, room)...)
	}
	room -= len(queue)

	if !m.questions.IsOpen() {
		// The live part is at most half of the window, so that a part of it cannot be moved out when the
		// window becomes lower. With subagents it is two thirds, which is enough for four subagents.
		share := m.surface.height / 2
		if len(m.activity.agents) > 0 {
			share = m.surface.height * 2 / 3
		}
		room = min(room, max(share, 8)-len(input)-len(popup)-len(queue)-len(status))
	}

	// Blank lines above the work in progress and before the input, if there is room for them.
	lead, gap := min(1, max(0, room)), min(1, max(0, room-7))
	if piece, ok := m.activity.reply.text.OpenPiece(); ok && (piece.More || m.surface.transcript.IsGrowing()) {
		lead = 0 // the block continues the rows that were printed last
	}
	above, asked := m.activity.view(width, room-lead-gap), question.CursorPosition{}
	if m.questions.IsOpen() {
		if room < 8 {
			lead = 0 // the question needs every row
		}
		meanwhile := m.activity.questionHeading(width, room)
		m.questions.Arrange(m.surface.theme, width, room-lead-gap-len(meanwhile))
		above, asked = m.questions.View()
		above, asked.Row = append(meanwhile, above...), asked.Row+len(meanwhile)
	}
	live := append(blank(lead), above...)
	live = append(live, queue...)
	if len(live) > lead {
		live = append(live, blank(gap)...)
	}
	if m.questions.IsAsking() {
		cursor = place{asked.Row + lead, asked.Col}
	} else {
		cursor.row += len(live)
	}
	live = append(live, input...)
	live = append(live, popup...)
	live = append(live, status...)
	if extra := len(live) - most; extra > 0 {
		live = live[extra:]
		cursor.row = max(0, cursor.row-extra)
	}
	m.live, m.row, m.col = live, cursor.row, min(cursor.col, max(0, m.surface.width-1))
}

// inputView lays out the input and returns the position of the cursor.
func (m *Model) inputView(width, height int) ([]string, place) {
	// Dim is set while the question receives the keys.
	look := input.ViewState{Placeholder: m.placeholder(), Dim: m.questions.IsAsking(), Vim: m.surface.settings().Vim}
	rows, row, col := m.input.View(m.surface.theme, look, width, height)
	return rows, place{row, col}
}

func (m *Model) placeholder() string {
	switch {
	case m.questions.IsExplaining():
		return "Answer above"
	case m.questions.IsAsking():
		return "Answer above, or Tab to write a message"
	case m.activity.turn.running:
		return "Type to queue a message"
	}
	return "Ask for something, / for commands, ! shell, ? keys"
}

// pickerRows limits the rows of a list, including the row of the search.
const pickerRows = 11

// underInput returns the rows between the input and the status line: the keys, or the proposals.
func (m *Model) underInput(width, room int) []string {
	switch {
	case m.chooser.picking != nil:
		return nil
	case m.keysShown:
		return keysView(m.surface.theme, Keys(m.surface.keys), width, room)
	}
	return m.input.Proposals(m.surface.theme, width, min(10, room/2))
}

func blank(n int) []string { return make([]string, n) }

// place is a position of the cursor within lines.
type place struct{ row, col int }

var spinnerFrames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
