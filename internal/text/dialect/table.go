package dialect

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tableParser turns the end of a paragraph into a table: the line above a rule of dashes, the
// rule itself and all lines below it. It sets only the fields that Renderer reads.
type tableParser struct{}

// Transform implements parser.ParagraphTransformer.
func (tableParser) Transform(paragraph *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source, lines := reader.Source(), paragraph.Lines()
	for i := 1; i < lines.Len(); i++ {
		rule := lines.At(i)
		alignments := parseRule(rule.Value(source))
		if alignments == nil {
			continue
		}
		header := parseCells(lines.At(i-1), source)
		if len(header) > len(alignments) {
			return
		}
		table := extast.NewTable()
		table.Alignments = alignments
		table.AppendChild(table, extast.NewTableHeader(newRow(header, alignments)))
		for _, line := range lines.Sliced(i+1, lines.Len()) {
			table.AppendChild(table, newRow(parseCells(line, source), alignments))
		}
		replaceEnd(paragraph, i-1, table)
		return
	}
}

// replaceEnd replaces the lines of a paragraph from first on by a node, and removes the paragraph
// if it has no lines left.
func replaceEnd(paragraph *ast.Paragraph, first int, node ast.Node) {
	parent, lines := paragraph.Parent(), paragraph.Lines()
	parent.InsertAfter(parent, paragraph, node)
	if first == 0 {
		parent.RemoveChild(parent, paragraph)
		return
	}
	lines.SetSliced(0, first)
	last := lines.At(first - 1)
	last.Stop-- // the line feed
	lines.Set(first-1, last)
}

// parseRule returns the alignment of each column according to the line below a table's header, or
// nil for any other line.
func parseRule(line []byte) []extast.Alignment {
	if indent, _ := util.IndentWidth(line, 0); indent > 3 || len(bytes.Trim(line, "-")) == 0 {
		return nil
	}
	columns := bytes.Split(line, []byte{'|'})
	if util.IsBlank(columns[0]) {
		columns = columns[1:]
	}
	if n := len(columns); n > 0 && util.IsBlank(columns[n-1]) {
		columns = columns[:n-1]
	}
	var alignments []extast.Alignment
	for _, column := range columns {
		alignment, ok := parseAlignment(bytes.Trim(column, " \t\r\n\f"))
		if !ok {
			return nil
		}
		alignments = append(alignments, alignment)
	}
	return alignments
}

// parseAlignment parses one column of the rule: dashes, with a colon at the side to align to.
func parseAlignment(column []byte) (extast.Alignment, bool) {
	dashes, left := bytes.CutPrefix(column, []byte{':'})
	dashes, right := bytes.CutSuffix(dashes, []byte{':'})
	if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
		return extast.AlignNone, false
	}
	switch {
	case left && right:
		return extast.AlignCenter, true
	case left:
		return extast.AlignLeft, true
	case right:
		return extast.AlignRight, true
	}
	return extast.AlignNone, true
}

// parseCells returns the positions of the cells of a line: between bars without a backslash
// before them, and without the space around them.
func parseCells(line text.Segment, source []byte) []text.Segment {
	line = line.TrimLeftSpace(source)
	line = line.TrimRightSpace(source)
	content := source[line.Start:line.Stop]
	if len(content) > 0 && content[0] == '|' {
		line.Start++
	}
	if len(content) > 0 && content[len(content)-1] == '|' {
		line.Stop--
	}
	var cells []text.Segment
	for line.Start < line.Stop {
		end := line.Start
		for end < line.Stop && (source[end] != '|' || end > line.Start && source[end-1] == '\\') {
			end++
		}
		cell := text.NewSegment(line.Start, end)
		cell = cell.TrimLeftSpace(source)
		cells = append(cells, cell.TrimRightSpace(source))
		line.Start = end + 1
	}
	return cells
}

// newRow returns a row with one cell for each column. It drops cells beyond the last column and
// adds empty cells.
func newRow(cells []text.Segment, alignments []extast.Alignment) *extast.TableRow {
	row := extast.NewTableRow(alignments)
	for i, alignment := range alignments {
		cell := extast.NewTableCell()
		if i < len(cells) {
			cell.Alignment = alignment
			cell.Lines().Append(cells[i])
		}
		row.AppendChild(row, cell)
	}
	return row
}
