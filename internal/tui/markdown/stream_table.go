package markdown

import "strings"

// headRows is how many lines of a table decide how wide its columns are, header and
// delimiter among them. The rows of a longer one leave one by one.
const headRows = 14

// tableState is what is known of the table that is open.
type tableState struct {
	// header is the line that may be its header.
	header string
	// rows is how many lines it has, 0 while there is none.
	rows int
	// head is the beginning of a long one, which has left.
	head string
}

// next is the state after another line; first is set for the first one of a block.
func (t tableState) next(line string, first bool) tableState {
	switch row := strings.HasPrefix(line, "|"); {
	case t.rows > 0 && row:
		t.rows++
		return t
	case t.rows > 0:
		return tableState{}
	case first && row:
		return tableState{header: line}
	case t.header != "" && isDelimiter(line) && cells(line) == cells(t.header):
		return tableState{rows: 2}
	}
	return tableState{}
}

// isDelimiter reports a line that makes the line before it the header of a table.
func isDelimiter(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, " \t|:-") == ""
}

// cells is how many cells a row has.
func cells(row string) int {
	row = strings.ReplaceAll(strings.TrimSpace(row), `\|`, "")
	return strings.Count(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|") + 1
}

// delimiterOf makes the first line of what will be a table its header, "" for other
// text.
func delimiterOf(text string) string {
	line := strings.TrimSpace(text)
	if !strings.HasPrefix(line, "|") || strings.Count(line, "|") < 2 || strings.Contains(line, "\n") {
		return ""
	}
	return "\n" + strings.Repeat("|-", cells(line)) + "|"
}
