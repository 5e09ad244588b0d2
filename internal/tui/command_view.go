package tui

import (
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/tui/markdown"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// showCommand shows the output of a command: its bar, its lines and its diff. If an output would fill more
// than half of the window, it opens in the pager instead, and the transcript contains only a line.
func (m *Model) showCommand(line string, output command.Output) {
	if output.NewConversation {
		m.line.cached = 0
	}
	if line != "" && !m.isEchoed(line) { // the answer to a question may have no line
		m.surface.print(transcript.KindText, promptRows(line))
	}
	if output.Ask != nil { // commandDone adds the question
		if len(output.Ask.Done) > 0 {
			m.surface.answer(commandRows(command.Output{Lines: output.Ask.Done}))
		}
		return
	}
	if output.Diff != "" {
		m.reader.openDiff(line, output.Diff)
		m.surface.answer(transcript.Rows(humanize.Count(len(patch.Files(output.Diff)), "changed file") + " shown"))
		return
	}
	lay := commandRows(output)
	if rows := lay(m.surface.theme, m.surface.columns()); len(rows) > max(8, m.surface.height/2) {
		m.reader.openPage(line, lay) // the page shows the line as its title
		return
	}
	m.surface.answer(lay)
}

func commandRows(output command.Output) transcript.Layout {
	return func(t *style.Theme, width int) (rows []string) {
		if output.Bar != nil && !t.Spoken { // the lines contain the same figures
			rows = append(rows, contextBar(t, *output.Bar, width))
		}
		for _, line := range output.Lines {
			for line := range strings.SplitSeq(style.Clean(line), "\n") {
				rows = append(rows, style.HangingWrap(line, width)...)
			}
		}
		if output.Answer != "" {
			rows = append(rows, markdown.New(t).Render(output.Answer, width)...)
		}
		if output.NewConversation && t.Spoken {
			return append(rows, "new context")
		}
		if output.NewConversation {
			const label = "── new context "
			rows = append(rows, t.Dim.Text(label+strings.Repeat("─", max(2, width-style.Width(label)))))
		}
		return rows
	}
}

// contextBar draws the context window as a bar of segments. Each kind of content has its letter from the
// table below, on a background of its color if the terminal has colors. The bar marks the compression
// threshold.
func contextBar(t *style.Theme, bar command.Bar, width int) string {
	width = t.ProseWidth(width) - 2
	if len(bar.Segments) == 0 || width < len(bar.Segments) {
		return ""
	}
	var line strings.Builder
	at, mark := 0, bar.MarkCell(width)
	for i, cells := range bar.Cells(width) {
		segment := bar.Segments[i]
		look := t.Bar[i%len(t.Bar)]
		if segment.Free {
			look = t.Dim
		}
		text := strings.Repeat(segment.Letter, cells)
		if mark >= at && mark < at+cells {
			before, after := text[:mark-at], text[mark-at+1:]
			line.WriteString(look.Text(before) + t.Strong.Text("|") + look.Text(after))
		} else {
			line.WriteString(look.Text(text))
		}
		at += cells
	}
	return "[" + line.String() + "]"
}
