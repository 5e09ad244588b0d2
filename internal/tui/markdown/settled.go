package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"agent/internal/tui/style"
)

// SettledRows returns how many rows at the beginning of an open paragraph cannot change, whatever text follows.
// These are the rows before the first character that may begin emphasis, code or a link. rows is the result
// of Piece for the paragraph. SettledRows returns 0 for other blocks. It cannot foresee that the next line
// turns the paragraph into a heading.
func (m *Renderer) SettledRows(piece Piece, rows []string, width int) int {
	if !isParagraph(piece.Text) {
		return 0
	}
	m.source = []byte(style.CleanProse(piece.Text))
	doc := m.parser.Parse(text.NewReader(m.source))
	paragraph, ok := doc.FirstChild().(*ast.Paragraph)
	if !ok || paragraph.NextSibling() != nil {
		return 0
	}
	var settled style.Spans
	for n := paragraph.FirstChild(); n != nil; n = n.NextSibling() {
		said, isText := n.(*ast.Text)
		at := -1
		if isText {
			at = m.opens(said, "*_~`[<&")
		}
		if at >= 0 {
			settled = append(settled, style.Span{Text: unescape(m.source[said.Segment.Start:at])})
		}
		if at >= 0 || !isText && (m.onlySignsFollow(n) || m.holdsOpen(n)) {
			return min(len(rows), len(style.WrapSpans(settled, m.theme.ProseWidth(width)))) - 1
		}
		settled = append(settled, m.inline(n, m.theme.Plain)...)
	}
	return len(rows) - 1
}

// onlySignsFollow reports whether a closed mark is followed only by emphasis characters. The next text then
// determines whether these characters, and the one that closed the mark, can close.
func (m *Renderer) onlySignsFollow(node ast.Node) bool {
	for n := node.NextSibling(); n != nil; n = n.NextSibling() {
		rest, isText := n.(*ast.Text)
		if !isText || strings.Trim(string(rest.Segment.Value(m.source)), "*_~") != "" {
			return false
		}
	}
	return true
}

// isParagraph reports whether a text can be one paragraph: no line in it begins another kind of block.
func isParagraph(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " \t")
		if trimmed == "" || isHeading(trimmed) || isListItem(trimmed) || opensFence(trimmed) != "" || strings.IndexByte(">|<=-", trimmed[0]) >= 0 || len(line)-len(trimmed) >= 4 {
			return false
		}
	}
	return true
}

// holdsOpen reports whether a closed mark contains the beginning of another mark that would take
// precedence.
func (m *Renderer) holdsOpen(node ast.Node) bool {
	open := false
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			open = open || strings.ContainsAny(string(n.Destination), "`<")
		case *ast.Text:
			open = open || m.opens(n, "`[<") >= 0
		}
		return ast.WalkContinue, nil
	})
	return open
}

// opens returns the position in the source of the first character that may open a mark, or -1 if there is
// none.
func (m *Renderer) opens(n *ast.Text, signs string) int {
	for i := n.Segment.Start; i < n.Segment.Stop; i++ {
		switch c := m.source[i]; {
		case c == '\\':
			i++
		case strings.IndexByte(signs, c) >= 0 && m.mayOpen(c, i):
			return i
		}
	}
	return -1
}

// mayOpen reports whether the character at a position of the source may begin a mark, judging from the text
// after it so far.
func (m *Renderer) mayOpen(sign byte, at int) bool {
	before, _ := utf8.DecodeLastRune(m.source[:at])
	after, size := utf8.DecodeRune(m.source[at+1:])
	end := size == 0
	switch sign {
	case '`':
		return true
	case '[':
		return m.bracketOpen(at)
	case '<':
		return end || unicode.IsLetter(after) || strings.ContainsRune("/!?", after)
	case '&':
		return !strings.ContainsAny(string(m.source[at:]), " \n;")
	case '_':
		return end || !unicode.IsSpace(after) && (after == '_' || !unicode.IsLetter(before) && !unicode.IsNumber(before))
	}
	return end || !unicode.IsSpace(after)
}

// bracketOpen reports whether a bracket may begin a link. That is so if it may still be open, or if an
// address follows or may follow it.
func (m *Renderer) bracketOpen(at int) bool {
	depth := 0
	for i := at; i < len(m.source); i++ {
		switch m.source[i] {
		case '\\':
			i++
		case '`', '<': // a bracket in code or in an address does not close a link
			return true
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i+1 == len(m.source) || m.source[i+1] == '('
			}
		}
	}
	return true
}
