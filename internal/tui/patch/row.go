package patch

import (
	"fmt"
	"strconv"
	"strings"

	"agent/internal/tui/style"
)

// rows wraps a line: its number, its sign, its text, wrapped behind them.
func (l line) rows(t *style.Theme, gutter, width int) []string {
	if t.Spoken {
		if width <= 0 {
			return []string{l.spoken()}
		}
		return style.HardWrap(l.spoken(), width)
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
	rows := []style.Spans{spans}
	room := width - gutter - 2
	if width > 0 {
		rows = spans.SoftWrap(max(10, room))
	}
	var out []string
	for i, row := range rows {
		sign := string(l.kind)
		if i > 0 {
			number, sign = "", " "
		}
		text := append(style.Spans{{Text: sign, Style: sideStyle(t, l.kind)}}, row...)
		if ground.On != "" {
			text[0].Style = t.Strong // red on red would not be read
			if pad := room - row.Width(); pad > 0 && width > 0 {
				text = append(text, style.Span{Text: strings.Repeat(" ", pad)})
			}
			for j := range text {
				text[j].Style = text[j].Style.Over(ground)
			}
		}
		out = append(out, t.Dim.Text(fmt.Sprintf("%*s ", gutter, number))+text.String())
	}
	return out
}

// spoken is the line with words for its signs.
func (l line) spoken() string {
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

// sideStyle is the text style of a side of the diff.
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

// grounds are the backgrounds of a side, and what is laid over the words that
// changed.
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
