package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"agent/internal/tui/style"
)

func (m *Renderer) spans(parent ast.Node, look style.Style) style.Spans {
	var out style.Spans
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, m.inline(n, look)...)
	}
	return m.theme.LinkSpans(out)
}

func (m *Renderer) inline(node ast.Node, look style.Style) style.Spans {
	t := m.theme
	switch n := node.(type) {
	case *ast.Text:
		s := style.Spans{{Text: unescape(n.Segment.Value(m.source)), Style: look}}
		switch {
		case n.HardLineBreak():
			s = append(s, style.Span{Text: "\n", Style: look})
		case n.SoftLineBreak():
			s = append(s, style.Span{Text: " ", Style: look})
		}
		return s
	case *ast.String:
		return style.Spans{{Text: string(n.Value), Style: look}}
	case *ast.CodeSpan:
		return m.codeSpan(n, look)
	case *ast.Emphasis:
		if n.Level == 1 {
			return m.spans(n, t.Emphasis.Over(look))
		}
		return m.spans(n, t.Strong.Over(look))
	case *extast.Strikethrough:
		return m.spans(n, t.Strike.Over(look))
	case *extast.TaskCheckBox:
		switch {
		case t.Spoken && n.IsChecked:
			return style.Spans{{Text: "done: "}}
		case t.Spoken:
			return style.Spans{{Text: "open: "}}
		case n.IsChecked:
			return style.Spans{{Text: "✓ ", Style: t.OK}}
		}
		return style.Spans{{Text: "○ ", Style: look}}
	case *ast.Link:
		return m.link(n, string(n.Destination), look)
	case *ast.Image:
		return m.link(n, string(n.Destination), look)
	case *ast.AutoLink:
		address := string(n.URL(m.source))
		target, _ := t.Links.Web(address)
		return style.Spans{{Text: address, Style: t.Link.Over(look).WithLink(target)}}
	case *ast.RawHTML:
		return style.Spans{{Text: string(n.Segments.Value(m.source)), Style: look}}
	}
	return m.spans(node, look)
}

// codeSpan renders inline code. The backquotes stay if the theme has no color for code.
func (m *Renderer) codeSpan(n *ast.CodeSpan, look style.Style) style.Spans {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(m.source))
		}
	}
	code := strings.ReplaceAll(b.String(), "\n", " ")
	if inCell(n) {
		code = strings.ReplaceAll(code, `\|`, "|")
	}
	if m.theme.Code.On == "" && !m.theme.Spoken {
		code = "`" + code + "`"
	}
	return style.Spans{{Text: code, Style: m.theme.Code.Over(look)}}
}

// inCell reports whether a node is part of a table cell, where a vertical bar is escaped even in code.
func inCell(n ast.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n.Kind() == extast.KindTableCell {
			return true
		}
	}
	return false
}

// link renders the text of a link, followed by the address unless both are the same. If the terminal can
// open the address from the text, the host is shown instead of the address. The full address is always
// shown if the text itself looks like an address.
func (m *Renderer) link(n ast.Node, address string, look style.Style) style.Spans {
	spans := m.spans(n, m.theme.Link.Over(look))
	label := spans.Plain()
	target, host := m.theme.Links.Web(address)
	if places := m.theme.Links.FindLinks(address); host == "" && len(places) == 1 && places[0].To == len(address) {
		target = places[0].Target
	}
	for i := range spans {
		spans[i].Style = spans[i].Style.WithLink(target)
	}
	if address == "" || label == address || "mailto:"+label == address {
		return spans
	}
	if host != "" && !namesPlace(label) {
		address = host
	}
	return append(spans, style.Span{Text: " (" + address + ")", Style: m.theme.Dim.Over(look).WithLink(target)})
}

// namesPlace reports whether the text of a link could be taken for an address.
func namesPlace(label string) bool {
	for word := range strings.FieldsSeq(label) {
		if strings.ContainsAny(strings.TrimRight(word, ".!?…:"), "./:@#") {
			return true
		}
	}
	return false
}

// unescape removes the backslashes with which markdown escapes punctuation, and decodes HTML entities such
// as &amp; and &#38;.
func unescape(raw []byte) string {
	s := string(raw)
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '&' {
			text, size := entity(s[i:])
			b.WriteString(text)
			i += size - 1
			continue
		}
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// entity decodes the HTML entity at the beginning of s, and returns its length in s. It does not decode
// entities of invisible characters and of control characters.
func entity(s string) (text string, size int) {
	const longest = 32
	end := strings.IndexByte(s[:min(len(s), longest)], ';')
	if end < 0 {
		return s[:1], 1
	}
	name := []byte(s[:end+1])
	decoded := string(util.ResolveEntityNames(util.ResolveNumericReferences(name)))
	if decoded == "\u00a0" {
		decoded = " "
	}
	if decoded == string(name) || decoded == "\n" || decoded == "\t" || style.Reveal(decoded).Hidden > 0 {
		return s[:1], 1
	}
	return decoded, end + 1
}
