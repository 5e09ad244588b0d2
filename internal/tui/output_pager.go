package tui

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// outputBound bounds what Ctrl+O prints, in lines, and outputBytes what it reads.
const (
	outputBound = 5000
	outputBytes = 4 << 20
)

// outsideMsg asks for the terminal; done gets what run returned.
type outsideMsg struct {
	run  func() error
	done func(error) tea.Msg
}

// outputMsg brings lines to print.
type outputMsg []string

// showOutput shows the latest tool output in full, then the ones before: in $PAGER,
// else printed.
func (m *Model) showOutput() tea.Cmd {
	last, ok := m.outputs.next()
	switch {
	case !ok && len(m.outputs.kept) == 0:
		m.showHint("there is no tool output yet", false)
		return nil
	case !ok:
		m.showHint("there is no tool output before that; Ctrl+O begins again with the latest", false)
		return nil
	case m.outputs.seen < len(m.outputs.kept):
		m.showHint("Ctrl+O again shows the tool output before that", false)
	}
	theme := m.theme
	pager := m.opts.env("PAGER")
	if pager == "" {
		return guarded(func() tea.Msg {
			lines := wholeOutput(theme, last)
			if more := len(lines) - outputBound; more > 0 {
				lines = append(lines[:outputBound], theme.Dim.Text("… "+words.Count(more, "more line")+inFile(last.spool)))
			}
			return outputMsg(lines)
		})
	}
	return guarded(func() tea.Msg {
		text := strings.Join(wholeOutput(theme, last), "\n")
		cmd := exec.Command("sh", "-c", pager)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text+"\n"), m.opts.Out, m.opts.Out
		return lendMsg{run: cmd.Run, done: func(err error) tea.Msg {
			if err != nil {
				return noteMsg{fmt.Sprintf("$PAGER (%s) failed: %v", pager, err)}
			}
			return nil
		}}
	})
}

func inFile(spool string) string {
	if spool == "" {
		return ""
	}
	return ", all of it in " + spool
}

// wholeOutput is all of a tool's output, from its file when it was too long for
// the model.
func wholeOutput(t *style.Theme, o output) []string {
	lines := []string{t.Strong.Text(o.title)}
	if o.diff != "" {
		return append(lines, patch.Render(t, o.diff, 0)...)
	}
	text := o.text
	if o.spool != "" {
		if whole, err := readSome(o.spool); err == nil {
			text = whole
		}
	}
	return append(lines, strings.Split(strings.TrimRight(style.Clean(text), "\n"), "\n")...)
}

// readSome reads the beginning of a file.
func readSome(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, outputBytes))
	return string(data), err
}
