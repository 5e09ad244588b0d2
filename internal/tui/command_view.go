package tui

import (
	"strings"

	"agent/internal/command"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// showCommand shows what a command has to show: its bar, its lines, its diff. What
// would fill more than half of the window is opened to be read, and leaves a line.
func (m *Model) showCommand(line string, output command.Output) {
	m.print(transcript.Text, promptRows(line))
	if output.Diff != "" {
		m.openDiff(line, output.Diff)
		m.answer(transcript.Rows(words.Count(len(patch.Files(output.Diff)), "changed file") + " shown"))
		if len(output.Lines) > 0 {
			m.answer(commandRows(output))
		}
		return
	}
	lay := commandRows(output)
	if rows := lay(m.theme, m.columns()); len(rows) > max(8, m.height/2) {
		m.openPage(line, lay)
		m.answer(transcript.Rows(words.Count(len(rows), "line") + " shown"))
		return
	}
	m.answer(lay)
}

// commandRows lays out what a command has to show.
func commandRows(output command.Output) transcript.Lay {
	return func(t *style.Theme, width int) (rows []string) {
		if output.Bar != nil {
			rows = append(rows, contextBar(t, *output.Bar, width))
		}
		for _, line := range output.Lines {
			for _, line := range strings.Split(style.Clean(line), "\n") {
				rows = append(rows, style.HangingWrap(line, width)...)
			}
		}
		return rows
	}
}
