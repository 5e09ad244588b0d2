package markdown

import (
	"slices"
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"

	"agent/internal/tui/style"
)

// minColumn is the narrowest a column of a table may get; below that the rows are
// shown as records.
const minColumn = 6

// table renders a table in at most width cells: columns that are too wide wrap,
// and a table with too many of them becomes one record a row.
func (m *Renderer) table(table *extast.Table, width int) []string {
	var rows [][][]style.Span
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		look := m.theme.Plain
		if row.Kind() == extast.KindTableHeader {
			look = m.theme.Strong
		}
		var cells [][]style.Span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, m.spans(cell, look))
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil
	}
	decide, skip := m.partOfTable(rows)
	if m.theme.Spoken {
		return spokenTable(rows, skip)
	}
	room := width - 3*(len(rows[0])-1)
	widths, ok := columnWidths(decide, room)
	if !ok {
		return m.records(rows, skip, width)
	}
	if len(decide) < len(rows) || m.piece.Table != "" {
		widen(widths, room)
	}
	var out []string
	if skip == 0 {
		out = m.tableHeader(rows[0], widths, table.Alignments)
	}
	for _, row := range rows[1+skip:] {
		out = append(out, m.tableRow(row, widths, table.Alignments)...)
	}
	return out
}

// spokenTable is a sentence a row: "file: lex.go, lines: 120".
func spokenTable(rows [][][]style.Span, skip int) []string {
	text := func(cell []style.Span) string {
		var b strings.Builder
		for _, span := range cell {
			b.WriteString(span.Text)
		}
		return strings.TrimSpace(b.String())
	}
	var out []string
	for _, row := range rows[1+skip:] {
		var cells []string
		for i, cell := range row {
			switch name, value := text(rows[0][min(i, len(rows[0])-1)]), text(cell); {
			case value == "":
			case name == "":
				cells = append(cells, value)
			default:
				cells = append(cells, name+": "+value)
			}
		}
		out = append(out, strings.Join(cells, ", "))
	}
	return out
}

// partOfTable returns the rows that decide how wide the columns are, and how many of
// the others were laid out before: a long table leaves in parts.
func (m *Renderer) partOfTable(rows [][][]style.Span) (decide [][][]style.Span, skip int) {
	if m.piece.Table != "" && m.piece.Table != m.piece.Text {
		skip = min(headRows-2, len(rows)-1)
	}
	return rows[:min(len(rows), headRows-1)], skip
}

// widen gives the columns of a table that continues some of the room that is left, for
// longer cells to come.
func widen(widths []int, room int) {
	spare := room
	for _, w := range widths {
		spare -= w
	}
	for i := range widths {
		more := min(widths[i]/2, spare/(len(widths)-i))
		widths[i] += more
		spare -= more
	}
}

// tableHeader is the first row, and a rule below it.
func (m *Renderer) tableHeader(row [][]style.Span, widths []int, alignments []extast.Alignment) []string {
	rules := make([]string, len(widths))
	for i, w := range widths {
		rules[i] = strings.Repeat("─", w)
	}
	return append(m.tableRow(row, widths, alignments), m.theme.Dim.Text(strings.Join(rules, "─┼─")))
}

// columnWidths shares the room out: columns that need less than a fair share get
// what they need, the others share the rest. It reports false when that leaves a
// column too narrow to read: for six cells, or for a word in it.
func columnWidths(rows [][][]style.Span, room int) ([]int, bool) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			if i < len(widths) {
				widths[i] = max(widths[i], spansWidth(cell))
			}
		}
	}
	fixed := make([]bool, len(widths))
	for open := len(widths); open > 0; {
		share, changed := room/open, false
		for i, w := range widths {
			if !fixed[i] && w <= share {
				fixed[i], changed = true, true
				room -= w
				open--
			}
		}
		if changed {
			continue
		}
		if share < minColumn {
			return nil, false
		}
		for i := range widths {
			if !fixed[i] {
				widths[i] = share
			}
		}
		keepWords(widths, rows)
		return widths, !splitsWord(widths, rows)
	}
	return widths, true
}

// ordinaryWord is how long a word is at most that is not to be broken; an address may be.
const ordinaryWord = 24

// splitsWord reports whether a column is too narrow for an ordinary word in it.
func splitsWord(widths []int, rows [][][]style.Span) bool {
	for _, row := range rows {
		for i, cell := range row {
			if longest := longestWord(cell); i < len(widths) && longest > widths[i] && longest <= ordinaryWord {
				return true
			}
		}
	}
	return false
}

// keepWords gives columns that would split a word cells of those that would not.
func keepWords(widths []int, rows [][][]style.Span) {
	spare := slices.Clone(widths)
	for i := range widths {
		longest := minColumn
		for _, row := range rows {
			if i < len(row) {
				longest = max(longest, longestWord(row[i]))
			}
		}
		spare[i] -= longest
	}
	for i := range widths {
		for spare[i] < 0 {
			from := slices.Index(spare, slices.Max(spare))
			if spare[from] <= 0 {
				return
			}
			spare[from]--
			widths[from]--
			spare[i]++
			widths[i]++
		}
	}
}

// keptWhole is the width up to which a word of a script of wide characters, which breaks
// anywhere, is kept whole in a cell.
const keptWhole = 8

// longestWord is the width of what a cell should not break.
func longestWord(cell []style.Span) int {
	var text strings.Builder
	for _, span := range cell {
		text.WriteString(span.Text)
	}
	longest := 0
	for _, word := range strings.Fields(text.String()) {
		width := style.Width(word)
		if width < len(word) {
			width = min(width, keptWhole)
		}
		longest = max(longest, width)
	}
	return longest
}

func spansWidth(spans []style.Span) int {
	width := 0
	for _, s := range spans {
		width += style.Width(s.Text)
	}
	return width
}

func (m *Renderer) tableRow(row [][]style.Span, widths []int, alignments []extast.Alignment) []string {
	cells := make([][]string, len(widths))
	height := 1
	for i := range widths {
		if i < len(row) {
			cells[i] = style.WrapSpans(row[i], widths[i])
		}
		height = max(height, len(cells[i]))
	}
	out := make([]string, height)
	for y := range out {
		var line strings.Builder
		for i, width := range widths {
			text := ""
			if y < len(cells[i]) {
				text = cells[i][y]
			}
			if i > 0 {
				line.WriteString(m.theme.Dim.Text(" │ "))
			}
			line.WriteString(align(text, width, alignments[i]))
		}
		out[y] = strings.TrimRight(line.String(), " ")
	}
	return out
}

func align(text string, width int, how extast.Alignment) string {
	room := max(0, width-style.Width(text))
	left := 0
	switch how {
	case extast.AlignRight:
		left = room
	case extast.AlignCenter:
		left = room / 2
	}
	return strings.Repeat(" ", left) + text + strings.Repeat(" ", room-left)
}

// records shows each row, but those to skip, as "column: value" lines.
func (m *Renderer) records(rows [][][]style.Span, skip, width int) []string {
	var out []string
	for y, row := range rows[1+skip:] {
		if y+skip > 0 {
			out = append(out, "")
		}
		for i, cell := range row {
			head := append(append([]style.Span(nil), rows[0][min(i, len(rows[0])-1)]...), style.Span{Text: ": "})
			out = append(out, style.Indent(style.WrapSpans(append(head, cell...), width-2), "", "  ")...)
		}
	}
	return out
}
