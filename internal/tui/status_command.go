package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/style"
)

// ownPace is the shortest time between two runs of the user's status line command.
const ownPace = 300 * time.Millisecond

// ownStatus is the output of the user's status line command, shown above the status line.
type ownStatus struct {
	surface  *surface
	programs Programs
	text     string
	// running is set while the command runs or is about to run. again is set if the status has changed
	// since then.
	running, again bool
	// ran is the time of the last run. problem is its error, or "".
	ran     time.Time
	problem string
}

// ask returns a command that runs the user's command. If it is already running, ask makes it run again
// afterwards.
func (l *ownStatus) ask() tea.Cmd {
	if l.programs == nil || l.surface.plain {
		return nil
	}
	run := l.programs.StatusLine()
	if run == nil {
		l.text, l.problem = "", ""
		return nil
	}
	if l.again = l.running; l.running {
		return nil
	}
	l.running = true
	status, stats, wait := l.surface.status, l.surface.stats, ownPace-l.surface.now().Sub(l.ran)
	return guardPanic(func() tea.Msg {
		select {
		case <-time.After(wait):
		case <-l.surface.ctx.Done():
			return nil
		}
		text, err := run(l.surface.ctx, status, stats)
		return thenMsg(func() tea.Cmd { return l.takeOutput(text, err) })
	})
}

// takeOutput stores the output of the command. It reports each problem once.
func (l *ownStatus) takeOutput(text string, err error) tea.Cmd {
	l.running, l.ran = false, l.surface.now()
	problem := ""
	if err == nil {
		l.text = text
	} else {
		problem = err.Error()
	}
	if problem != "" && problem != l.problem {
		l.surface.note(warn, "!", problem)
	}
	l.problem = problem
	if l.again {
		return l.ask()
	}
	return nil
}

// view returns the line, or nil if there is no text. It keeps the colors, and removes every other escape
// sequence.
func (l *ownStatus) view(width int) []string {
	line, _, _ := strings.Cut(strings.TrimSpace(l.text), "\n")
	clean := style.CleanStyled(line, l.surface.colors != style.NoColors)
	if strings.TrimSpace(clean) == "" {
		return nil
	}
	return []string{style.Truncate(clean, width)}
}
