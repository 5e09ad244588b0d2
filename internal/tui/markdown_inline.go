package tui

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// over puts one paint on top of another.
func (p paint) over(below paint) paint {
	if p.on == "" {
		return below
	}
	return paint{on: below.on + p.on, off: p.off}
}

// spans collects the inline content of a node in its styles.
func (m *markdown) spans(parent ast.Node, style paint) []span {
	var out []span
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, m.inline(n, style)...)
	}
	return out
}

func (m *markdown) inline(node ast.Node, style paint) []span {
	t := m.theme
	switch n := node.(type) {
	case *ast.Text:
		s := []span{{unescape(n.Segment.Value(m.source)), style}}
		switch {
		case n.HardLineBreak():
			s = append(s, span{"\n", style})
		case n.SoftLineBreak():
			s = append(s, span{" ", style})
		}
		return s
	case *ast.String:
		return []span{{string(n.Value), style}}
	case *ast.CodeSpan:
		return m.codeSpan(n, style)
	case *ast.Emphasis:
		if n.Level == 1 {
			return m.spans(n, t.emphasis.over(style))
		}
		return m.spans(n, t.strong.over(style))
	case *extast.Strikethrough:
		return m.spans(n, t.strike.over(style))
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return []span{{"[x] ", t.ok}}
		}
		return []span{{"[ ] ", style}}
	case *ast.Link:
		return m.link(n, string(n.Destination), style)
	case *ast.Image:
		return m.link(n, string(n.Destination), style)
	case *ast.AutoLink:
		return []span{{string(n.URL(m.source)), t.link.over(style)}}
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			b.Write(segment.Value(m.source))
		}
		return []span{{b.String(), style}}
	}
	return m.spans(node, style)
}

// codeSpan keeps its backquotes where there is no colour to tell it by.
func (m *markdown) codeSpan(n *ast.CodeSpan, style paint) []span {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(m.source))
		}
	}
	code := strings.ReplaceAll(b.String(), "\n", " ")
	if m.theme.code.on == "" {
		code = "`" + code + "`"
	}
	return []span{{code, m.theme.code.over(style)}}
}

// link shows the text and, unless it says the same, the address.
func (m *markdown) link(n ast.Node, address string, style paint) []span {
	spans := m.spans(n, m.theme.link.over(style))
	var label strings.Builder
	for _, s := range spans {
		label.WriteString(s.text)
	}
	if address == "" || label.String() == address || "mailto:"+label.String() == address {
		return spans
	}
	return append(spans, span{" (" + address + ")", m.theme.dim.over(style)})
}

// unescape removes the backslashes markdown escapes punctuation with.
func unescape(raw []byte) string {
	s := string(raw)
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
