package markdown

import (
	"strings"

	"agent/internal/tui/style"
)

// Stream takes a growing markdown text apart into blocks (a paragraph, a list, a
// table, a fenced block of code, a heading). A block that is closed never changes
// any more: it can be rendered and leave. What is open is looked at again only for
// its new lines, never from its start.
type Stream struct {
	Open strings.Builder
	// scanned is how much of open has been looked at, in whole lines.
	scanned int
	block   blockState
}

// blockState is what is known about the open block.
type blockState struct {
	started bool
	list    bool
	// blank: the block was followed by a blank line, and only a line that is
	// indented can continue it.
	blank bool
	// fence is the run of characters that opened a fenced block, empty outside.
	fence string
}

// Add takes more text and returns the blocks it closed.
func (s *Stream) Add(delta string) (closed []string) {
	s.Open.WriteString(delta)
	if !strings.Contains(delta, "\n") {
		return nil
	}
	text := s.Open.String()
	begin := 0
	for {
		end := strings.IndexByte(text[s.scanned:], '\n')
		if end < 0 {
			break
		}
		next := s.scanned + end + 1
		before, after := s.line(strings.TrimRight(text[s.scanned:next], "\r\n"))
		if before {
			closed = appendBlock(closed, text[begin:s.scanned])
			begin = s.scanned
		}
		if after {
			closed = appendBlock(closed, text[begin:next])
			begin = next
		}
		s.scanned = next
	}
	if begin > 0 {
		s.Open.Reset()
		s.Open.WriteString(text[begin:])
		s.scanned -= begin
	}
	return closed
}

// End returns what is still open and starts afresh.
func (s *Stream) End() (closed []string) {
	closed = appendBlock(nil, s.Open.String())
	*s = Stream{}
	return closed
}

func appendBlock(blocks []string, block string) []string {
	if strings.TrimSpace(block) == "" {
		return blocks
	}
	return append(blocks, strings.Trim(block, "\r\n"))
}

// line looks at one line and tells whether the open block ends before or after it.
func (s *Stream) line(line string) (before, after bool) {
	b := &s.block
	trimmed := strings.TrimLeft(line, " \t")
	indented := len(line)-len(trimmed) >= 2
	if b.fence != "" {
		if closesFence(trimmed, b.fence) {
			b.fence = ""
			if !b.list {
				*b = blockState{}
				return false, true
			}
		}
		return false, false
	}
	if trimmed == "" {
		if b.started && !b.list {
			*b = blockState{}
			return false, true
		}
		b.blank = b.started
		return false, false
	}
	fence, heading := opensFence(trimmed), isHeading(trimmed)
	inside := b.list && indented
	if b.started && !inside && (b.blank || fence != "" || heading) {
		before, *b = true, blockState{}
	}
	if heading && !inside {
		*b = blockState{}
		return before, true
	}
	if !b.started {
		b.list = isListItem(trimmed)
	}
	b.started, b.blank, b.fence = true, false, fence
	return before, false
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

// Tail returns the last rows of the open text as plain text.
func (s *Stream) Tail(width, height int) []string { return style.Tail(s.Open.String(), width, height) }
