package tui

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// textColumns is the widest a paragraph gets: longer lines are hard to read.
const textColumns = 100

// markdown turns closed blocks into lines for the terminal. It renders goldmark's
// tree itself: glamour takes 40 ms to initialise and renders 0.2 MB/s.
type markdown struct {
	parser parser.Parser
	theme  *theme
	source []byte
}

func newMarkdown(t *theme) *markdown {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	return &markdown{parser: md.Parser(), theme: t}
}

// render lays out a block of markdown. Prose is at most width cells wide; lines of
// code are left whole.
func (m *markdown) render(source string, width int) []string {
	m.source = []byte(clean(source))
	doc := m.parser.Parse(text.NewReader(m.source))
	return m.blocks(doc, min(width, textColumns), width, false)
}

// blocks renders the children of a node, a blank line between them unless tight.
func (m *markdown) blocks(parent ast.Node, width, full int, tight bool) []string {
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

func (m *markdown) block(node ast.Node, width, full int) []string {
	t := m.theme
	switch n := node.(type) {
	case *ast.Heading:
		mark := ""
		if t.heading.on == "" {
			mark = strings.Repeat("#", n.Level) + " "
		}
		return wrapSpans(append([]span{{mark, t.heading}}, m.spans(n, t.heading)...), width)
	case *ast.FencedCodeBlock:
		return indentAll(t.highlight(m.raw(n), string(n.Language(m.source))), "  ")
	case *ast.CodeBlock:
		return indentAll(t.highlight(m.raw(n), ""), "  ")
	case *ast.HTMLBlock:
		return strings.Split(strings.TrimRight(m.raw(n), "\n"), "\n")
	case *ast.Blockquote:
		return indentAll(m.blocks(n, max(10, width-2), full-2, false), t.quote.text("│ "))
	case *ast.List:
		return m.list(n, width, full)
	case *ast.ThematicBreak:
		return []string{t.dim.text(strings.Repeat("─", min(20, width)))}
	case *extast.Table:
		return m.table(n, full)
	}
	return wrapSpans(m.spans(node, t.plain), width)
}

// list renders items behind their marks, nested lists indented under them.
func (m *markdown) list(list *ast.List, width, full int) []string {
	var out []string
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if list.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		pad := strings.Repeat(" ", textWidth(mark))
		lines := m.blocks(item, max(10, width-len(pad)), full-len(pad), list.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if len(out) > 0 && !list.IsTight {
			out = append(out, "")
		}
		out = append(out, indent(lines, m.theme.accent.text(mark), pad)...)
	}
	return out
}

// raw is the text of a block of code.
func (m *markdown) raw(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(m.source))
	}
	return b.String()
}

func indentAll(lines []string, prefix string) []string { return indent(lines, prefix, prefix) }
