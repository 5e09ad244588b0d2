package markdown

import (
	"strconv"
	"strings"
)

// Stream takes a growing markdown text apart into pieces that never change any more:
// blocks (a paragraph, a heading), the items of a list, the rows of a long table, and
// the lines of a fenced block of code. What is open is looked at again only for its new lines, never
// from its start.
type Stream struct {
	open strings.Builder
	// scanned is how much of open has been looked at, in whole lines.
	scanned int
	block   blockState
}

// Piece is a piece of markdown that can be rendered by itself.
type Piece struct {
	Text string
	// More is set when it continues with the block that the piece before began.
	More bool
	// First is the number of its first item in a numbered list that continues, else 0.
	First int
	// Table is the beginning of the long table that it is a part of, else "". It decides
	// how wide the columns are.
	Table string
}

// blockState is what is known about the open block.
type blockState struct {
	started bool
	list    bool
	// blank: the block was followed by a blank line, and only a line that is
	// indented can continue it.
	blank bool
	// fence is the run of characters that opened a fenced block, empty outside, and
	// opener its line when the block is not part of a list.
	fence, opener string
	// table is what is known of the table that is open.
	table tableState
	// more is set when a piece of the block has left, number is that of the next
	// piece's first item.
	more   bool
	number int
	items  int
}

// Add takes more text and returns the pieces that are finished.
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
		case opensCode: // what is before it leaves, the opener is remembered
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

// emitCode adds whole lines of a fenced block, fenced again.
func (s *Stream) emitCode(closed *[]Piece, state blockState, code string) {
	if code != "" {
		*closed = append(*closed, Piece{Text: state.opener + "\n" + code + state.fence, More: state.more})
	}
}

// End returns what is still open and starts afresh.
func (s *Stream) End() (closed []Piece) {
	if text := s.open.String(); strings.TrimSpace(text) != "" {
		closed = append(closed, s.block.rest(text))
	}
	*s = Stream{}
	return closed
}

// Open is the piece that still grows, without an end whose meaning is not known yet; ok is
// false when there is nothing to show.
func (s *Stream) Open() (piece Piece, ok bool) {
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

// rest is what is left of the open block, as if it ended there.
func (b *blockState) rest(text string) Piece {
	piece := b.piece()
	piece.Text = strings.Trim(text, "\r\n")
	if b.opener != "" {
		piece.Text = b.opener + "\n" + strings.TrimRight(text, "\r\n") + "\n" + b.fence
	}
	return piece
}

// piece is what the open block is a piece of.
func (b *blockState) piece() Piece { return Piece{More: b.more, First: b.number, Table: b.table.head} }

// beforeMarks is a text without a last line that is only marks and has not ended: nobody
// knows yet what it makes of itself, or of the line before.
func beforeMarks(text string) string {
	start := strings.LastIndexByte(text, '\n') + 1
	if strings.Trim(text[start:], " \t-=*+#`~|:>.0123456789") != "" {
		return text
	}
	return text[:start]
}

// ending says what a line means for the open block.
type ending int

const (
	goesOn ending = iota
	endsBefore
	endsAfter
	endsBoth
	opensCode
	endsCode
	// isLong is a row of a table that continues for long: rows leave one by one.
	isLong
)

// line looks at one line and reports what it means for the open block.
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

// nextItem begins an item of the open list: those before it are finished.
func (s *Stream) nextItem(line string) ending {
	b := &s.block
	next := 0
	if b.items > 0 && itemNumber(line) > 0 {
		next = max(b.number, b.items) + 1
	}
	*b = blockState{started: true, list: true, more: !b.blank, number: next, items: max(next, itemNumber(line))}
	return endsBefore
}

// itemNumber is the number of an item of a numbered list, else 0.
func itemNumber(line string) int {
	digits := line[:len(line)-len(strings.TrimLeft(line, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// opensFence returns the run of backticks or tildes that opens a fenced block.
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
