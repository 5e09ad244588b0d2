package markdown

import (
	"strconv"
	"strings"
)

// Stream divides a growing markdown text into pieces that never change again. A piece is a block such as a
// paragraph, a list item, a row of a long table, or a line of fenced code. Stream examines each line of the
// open block once, never the block from its start.
type Stream struct {
	open strings.Builder
	// scanned is the length of the examined part of open, in whole lines.
	scanned int
	block   blockState
}

// Piece is a piece of markdown that can be rendered by itself.
type Piece struct {
	Text string
	// More is set if the piece continues the block of the previous piece.
	More bool
	// First is the number of the first item if the piece continues a numbered list, otherwise 0.
	First int
	// Table is the beginning of the long table that the piece belongs to, or "". It determines the widths
	// of the columns.
	Table string
}

// blockState is the state of the open block.
type blockState struct {
	started bool
	list    bool
	// blank is set if a blank line followed the block. Then only an indented line can continue it.
	blank bool
	// fence is the run of characters that opened a fenced block, or "" outside of a fenced block. opener is
	// the whole line, if the block is not part of a list.
	fence, opener string
	// table is the state of the open table.
	table tableState
	// more is set once a piece of the block was returned. number is the number of the first item in the
	// next piece.
	more   bool
	number int
	items  int
}

// Add adds text and returns the pieces that are finished.
func (s *Stream) Add(delta string) (closed []Piece) {
	s.open.WriteString(delta)
	if !strings.Contains(delta, "\n") {
		return nil
	}
	text := s.open.String()
	begin := 0
	emit := func(to int, piece Piece) {
		if strings.TrimSpace(text[begin:to]) != "" || s.block.opener != "" && to > begin {
			piece.Text = strings.Trim(text[begin:to], "\r\n")
			closed = append(closed, piece)
		}
		begin = to
	}
	for {
		end := strings.IndexByte(text[s.scanned:], '\n')
		if end < 0 {
			break
		}
		next := s.scanned + end + 1
		line := strings.TrimRight(text[s.scanned:next], "\r\n")
		switch state := s.block; s.line(line) {
		case endsBefore:
			emit(s.scanned, state.piece())
		case endsAfter:
			emit(next, state.piece())
		case endsBoth:
			emit(s.scanned, state.piece())
			emit(next, Piece{})
		case isLong:
			s.block.table.head = strings.Trim(text[begin:s.scanned], "\r\n")
			emit(s.scanned, s.block.piece())
			s.block.more = true
			emit(next, s.block.piece())
		case opensCode: // s.block stores the opening line, emitCode repeats it
			emit(s.scanned, state.piece())
			begin = next
		case endsCode:
			s.emitCode(&closed, state, text[begin:s.scanned])
			begin = next
		}
		s.scanned = next
	}
	if s.block.opener != "" && s.scanned > begin {
		s.emitCode(&closed, s.block, text[begin:s.scanned])
		s.block.more = true
		begin = s.scanned
	}
	if begin > 0 {
		s.open.Reset()
		s.open.WriteString(text[begin:])
		s.scanned -= begin
	}
	return closed
}

// emitCode adds whole lines of a fenced block, between separate fences.
func (s *Stream) emitCode(closed *[]Piece, state blockState, code string) {
	if code != "" {
		*closed = append(*closed, Piece{Text: state.opener + "\n" + code + state.fence, More: state.more})
	}
}

// End returns the rest of the text as pieces and resets the stream.
func (s *Stream) End() (closed []Piece) {
	if text := s.open.String(); strings.TrimSpace(text) != "" {
		closed = append(closed, s.block.rest(text))
	}
	*s = Stream{}
	return closed
}

// OpenPiece returns the piece that still grows, without an end that is ambiguous. ok is false if there is
// nothing to show.
func (s *Stream) OpenPiece() (piece Piece, ok bool) {
	text := beforeMarks(s.open.String())
	if strings.TrimSpace(text) == "" {
		return Piece{}, false
	}
	piece = s.block.rest(text)
	if s.block.opener == "" && piece.Table == "" {
		piece.Text += delimiterOf(piece.Text)
	}
	return piece, true
}

// rest returns the open block as a piece, as if the block ended with text.
func (b *blockState) rest(text string) Piece {
	piece := b.piece()
	piece.Text = strings.Trim(text, "\r\n")
	if b.opener != "" {
		piece.Text = b.opener + "\n" + strings.TrimRight(text, "\r\n") + "\n" + b.fence
	}
	return piece
}

// piece returns a piece of the open block, without its text.
func (b *blockState) piece() Piece { return Piece{More: b.more, First: b.number, Table: b.table.head} }

