package tui

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// copyText puts text on the clipboard. The terminal is asked with a sequence that
// works over SSH as well and is never answered. tmux does not let that through, but
// has a command for it.
func (m *Model) copyText(text string) tea.Cmd {
	what := words.Count(words.Lines(text), "line")
	if m.opts.env("TMUX") != "" {
		return guarded(func() tea.Msg {
			cmd := exec.Command("tmux", "load-buffer", "-w", "-")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil {
				return noteMsg{fmt.Sprintf("nothing was copied: tmux load-buffer: %v %s", err, words.FirstLine(string(out)))}
			}
			return outputMsg{"copied " + what + " to tmux's buffer and the clipboard"}
		})
	}
	if m.opts.simpleTerminal() {
		m.answer(noteRows(bad, "✗", "nothing was copied: this terminal has no clipboard; /export writes the conversation to a file"))
		return nil
	}
	sequence := osc52.New(text)
	if strings.HasPrefix(m.opts.env("TERM"), "screen") {
		sequence = sequence.Screen()
	}
	m.sequence = sequence.String()
	m.answer(transcript.Rows("gave " + what + " to the terminal for its clipboard"))
	return nil
}
