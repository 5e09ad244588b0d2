package tui

import (
	"strings"

	"agent/internal/command"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
)

// showCommand prints what a command has to show: its bar, its lines, its diff.
func (m *Model) showCommand(line string, output command.Output) {
	m.scrollback.print(textBlock, m.promptLines(line)...)
	if output.Bar != nil {
		m.scrollback.print(lineBlock, contextBar(m.theme, *output.Bar, m.columns()))
	}
	var rows []string
	for _, line := range output.Lines {
		for _, line := range strings.Split(style.Clean(line), "\n") {
			rows = append(rows, style.HangingWrap(line, m.columns())...)
		}
	}
	m.scrollback.print(lineBlock, rows...)
	m.scrollback.print(textBlock, patch.RenderAll(m.theme, output.Diff, m.columns(), outputBound)...)
}
