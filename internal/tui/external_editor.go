package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// editedMsg brings a prompt back from an editor.
type editedMsg struct {
	text string
	err  error
}

// editOutside opens the prompt in $VISUAL or $EDITOR.
func (m *Model) editOutside() tea.Cmd {
	program := m.opts.env("VISUAL")
	if program == "" {
		program = m.opts.env("EDITOR")
	}
	if program == "" {
		m.showHint("set $EDITOR to edit the prompt in it", false)
		return nil
	}
	text := m.input.Value()
	return guarded(func() tea.Msg {
		path, err := writeDraft(text)
		if err != nil {
			return editedMsg{err: err}
		}
		// The shell splits $EDITOR as the user wrote it; the path stays one word.
		cmd := exec.Command("sh", "-c", program+` "$1"`, "sh", path)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = m.opts.In, m.opts.Out, m.opts.Out
		return lendMsg{run: cmd.Run, done: func(err error) tea.Msg {
			defer os.Remove(path)
			if err != nil {
				return editedMsg{err: fmt.Errorf("%s: %w", program, err)}
			}
			text, err := readSome(path)
			return editedMsg{text, err}
		}}
	})
}

// writeDraft puts a prompt into a new temporary file only its owner can read.
func writeDraft(text string) (string, error) {
	f, err := os.CreateTemp("", "prompt-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

// edited takes the prompt back.
func (m *Model) edited(msg editedMsg) {
	if msg.err != nil {
		m.note(bad, "✗", "the editor failed, the prompt is unchanged: "+msg.err.Error())
		return
	}
	m.input.Set("")
	m.input.InsertLong(strings.TrimRight(msg.text, "\n"))
}
