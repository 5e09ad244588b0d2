package markdown

import (
	"slices"
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"

	"agent/internal/tui/style"
)

// minColumn is the smallest width of a column, in cells. If columns would be narrower, the rows are shown
// as records.
const minColumn = 6

// table renders a table in at most width cells. Cells that are too wide are wrapped. A table with too many
// columns becomes one record for each row.
func (m *Renderer) table(table *extast.Table, width int) []string {
	var rows [][]style.Spans
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		look := m.theme.Plain
		if row.Kind() == extast.KindTableHeader {
			look = m.theme.Strong
		}
		var cells []style.Spans
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
		out = append(m.tableRow(rows[0], widths, table.Alignments), m.tableRule(widths, "─", "─┼─"))
	}
	wraps := slices.ContainsFunc(decide[1:], func(row []style.Spans) bool { return len(m.tableRow(row, widths, table.Alignments)) > 1 })
	for i, row := range rows[1+skip:] {
		if wraps && i+skip > 0 { // otherwise the lines of two rows would look like one row
			out = append(out, m.tableRule(widths, "┄", "┄┼┄"))
		}
		out = append(out, m.tableRow(row, widths, table.Alignments)...)
	}
	return out
}

// spokenTable returns a sentence for each row: "file: lex.go, lines: 120".
func spokenTable(rows [][]style.Spans, skip int) []string {
	text := func(cell style.Spans) string { return strings.TrimSpace(cell.Plain()) }
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

// partOfTable returns the rows that determine the widths of the columns. skip is the number of rows that
// earlier pieces have shown, because a long table is printed in parts.
func (m *Renderer) partOfTable(rows [][]style.Spans) (decide [][]style.Spans, skip int) {
	if m.piece.Table != "" && m.piece.Table != m.piece.Text {
		skip = min(headRows-2, len(rows)-1)
	}
	return rows[:min(len(rows), headRows-1)], skip
}

// widen adds some of the spare room to the columns of an unfinished table, for longer cells in later rows.
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

// tableRule returns a rule made of a mark, with a crossing between the columns.
func (m *Renderer) tableRule(widths []int, mark, crossing string) string {
	rules := make([]string, len(widths))
	for i, w := range widths {
		rules[i] = strings.Repeat(mark, w)
	}
	return m.theme.Dim.Text(strings.Join(rules, crossing))
}

// column holds the width requirements of the cells of a column.
type column struct {
	// width is the width of the widest cell. word is the width of the longest word. ordinary is the width
	// of the longest word that must not be broken.
	width, word, ordinary int
}

// ordinaryWord is the width up to which a word must not be broken. A longer word, such as an address, may
// be broken.
const ordinaryWord = 24

func measured(rows [][]style.Spans) []column {
	columns := make([]column, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:min(len(row), len(columns))] {
			c, longest := &columns[i], longestWord(cell)
			c.width, c.word = max(c.width, cell.Width()), max(c.word, longest)
			if longest <= ordinaryWord {
				c.ordinary = max(c.ordinary, longest)
			}
		}
	}
	return columns
}

// columnWidths divides the room among the columns. Each column has room for its longest word, and the rest
// is divided in proportion to the additional width of their cells. It returns false if a column becomes too
// narrow to read: narrower than six cells, or than an ordinary word in it.
func columnWidths(rows [][]style.Spans, room int) ([]int, bool) {
	columns := measured(rows)
	widths := make([]int, len(columns))
	rest, needs := room, 0
	for i, c := range columns {
		widths[i] = min(c.width, max(minColumn, c.ordinary))
		rest -= widths[i]
		needs += c.width - widths[i]
	}
	if rest < 0 {
		return widths, false
	}
	for i, c := range columns {
		if need := c.width - widths[i]; need > 0 {
			more := min(need, rest*need/needs)
			widths[i] += more
			rest, needs = rest-more, needs-need
		}
	}
	keepWords(widths, columns)
	return widths, true
}

// keepWords moves cells from columns with room to spare to columns that would break a word.
func keepWords(widths []int, columns []column) {
	spare := slices.Clone(widths)
	for i, c := range columns {
		spare[i] -= max(minColumn, c.word)
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

// keptWhole is the width up to which a word in a script of wide characters is not broken in a cell. Such
// scripts can be broken anywhere.
const keptWhole = 8

// longestWord returns the width of the longest text that should not be broken in a cell.
func longestWord(cell style.Spans) int {
	longest := 0
	for word := range strings.FieldsSeq(cell.Plain()) {
		width := style.Width(word)
		if width < len(word) {
			width = min(width, keptWhole)
		}
		longest = max(longest, width)
	}
	return longest
}

func (m *Renderer) tableRow(row []style.Spans, widths []int, alignments []extast.Alignment) []string {
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

// records formats each row as "column: value" lines. It omits the first skip rows.
func (m *Renderer) records(rows [][]style.Spans, skip, width int) []string {
	var out []string
	for y, row := range rows[1+skip:] {
		if y+skip > 0 {
			out = append(out, "")
		}
		for i, cell := range row {
			head := append(slices.Clone(rows[0][min(i, len(rows[0])-1)]), style.Span{Text: ": "})
			out = append(out, style.Indent(style.WrapSpans(append(head, cell...), width-2), "", "  ")...)
		}
	}
	return out
}
