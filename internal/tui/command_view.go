package tui

import (
	"strings"

	"agent/internal/command"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// showCommand prints what a command has to show: its bar, its lines, its diff.
func (m *Model) showCommand(line string, output command.Output) {
	m.print(transcript.Text, promptRows(line))
	if output.Bar != nil {
		m.print(transcript.Line, func(t *style.Theme, width int) []string { return []string{contextBar(t, *output.Bar, width)} })
	}
	m.print(transcript.Line, func(_ *style.Theme, width int) (rows []string) {
		for _, line := range output.Lines {
			for _, line := range strings.Split(style.Clean(line), "\n") {
				rows = append(rows, style.HangingWrap(line, width)...)
			}
		}
		return rows
	})
	m.print(transcript.Text, func(t *style.Theme, width int) []string { return patch.RenderAll(t, output.Diff, width, outputBound) })
}
