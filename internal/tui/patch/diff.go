// Package patch lays out unified diffs of one or several files.
package patch

import (
	"fmt"
	"strconv"
	"strings"

	"agent/internal/text/textdiff"
	"agent/internal/tui/highlight"
	"agent/internal/tui/style"
)

// line is a line of a diff: its displayed text, and the changed parts of it.
type line struct {
	kind byte // ' ', '+', '-', '\\', or '@' between hunks
	// number is the line number in the old file for '-', and in the new file otherwise.
	number int
	text   string
	marks  []style.Range
	words  []style.Range
	spans  style.Spans
}

// StatText returns the numbers of added and removed lines of a unified diff, as text for people.
func StatText(diff string) string {
	added, removed := textdiff.Stat(diff)
	return "+" + strconv.Itoa(added) + " −" + strconv.Itoa(removed)
}

// body returns the hunks of a unified diff of one file, without its headers.
func body(diff string) []string {
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "@@") {
			return lines[i:]
		}
	}
	return nil
}

// parse parses a unified diff of one file. hidden is the number of invisible characters that Reveal has
// made visible.
func parse(diff string) (lines []line, hidden int) {
	rows := body(diff)
	rows, crlf := withoutCarriageReturns(rows)
	if crlf {
		lines = append(lines, line{kind: '\\', text: "lines end with CR LF"})
	}
	oldLine, newLine := 0, 0
	for i, row := range rows {
		l := line{kind: ' '}
		if row != "" {
			l.kind = row[0]
			row = row[1:]
		}
		switch l.kind {
		case '@':
			was, is := textdiff.Extents("@" + row)
			oldLine, newLine = was.Start, is.Start
			l.number = newLine
			if i > 0 {
				lines = append(lines, l)
			}
			continue
		case '-':
			l.number = oldLine
			oldLine++
		case '\\':
		default:
			l.number = newLine
			newLine++
			if l.kind != '+' {
				oldLine++
			}
		}
		revealed := style.Reveal(row)
		l.text, l.marks = revealed.Text, revealed.Marks
		hidden += revealed.Hidden
		lines = append(lines, l)
	}
	return lines, hidden
}

// withoutCarriageReturns removes the CR at the end of every line of a file with CR LF line ends. If only
// some lines end with a CR, the CR is a difference and remains visible.
func withoutCarriageReturns(rows []string) ([]string, bool) {
	var trimmed []string
	content := false
	for _, row := range rows {
		if !strings.HasPrefix(row, "@") && !strings.HasPrefix(row, `\`) {
			cut, found := strings.CutSuffix(row, "\r")
			if !found {
				return rows, false
			}
			row, content = cut, true
		}
		trimmed = append(trimmed, row)
	}
	return trimmed, content
}

// CountHidden returns the number of invisible characters in a diff.
func CountHidden(diff string) (n int) {
	files := Files(diff)
	for _, file := range files {
		_, hidden := parse(file.Diff)
		n += hidden
		if len(files) > 1 { // Render then shows the names
			n += style.Reveal(file.Name).Hidden
		}
	}
	return n
}

// Render lays out a unified diff with line numbers, the changed words and syntax highlighting. Added and
// removed lines have backgrounds if the terminal has colors for them. The signs + and - stay, so that the
// diff is readable without color. Lines are wrapped to width, in the column after their numbers. If the
// diff has several files, each begins with its name.
func Render(t *style.Theme, diff string, width int) (rows []string) {
	files := Files(diff)
	for i, file := range files {
		if i > 0 {
			rows = append(rows, "")
		}
		if len(files) > 1 {
			rows = append(rows, file.title(t).SoftRows(width)...)
		}
		rows = append(rows, file.rows(t, width)...)
	}
	return rows
}

func (f File) rows(t *style.Theme, width int) []string {
	lines, _ := parse(f.Diff)
	markWords(lines)
	color(t, lines, f.Name)
	gutter := 1
	for _, l := range lines {
		gutter = max(gutter, len(strconv.Itoa(l.number)))
	}
	var out []string
	for _, l := range lines {
		out = append(out, l.rows(t, gutter, width)...)
	}
	return out
}

// color sets the spans of every line. They are styled by syntax if backgrounds mark added and removed
// lines, and otherwise by side.
func color(t *style.Theme, lines []line, path string) {
	grounds := t.AddedGround.On != ""
	for i, l := range lines {
		text := style.Span{Text: l.text}
		if !grounds || l.kind == '\\' {
			text.Style = sideStyle(t, l.kind)
		}
		lines[i].spans = style.Spans{text}
	}
	if !grounds {
		return
	}
	for _, side := range []string{" +", "-"} {
		var code []string
		var at []int
		for i, l := range lines {
			if strings.IndexByte(side, l.kind) >= 0 {
				code, at = append(code, l.text), append(at, i)
			}
		}
		styled := highlight.Spans(t, strings.Join(code, "\n"), path)
		for i, spans := range styled[:min(len(styled), len(at))] {
			lines[at[i]].spans = spans
		}
	}
}

// rows lays out a line: its number, its sign, and its text, which is wrapped in the column after them.
func (l line) rows(t *style.Theme, gutter, width int) []string {
	if t.Spoken {
		return style.HardWrap(l.spokenText(), width)
	}
	if l.kind == '@' {
		return []string{t.Hunk.Text(strings.Repeat(" ", gutter) + " ⋮")}
	}
	number := ""
	if l.number > 0 {
		number = strconv.Itoa(l.number)
	}
	ground, words := grounds(t, l.kind)
	spans := l.spans.Restyle(l.words, words).Restyle(l.marks, t.Mark)
	room := width - gutter - 2
	var out []string
	for i, row := range spans.SoftWrap(max(10, room)) {
		sign := string(l.kind)
		if i > 0 {
			number, sign = "", " "
		}
		text := append(style.Spans{{Text: sign, Style: sideStyle(t, l.kind)}}, row...)
		if ground.On != "" {
			text[0].Style = t.Strong // red on red is unreadable
			text = text.OnBackground(ground, room+1)
		}
		out = append(out, t.Dim.Text(fmt.Sprintf("%*s ", gutter, number))+text.String())
	}
	return out
}

// spokenText returns the line with words in place of its signs.
func (l line) spokenText() string {
	number := strconv.Itoa(l.number)
	switch l.kind {
	case '@':
		return "further down:"
	case '+':
		return "line " + number + " added: " + l.text
	case '-':
		return "line " + number + " removed: " + l.text
	case '\\':
		return l.text
	}
	return "line " + number + ": " + l.text
}

func sideStyle(t *style.Theme, kind byte) style.Style {
	switch kind {
	case '+':
		return t.Added
	case '-':
		return t.Removed
	case '\\':
		return t.Dim
	}
	return t.Plain
}

// grounds returns the background of an added or removed line, and the style of its changed words. kind is
// the first character of the line.
func grounds(t *style.Theme, kind byte) (line, words style.Style) {
	switch {
	case kind != '+' && kind != '-':
		return style.Style{}, style.Style{}
	case t.AddedGround.On == "":
		return style.Style{}, t.Strong
	case kind == '+':
		return t.AddedGround, t.AddedWordGround
	}
	return t.RemovedGround, t.RemovedWordGround
}
