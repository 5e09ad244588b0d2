package tui

import (
	"fmt"
	"strings"

	"agent/internal/command"
)

// showCommand prints what a command has to show: its bar, its lines, its diff.
func (m *Model) showCommand(line string, output command.Output) {
	m.scrollback.print(textBlock, m.promptLines(line)...)
	if output.Bar != nil {
		m.scrollback.print(lineBlock, m.theme.contextBar(*output.Bar, m.columns()))
	}
	var rows []string
	for _, line := range output.Lines {
		for _, line := range strings.Split(clean(line), "\n") {
			rows = append(rows, hangingWrap(line, m.columns())...)
		}
	}
	m.scrollback.print(lineBlock, rows...)
	m.scrollback.print(textBlock, m.theme.renderPatch(output.Diff, outputBound)...)
}

// hangingWrap breaks a line that is too wide. What follows stays in the line's last
// column, when it leaves half of the width, else under its first word.
func hangingWrap(line string, width int) []string {
	if textWidth(line) <= width {
		return []string{line}
	}
	hang := len(line) - len(strings.TrimLeft(line, " "))
	if gap := strings.LastIndex(strings.TrimRight(line, " "), "  "); gap >= hang && textWidth(line[:gap+2]) <= width/2 {
		hang = gap + 2
	}
	head := line[:hang]
	return indent(wrapText(line[hang:], max(10, width-textWidth(head))), head, strings.Repeat(" ", textWidth(head)))
}

// renderPatch shows the unified diff of several files, at most that many lines.
func (t *theme) renderPatch(patch string, most int) []string {
	if strings.TrimSpace(patch) == "" {
		return nil
	}
	var out []string
	for i, file := range strings.Split("\n"+strings.TrimSpace(patch), "\ndiff --git ") {
		if strings.TrimSpace(file) == "" {
			continue
		}
		if i > 1 {
			out = append(out, "")
		}
		out = append(out, t.patchTitle(file))
		out = append(out, indentAll(t.renderDiff(file, 0), "  ")...)
	}
	if more := len(out) - most; more > 0 {
		out = append(out[:most:most], t.dim.text("… "+plural(more, "more line", "")))
	}
	return out
}

// patchTitle names a file of a patch and says what became of it.
func (t *theme) patchTitle(file string) string {
	name, what := "", ""
	for _, line := range strings.Split(file, "\n") {
		if strings.HasPrefix(line, "@@") {
			break
		}
		if from, ok := strings.CutPrefix(line, "--- a/"); ok {
			name = from
		} else if to, ok := strings.CutPrefix(line, "+++ b/"); ok {
			name = to
		} else if to, ok := strings.CutPrefix(line, "rename to "); ok {
			name, what = to, "renamed"
		} else if strings.HasPrefix(line, "new file") {
			what = "new"
		} else if strings.HasPrefix(line, "deleted file") {
			what = "deleted"
		} else if strings.HasPrefix(line, "Binary files") {
			what = join2(what, "binary")
		}
	}
	if name == "" { // a file without lines has none of these headers
		_, name, _ = strings.Cut(firstLine(file), " b/")
	}
	if added, removed := diffStat(file); added+removed > 0 {
		what = join2(what, fmt.Sprintf("+%d −%d", added, removed))
	}
	return t.strong.text(clean(strings.TrimRight(name, "\t"))) + t.dim.text(" — "+what)
}