// beforeMarks returns the text without an unfinished last line that consists only of marks. More text
// determines their meaning for this line or the line before.
func beforeMarks(text string) string {
	start := strings.LastIndexByte(text, '\n') + 1
	if strings.Trim(text[start:], " \t-=*+#`~|:>.0123456789") != "" {
		return text
	}
	return text[:start]
}

// ending is the effect of a line on the open block.
type ending int

const (
	goesOn ending = iota
	endsBefore
	endsAfter
	endsBoth
	opensCode
	endsCode
	// isLong means that the line is a row of a long table. From this row on, each row is a piece.
	isLong
)

// line examines one line and returns its effect on the open block.
func (s *Stream) line(line string) ending {
	b := &s.block
	trimmed := strings.TrimLeft(line, " \t")
	indented := len(line)-len(trimmed) >= 2
	if b.fence != "" {
		if !closesFence(trimmed, b.fence) {
			return goesOn
		}
		b.fence = ""
		if b.list {
			return goesOn
		}
		*b = blockState{}
		return endsCode
	}
	if trimmed == "" {
		if b.started && !b.list {
			*b = blockState{}
			return endsAfter
		}
		b.blank = b.started
		return goesOn
	}
	fence, heading, item := opensFence(trimmed), isHeading(trimmed), isListItem(trimmed)
	inside := b.list && indented
	if b.list && !indented && item {
		return s.nextItem(line)
	}
	table := b.table.next(trimmed, !b.started)
	ends := b.started && !inside && (b.blank || fence != "" || heading) || b.table.rows > table.rows
	if ends {
		*b = blockState{}
		table = tableState{}.next(trimmed, true)
	}
	switch {
	case heading && !inside:
		*b = blockState{}
		if ends {
			return endsBoth
		}
		return endsAfter
	case fence != "" && !inside && (!b.started || ends):
		*b = blockState{started: true, fence: fence, opener: line}
		return opensCode
	}
	if !b.started {
		b.list = item
		b.items = itemNumber(trimmed)
	}
	b.started, b.blank, b.fence, b.table = true, false, fence, table
	switch {
	case ends:
		return endsBefore
	case table.head != "":
		return endsAfter
	case table.rows > headRows:
		return isLong
	}
	return goesOn
}

// nextItem begins an item of the open list, and closes the items before it.
func (s *Stream) nextItem(line string) ending {
	b := &s.block
	next := 0
	if b.items > 0 && itemNumber(line) > 0 {
		next = max(b.number, b.items) + 1
	}
	*b = blockState{started: true, list: true, more: !b.blank, number: next, items: max(next, itemNumber(line))}
	return endsBefore
}

// itemNumber returns the number of an item of a numbered list, otherwise 0.
func itemNumber(line string) int {
	digits := line[:len(line)-len(strings.TrimLeft(line, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// opensFence returns the run of backticks or tildes that opens a fenced block, or "".
func opensFence(line string) string {
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return ""
	}
	run := line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
	if len(run) < 3 || run[0] == '`' && strings.Contains(line[len(run):], "`") {
		return ""
	}
	return run
}

func closesFence(line, fence string) bool {
	rest := strings.TrimLeft(line, fence[:1])
	return len(line)-len(rest) >= len(fence) && strings.TrimSpace(rest) == ""
}

func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	level := len(line) - len(rest)
	return level >= 1 && level <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

func isListItem(line string) bool {
	if len(line) >= 2 && strings.IndexByte("-*+", line[0]) >= 0 && (line[1] == ' ' || line[1] == '\t') {
		return true
	}
	rest := strings.TrimLeft(line, "0123456789")
	digits := len(line) - len(rest)
	return digits >= 1 && digits <= 9 && len(rest) >= 2 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' '
}

// headRows is the number of lines of a table, with header and delimiter, that determine the widths of its
// columns. In a longer table, each further row is a separate piece.
const headRows = 14

// tableState is the state of the open table.
type tableState struct {
	// header is a line that may be the header of a table.
	header string
	// rows is the number of lines of the table, or 0 while there is no table.
	rows int
	// head is the beginning of a long table, which was returned already.
	head string
}

// next returns the state after another line. first is set for the first line of a block.
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

// isDelimiter reports whether a line makes the line before it the header of a table.
func isDelimiter(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, " \t|:-") == ""
}

func cells(row string) int {
	row = strings.ReplaceAll(strings.TrimSpace(row), `\|`, "")
	return strings.Count(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|") + 1
}

// delimiterOf returns a delimiter line to append if text may be the first line of a table. The text is then
// rendered as the header. Otherwise it returns "".
func delimiterOf(text string) string {
	line := strings.TrimSpace(text)
	if !strings.HasPrefix(line, "|") || strings.Count(line, "|") < 2 || strings.Contains(line, "\n") {
		return ""
	}
	return "\n" + strings.Repeat("|-", cells(line)) + "|"
}
