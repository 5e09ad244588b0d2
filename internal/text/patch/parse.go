package patch

import (
	"strings"

	"agent/internal/base/lazyregexp"
)

// The lines that begin and end a patch.
const (
	beginMarker = "*** Begin Patch"
	endMarker   = "*** End Patch"
	endOfFile   = "*** End of File"
	moveHeader  = "*** Move to:"
)

// headers maps operations to the beginnings of the header lines of their sections.
var headers = [...]string{Add: "*** Add File:", Delete: "*** Delete File:", Update: "*** Update File:"}

// Parse reads a patch. It ignores text outside of the markers and joins several patches to
// one. The error is an *[Error].
func Parse(text string) ([]Section, error) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	p := &parser{lines: lines}
	found := false
	for i := 0; i < len(lines); i++ {
		if !same(strings.TrimSpace(lines[i]), beginMarker) {
			continue
		}
		found = true
		end := p.end(i)
		if end < 0 {
			return nil, Errorf(BadLastLine, `The patch has no line "%s"; was it cut? Send it again, in two patches if it is long.`, endMarker)
		}
		if err := p.body(i+1, end); err != nil {
			return nil, err
		}
		i = end
	}
	switch {
	case !found:
		return nil, Errorf(BadFirstLine, `The patch has no line "%s". A patch begins with that line and ends with "%s".`, beginMarker, endMarker)
	case len(p.sections) == 0:
		return nil, Errorf(EmptyPatch, `The patch has no section between "%s" and "%s".`, beginMarker, endMarker)
	}
	return p.sections, nil
}

func same(a, b string) bool { return strings.EqualFold(a, b) }

// cutPrefixFold returns the part of a line after a beginning, which it compares without case. ok
// reports whether the line has the beginning.
func cutPrefixFold(beginning, line string) (rest string, ok bool) {
	line = strings.TrimSpace(line)
	if len(line) < len(beginning) || !same(line[:len(beginning)], beginning) {
		return "", false
	}
	return strings.TrimSpace(line[len(beginning):]), true
}

// parser reads the lines of a patch.
type parser struct {
	lines    []string
	sections []Section
}

// end returns the index of the end marker of the patch that begins at a line, -1 for none. It
// prefers the first end marker without indentation, since a line of an update may look like an
// indented marker. If there is no such marker, it returns the last indented one.
func (p *parser) end(begin int) int {
	last := -1
	for i := begin + 1; i < len(p.lines); i++ {
		line := strings.TrimRight(p.lines[i], " \t")
		switch {
		case same(line, endMarker):
			return i
		case same(line, beginMarker):
			return last
		case same(strings.TrimSpace(line), endMarker):
			last = i
		}
	}
	return last
}

// body reads the sections between two lines.
func (p *parser) body(begin, end int) error {
	first := len(p.sections)
	var section *Section
	for i := begin; i < end; i++ {
		line := p.lines[i]
		if op, path, ok := header(line, section); ok {
			if path == "" {
				return Errorf(BadHeader, "Line %d, %s: the path is missing.", i+1, quoted(line))
			}
			p.sections = append(p.sections, Section{Op: op, Path: path, Line: i + 1})
			section = &p.sections[len(p.sections)-1]
			continue
		}
		if err := p.line(section, i); err != nil {
			return err
		}
	}
	for i := first; i < len(p.sections); i++ {
		if err := p.sections[i].close(); err != nil {
			return err
		}
	}
	return nil
}

// header parses the first line of a section. In an update, a line that begins with a blank is not a
// header.
func header(line string, in *Section) (op Op, path string, ok bool) {
	if in != nil && in.Op == Update && strings.HasPrefix(line, " ") {
		return 0, "", false
	}
	for op, header := range headers {
		if path, ok := cutPrefixFold(header, line); ok {
			return Op(op), path, true
		}
	}
	return 0, "", false
}

