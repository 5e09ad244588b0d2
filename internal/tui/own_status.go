package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/style"
)

// ownPace is how long there is at least between two runs of the person's status line.
const ownPace = 300 * time.Millisecond

// ownStatus is the status line that a program of the person makes, above that of the screen.
type ownStatus struct {
	*surface
	text string
	// running is set while the program runs or is about to, again when the status has changed
	// since.
	running, again bool
	// ran is when it ran last, problem what was wrong then.
	ran     time.Time
	problem string
}

// ask runs the program, or once more when it is done.
func (l *ownStatus) ask() tea.Cmd {
	if l.opts.StatusLine == nil || l.opts.Plain {
		return nil
	}
	run := l.opts.StatusLine()
	if run == nil {
		l.text, l.problem = "", ""
		return nil
	}
	if l.again = l.running; l.running {
		return nil
	}
	l.running = true
	status, stats, wait := l.status, l.stats, ownPace-l.opts.Now().Sub(l.ran)
	return guarded(func() tea.Msg {
		select {
		case <-time.After(wait):
		case <-l.ctx.Done():
			return nil
		}
		text, err := run(l.ctx, status, stats)
		return thenMsg(func() tea.Cmd { return l.came(text, err) })
	})
}

// came takes what the program printed. What is wrong is said once.
func (l *ownStatus) came(text string, err error) tea.Cmd {
	l.running, l.ran = false, l.opts.Now()
	problem := ""
	if err == nil {
		l.text = text
	} else {
		problem = err.Error()
	}
	if problem != "" && problem != l.problem {
		l.note(warn, "!", problem)
	}
	l.problem = problem
	if l.again {
		return l.ask()
	}
	return nil
}

// view is the line, none where there is no text. Its colours stay, and nothing else that a
// terminal would obey.
func (l *ownStatus) view(width int) []string {
	line, _, _ := strings.Cut(strings.TrimSpace(l.text), "\n")
	clean := style.CleanStyled(line, l.colours != style.NoColours)
	if strings.TrimSpace(clean) == "" {
		return nil
	}
	return []string{style.Truncate(clean, width)}
}
