package markdown

import (
	"strconv"
	"strings"
)

// Stream takes a growing markdown text apart into pieces that never change any more:
// blocks (a paragraph, a table, a heading), the items of a list, and the lines of a
// fenced block of code. What is open is looked at again only for its new lines, never
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
	// More is set when it goes on with the block that the piece before began.
	More bool
	// First is the number of its first item in a numbered list that goes on, else 0.
	First int
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
			emit(s.scanned, Piece{More: state.more, First: state.number})
		case endsAfter:
			emit(next, Piece{More: state.more, First: state.number})
		case endsBoth:
			emit(s.scanned, Piece{More: state.more, First: state.number})
			emit(next, Piece{})
		case opensCode: // what stands before leaves, the opener is remembered
			emit(s.scanned, Piece{More: state.more, First: state.number})
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
	if piece, ok := s.Open(); ok {
		closed = append(closed, piece)
	}
	*s = Stream{}
	return closed
}

// Open is the piece that still grows, as if it ended here; ok is false when there is
// none.
func (s *Stream) Open() (piece Piece, ok bool) {
	text, b := s.open.String(), s.block
	if strings.TrimSpace(text) == "" {
		return Piece{}, false
	}
	if b.opener != "" {
		return Piece{Text: b.opener + "\n" + strings.TrimRight(text, "\r\n") + "\n" + b.fence, More: b.more}, true
	}
	return Piece{Text: strings.Trim(text, "\r\n"), More: b.more, First: b.number}, true
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
)

// line looks at one line and tells what it means for the open block.
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
	ends := b.started && !inside && (b.blank || fence != "" || heading)
	if ends {
		*b = blockState{}
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
	b.started, b.blank, b.fence = true, false, fence
	if ends {
		return endsBefore
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