// line parses a line of a section after its header.
func (p *parser) line(s *Section, i int) error {
	line := p.lines[i]
	empty := strings.TrimSpace(line) == ""
	switch {
	case s == nil && empty:
		return nil
	case s == nil:
		return badHeader(i, line)
	case s.Op == Update:
		return s.update(i, line)
	case s.Op == Add && strings.HasPrefix(line, "+"):
		s.Text += line[1:] + "\n"
		return nil
	case s.Op == Add && empty:
		s.Text += "\n"
		return nil
	case empty:
		return nil
	case strings.HasPrefix(line, "***"):
		return badHeader(i, line)
	}
	return badLine(i, line)
}

func badHeader(i int, line string) error {
	return Errorf(BadHeader, "Line %d, %s: a header is needed here: *** Add File: PATH, *** Delete File: PATH or *** Update File: PATH.", i+1, quoted(line))
}

func badLine(i int, line string) error {
	return Errorf(BadLine, "Line %d, %s: lines of an Update File section must begin with a space, - or +; lines of an Add File section with +; a Delete File section has no lines.", i+1, quoted(line))
}

func (s *Section) update(i int, line string) error {
	chunk := func() *Chunk { return &s.Chunks[len(s.Chunks)-1] }
	open := len(s.Chunks) > 0 && !chunk().AtEnd
	begin := func() {
		s.Chunks = append(s.Chunks, Chunk{Number: len(s.Chunks) + 1, Line: i + 1})
	}
	trimmed := strings.TrimSpace(line)
	target, moves := cutPrefixFold(moveHeader, line)
	switch {
	case line == "" || strings.ContainsRune(" -+", rune(line[0])):
		if !open && trimmed == "" && line == "" {
			return nil // between the header and the first chunk
		}
		if !open {
			begin()
		}
		c := chunk()
		if line == "" {
			c.Lines = append(c.Lines, Line{Mark: Context, bare: true})
		} else {
			c.Lines = append(c.Lines, Line{Mark: Mark(line[0]), Text: line[1:]})
		}
	case strings.HasPrefix(line, "@@"):
		if !open || len(chunk().Lines) > 0 || len(chunk().Anchors) == 0 {
			begin()
		}
		if anchor := anchorOf(line); anchor != "" {
			chunk().Anchors = append(chunk().Anchors, anchor)
		}
	case moves && len(s.Chunks) == 0:
		if s.MoveTo, s.moveLine = target, i+1; target == "" {
			return Errorf(BadHeader, "Line %d, %s: the path is missing.", i+1, quoted(line))
		}
	case same(trimmed, endOfFile):
		if open {
			chunk().AtEnd = true
		}
	case strings.HasPrefix(line, `\`): // the note of a unified diff about a missing line feed
	case trimmed == "":
		return s.update(i, "")
	case strings.HasPrefix(line, "***"):
		return badHeader(i, line)
	default:
		return badLine(i, line)
	}
	return nil
}

// numbers matches the line numbers of a unified diff after @@.
var numbers = lazyregexp.New(`^-\d+(,\d+)? \+\d+(,\d+)?( @@|$)`)

func anchorOf(line string) string {
	anchor := strings.TrimPrefix(line, "@@")
	anchor = strings.TrimPrefix(anchor, " ")
	if at := numbers.FindStringSubmatch(anchor); at != nil {
		anchor = strings.TrimPrefix(anchor[len(at[0]):], " ")
	}
	anchor = strings.TrimRight(anchor, " \t")
	if rest, ok := strings.CutSuffix(anchor, "@@"); ok {
		anchor = strings.TrimRight(rest, " \t")
	}
	return anchor
}

// close removes empty chunks. It returns an error if the section then has no chunks.
func (s *Section) close() error {
	if s.Op == Add {
		return nil
	}
	var chunks []Chunk
	for _, c := range s.Chunks {
		for len(c.Lines) > 0 && c.Lines[len(c.Lines)-1].bare {
			c.Lines = c.Lines[:len(c.Lines)-1]
		}
		if len(c.Lines) > 0 {
			c.Number = len(chunks) + 1
			chunks = append(chunks, c)
		}
	}
	s.Chunks = chunks
	if s.Op == Update && len(chunks) == 0 && s.MoveTo == "" {
		return Errorf(EmptySection, "The Update of %s (line %d of the patch) has no lines.", s.Path, s.Line)
	}
	return nil
}
