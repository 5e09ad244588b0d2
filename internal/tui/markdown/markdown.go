// Package markdown renders markdown for a terminal while it arrives. Stream divides a growing text into
// pieces that never change again, and Renderer lays out a Piece in rows.
//
// The interface (package tui) has one Renderer for each theme, and one Stream for each reply of the model.
// Printed rows cannot be changed, so Stream returns a block only once it is complete. Renderer.SettledRows
// returns how many rows of an open paragraph can be printed early. A Piece contains the state that its
// rendering needs from earlier pieces, such as the columns of a long table.
package markdown

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"agent/internal/text/gfm"
	"agent/internal/tui/highlight"
	"agent/internal/tui/style"
)

// Renderer turns closed blocks into lines for the terminal. It renders goldmark's tree itself, because
// glamour needs 40 ms to initialize and renders only 0.2 MB/s.
type Renderer struct {
	parser parser.Parser
	theme  *style.Theme
	source []byte
	// piece is the piece of a stream that is being laid out.
	piece Piece
}

// New returns a renderer for a theme. A Renderer must be used by one goroutine.
func New(t *style.Theme) *Renderer { return &Renderer{parser: gfm.NewParser(), theme: t} }

// RenderPiece renders a piece of a stream.
func (m *Renderer) RenderPiece(piece Piece, width int) []string {
	m.piece = piece
	defer func() { m.piece = Piece{} }()
	if piece.Table != "" && piece.Table != piece.Text {
		return m.Render(piece.Table+"\n"+piece.Text, width)
	}
	return m.Render(piece.Text, width)
}

// Render renders a block of markdown. Prose is at most width cells wide. Lines of code are not broken.
func (m *Renderer) Render(source string, width int) []string {
	m.source = []byte(style.CleanProse(source))
	doc := m.parser.Parse(text.NewReader(m.source))
	return m.blocks(doc, m.theme.ProseWidth(width), width, false)
}

// blocks renders the children of a node, with a blank line between them unless tight is set.
func (m *Renderer) blocks(parent ast.Node, width, full int, tight bool) []string {
	var out []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := m.block(n, width, full)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (m *Renderer) block(node ast.Node, width, full int) []string {
	t := m.theme
	switch n := node.(type) {
	case *ast.Heading:
		mark := ""
		switch {
		case t.Spoken:
			mark = "Heading: "
		case t.Heading.On == "":
			mark = strings.Repeat("#", n.Level) + " "
		}
		return style.WrapSpans(append(style.Spans{{Text: mark, Style: t.Heading}}, m.spans(n, t.Heading)...), width)
	case *ast.FencedCodeBlock:
		if t.Spoken {
			return m.spokenCode(n)
		}
		return style.IndentAll(highlight.Lines(t, string(n.Lines().Value(m.source)), string(n.Language(m.source))), "  ")
	case *ast.CodeBlock:
		return style.IndentAll(highlight.Lines(t, string(n.Lines().Value(m.source)), ""), "  ")
	case *ast.HTMLBlock:
		return strings.Split(strings.TrimRight(string(n.Lines().Value(m.source)), "\n"), "\n")
	case *ast.Blockquote:
		if t.Spoken {
			return style.Indent(m.blocks(n, width, full, false), "Quote: ", "")
		}
		return style.IndentAll(m.blocks(n, max(10, width-2), full-2, false), t.Quote.Text("│ "))
	case *ast.List:
		return m.list(n, width, full)
	case *ast.ThematicBreak:
		if t.Spoken {
			return nil
		}
		return []string{t.Dim.Text(strings.Repeat("─", min(20, width)))}
	case *extast.Table:
		return m.table(n, full)
	}
	return style.WrapSpans(m.spans(node, t.Plain), width)
}

// isTask reports whether a list item begins with a check box.
func isTask(item ast.Node) bool {
	first := item.FirstChild()
	return first != nil && first.FirstChild() != nil && first.FirstChild().Kind() == extast.KindTaskCheckBox
}

// list renders items, each after its bullet or number. Nested lists are indented under them.
func (m *Renderer) list(list *ast.List, width, full int) []string {
	var out []string
	number := list.Start
	if first := m.piece.First; first > 0 && list.Parent().Kind() == ast.KindDocument {
		number = first
	}
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if m.theme.Spoken {
			mark = "" // in speech, an item is a line without a mark
		}
		if list.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		pad := strings.Repeat(" ", style.Width(mark))
		if isTask(item) && !list.IsOrdered() {
			mark = "" // the check box replaces the mark
		}
		lines := m.blocks(item, max(10, width-len(pad)), full-len(pad), list.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if len(out) > 0 && item.HasBlankPreviousLines() {
			out = append(out, "")
		}
		out = append(out, style.Indent(lines, m.theme.Accent.Text(mark), pad)...)
	}
	return out
}

// spokenCode returns a block of code unchanged, after a line that announces code.
func (m *Renderer) spokenCode(n *ast.FencedCodeBlock) []string {
	rows := strings.Split(strings.TrimRight(style.Clean(string(n.Lines().Value(m.source))), "\n"), "\n")
	if m.piece.More {
		return rows
	}
	return append([]string{strings.TrimSpace("Code "+string(n.Language(m.source))) + ":"}, rows...)
}
