package tui

import (
	"strings"
	"time"
)

// View implements tea.Model: the live part as a text. The terminal gets it as a
// frame.
func (m *Model) View() string { return strings.Join(m.live, "\n") }

// frame takes what the terminal shall show since the last one.
func (m *Model) frame() frame {
	f := frame{
		printed: m.scrollback.take(), live: m.live, row: m.row, col: m.col,
		width: m.width, bell: m.bell, clear: m.clear,
	}
	m.bell, m.clear = false, false
	return f
}

// columns is how wide lines of the live part may be. The last column stays free: a
// full line leaves ghosts when the window is made narrower.
func (m *Model) columns() int { return max(8, m.width-1) }

// layout composes the live part from its parts, from the bottom up, so that what
// the user types is there in the smallest window. Every part is bounded; together
// they are lower than the window.
func (m *Model) layout() {
	room := max(1, m.height-1)
	width := m.columns()
	input, row, col := m.inputView(width, max(1, min(10, room/3)))
	room -= len(input) + 1
	popup := m.popupView(width, min(6, room/3))
	room -= len(popup)
	queue := m.queueView(width, min(3, room/4))
	room -= len(queue)

	var above []string
	if m.approvals.open() {
		var at place
		above, at = m.approvalView(width, room-1)
		if at.set {
			row, col = at.row-len(above)-len(queue), at.col
		}
	} else {
		above = m.activityView(width, room-1)
	}
	if room > len(above) {
		above = append([]string{""}, above...)
	}

	live := append(above, queue...)
	row += len(live)
	live = append(live, input...)
	live = append(live, popup...)
	live = append(live, m.statusView(width))
	if extra := len(live) - max(1, m.height-1); extra > 0 {
		live, row = live[extra:], max(0, row-extra)
	}
	m.live, m.row, m.col = live, row, min(col, max(0, m.width-1))
}

// place is where an editor outside the input wants the cursor.
type place struct {
	set      bool
	row, col int
}

// activityView is what goes on: the tail of the reply, running tools, and a line
// that says so.
func (m *Model) activityView(width, room int) []string {
	working := m.workingView(width)
	room -= len(working)
	tools := m.toolsView(width, room)
	room -= len(tools)
	tail := m.reply.view(m.theme, width, room-1)
	if len(tail) > 0 && len(tools)+len(working) > 0 {
		tail = append(tail, "")
	}
	return append(append(tail, tools...), working...)
}

// workingView says that a turn runs and how to stop it.
func (m *Model) workingView(width int) []string {
	var lines []string
	for _, line := range m.commands {
		lines = append(lines, truncate(m.spinner()+" "+clean(firstLine(line)), width))
	}
	if !m.turn.running {
		return lines
	}
	doing := "working"
	switch {
	case m.turn.interrupting:
		doing = "interrupting"
	case m.turn.arriving != "":
		doing = "preparing " + clean(m.turn.arriving)
	case m.reply.thinking():
		doing = "thinking"
	}
	line := m.spinner() + " " + doing + " " + elapsed(m.opts.Now().Sub(m.turn.started)) + " · Esc interrupts"
	return append(lines, m.theme.dim.text(truncate(line, width)))
}

var spinnerFrames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// spinner is the frame for now; it needs no state.
func (m *Model) spinner() string {
	at := m.opts.Now().Sub(m.started) / tickTime
	return string(spinnerFrames[max(0, int(at))%len(spinnerFrames)])
}

// elapsed is a duration as people read it: 7s, 1m05s.
func elapsed(d time.Duration) string {
	d = max(0, d).Truncate(time.Second)
	if d < time.Minute {
		return d.String()
	}
	return strings.Replace(d.String(), "m0s", "m00s", 1)
}

// queueView lists the messages that wait.
func (m *Model) queueView(width, room int) []string {
	var lines []string
	for i, text := range m.queued {
		if i == room-1 && len(m.queued) > room {
			lines = append(lines, m.theme.dim.text(truncate("  … "+plural(len(m.queued)-i, "more queued message", ""), width)))
			break
		}
		if i >= room {
			break
		}
		line := "  queued: " + clean(firstLine(text))
		if i == len(m.queued)-1 {
			line += " (Up takes it back)"
		}
		lines = append(lines, m.theme.dim.text(truncate(line, width)))
	}
	return lines
}
