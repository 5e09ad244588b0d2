package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/tui/transcript"
)

// pasteImage inserts the image on the clipboard into the message. Reading the clipboard may be slow, so a
// command does it while the screen continues.
func (m *Model) pasteImage() tea.Cmd {
	ctx, clipboard := m.surface.ctx, m.opts.Clipboard
	if clipboard == nil {
		return nil
	}
	return guardPanic(func() tea.Msg {
		path, err := clipboard(ctx)
		if err != nil {
			return noteMsg{"can't paste: " + err.Error()}
		}
		return thenDo(func() { m.input.PutImage(path, m.surface.now()) })
	})
}

// copyText copies text to the clipboard with an escape sequence that also works over SSH and that the
// terminal never answers. tmux does not forward the sequence, so copyText runs its command instead.
func (p *presence) copyText(text string) tea.Cmd {
	what := humanize.Count(humanize.LineCount(text), "line")
	if p.surface.environ.get("TMUX") != "" {
		return guardPanic(func() tea.Msg {
			cmd := exec.Command("tmux", "load-buffer", "-w", "-")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil {
				return noteMsg{fmt.Sprintf("can't copy: tmux load-buffer: %v %s", err, humanize.FirstLine(string(out)))}
			}
			return thenDo(func() { p.surface.answer(transcript.Rows("copied " + what + " to tmux's buffer and the clipboard")) })
		})
	}
	if p.surface.environ.simpleTerminal() {
		p.surface.answer(noteRows(bad, "✗", "can't copy: this terminal has no clipboard. To write to a file, type /export"))
		return nil
	}
	sequence := osc52.New(text)
	if strings.HasPrefix(p.surface.environ.get("TERM"), "screen") {
		sequence = sequence.Screen()
	}
	p.sequence = sequence.String()
	p.surface.answer(transcript.Rows("copied " + what + ", if the terminal allows it"))
	return nil
}

// editOutside opens the prompt in $VISUAL or $EDITOR.
func (m *Model) editOutside() tea.Cmd {
	program := m.surface.environ.get("VISUAL")
	if program == "" {
		program = m.surface.environ.get("EDITOR")
	}
	if program == "" {
		m.surface.showHint("no editor is configured. To edit the prompt, set $EDITOR", false)
		return nil
	}
	text := m.input.Editor.Value()
	return guardPanic(func() tea.Msg {
		path, err := writeDraft(text)
		if err != nil {
			return notEdited(err)
		}
		// The shell splits $EDITOR as the user wrote it; the path stays one word.
		cmd := exec.Command("sh", "-c", program+` "$1"`, "sh", path)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = m.opts.In, m.opts.Out, m.opts.Out
		return lendMsg{run: cmd.Run, done: func(err error) tea.Msg {
			defer os.Remove(path)
			if err != nil {
				return notEdited(fmt.Errorf("%s: %w", program, err))
			}
			text, err := readDraft(path)
			if err != nil {
				return notEdited(err)
			}
			return thenDo(func() {
				m.input.Editor.Set("")
				m.input.Editor.InsertLong(strings.TrimRight(text, "\n"))
			})
		}}
	})
}

// lendTo runs a command line while this program releases the terminal.
func (s *surface) lendTo(outside *command.TerminalProgram) tea.Cmd {
	if s.plain {
		s.answer(noteRows(bad, "✗", "This needs the terminal. In another terminal, run: "+outside.Line))
		return nil
	}
	return func() tea.Msg {
		return lendMsg{run: outside.Run, done: func(err error) tea.Msg { return commandMsg{err: err} }}
	}
}

// readDraft reads an edited prompt. It returns an error for a prompt that is too long, so that no partial
// prompt is sent.
func readDraft(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > outputBytes {
		return "", fmt.Errorf("the text has %s, more than %s. Include the file with @PATH instead", humanize.Bytes(info.Size()), humanize.Bytes(outputBytes))
	}
	return readSome(path)
}

func notEdited(err error) tea.Msg {
	return noteMsg{"the editor failed; the prompt is unchanged: " + err.Error()}
}

// writeDraft writes a prompt to a new temporary file that only its owner can read.
func writeDraft(text string) (string, error) {
	f, err := os.CreateTemp("", "prompt-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}
