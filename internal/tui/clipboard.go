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

// imageMsg is the file of an image that was on the clipboard, or why there is none.
type imageMsg struct {
	path string
	err  error
}

// pasteImage puts the image on the clipboard into the message. What reads it may take
// its time, so the screen does not wait.
func (m *Model) pasteImage() tea.Cmd {
	ctx, clipboard := m.ctx, m.opts.Clipboard
	if clipboard == nil {
		return nil
	}
	return guarded(func() tea.Msg {
		path, err := clipboard(ctx)
		return imageMsg{path, err}
	})
}

// imageCame puts an image at the cursor.
func (m *Model) imageCame(image imageMsg) {
	if image.err != nil {
		m.note(bad, "✗", "nothing was pasted: "+image.err.Error())
		return
	}
	m.input.PutImage(image.path, m.opts.Now())
}

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
	m.presence.sequence = sequence.String()
	m.answer(transcript.Rows("copied " + what + ", as far as the terminal allows it"))
	return nil
}
