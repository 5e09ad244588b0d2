package tui

// kind says what a printed block is; it decides where blank lines go.
type kind int

// The kinds of block.
const (
	nothing kind = iota
	// lineBlock is one of the lines that tell what happens: tools, notices.
	lineBlock
	// textBlock is something to read: a message, a block of the reply.
	textBlock
)

// scrollback is the one ordered way out of the model: finished lines that wait to
// be printed, once.
type scrollback struct {
	lines []string
	last  kind
}

// print adds a block. Blocks to read have a blank line around them.
func (s *scrollback) print(k kind, lines ...string) {
	if len(lines) == 0 {
		return
	}
	if s.last != nothing && (k == textBlock || k != s.last) {
		s.lines = append(s.lines, "")
	}
	s.lines = append(s.lines, lines...)
	s.last = k
}

// take removes what waits.
func (s *scrollback) take() []string {
	lines := s.lines
	s.lines = nil
	return lines
}
