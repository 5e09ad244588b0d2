package question

import (
	"time"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
)

// Asked is a question that waits: a call of the model, or what a command of the person
// would do.
type Asked struct {
	chat.Approval
	// Own is nil for a call of the model.
	Own *command.Ask
	// Step is which of the model's inquiries is being answered, from 0.
	Step int
}

// AddOwn takes the question of a command that the person has just typed.
func (q *Questions) AddOwn(ask *command.Ask, now time.Time) {
	q.owns++
	q.waiting = append(q.waiting, Asked{Approval: chat.Approval{ID: -q.owns}, Own: ask})
	if len(q.waiting) == 1 {
		q.show(now)
	}
}

// ownRows lay out what the question of a command is about.
func ownRows(t *style.Theme, ask *command.Ask, width int) []string {
	var rows []string
	for i, part := range ask.Parts {
		if i > 0 && part.Diff != "" {
			rows = append(rows, "")
		}
		if part.Title != "" {
			rows = append(rows, titleRows(t, oneLine(part.Title).Text, width)...)
		}
		rows = append(rows, patch.Render(t, part.Diff, width)...)
		for _, line := range part.Lines {
			rows = append(rows, style.IndentAll(Command(t, line, width-2), "  ")...)
		}
	}
	return rows
}

// ownHidden counts the characters of such a question that would not be seen.
func ownHidden(ask *command.Ask) int {
	n := oneLine(ask.Title).Hidden
	for _, part := range ask.Parts {
		n += oneLine(part.Title).Hidden + patch.Hidden(part.Diff)
		for _, line := range part.Lines {
			n += style.Reveal(line).Hidden
		}
	}
	return n
}
