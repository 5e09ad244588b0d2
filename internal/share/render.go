package share

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"agent/internal/base/lazyregexp"
	"agent/internal/text/gfm"
)

// HTML returns trusted Markdown as HTML. The headings have the anchors that GitHub assigns. link
// returns the target of a link in the page. If link returns "", the link becomes plain text, as
// every image does.
func HTML(source string, link func(address string) string) string {
	var out strings.Builder
	render(&out, source, link)
	return out.String()
}

// render writes Markdown as HTML. Without link the text may be untrusted: links, images and HTML in it
// are shown as text, with the addresses.
func render(out *strings.Builder, source string, link func(address string) string) {
	r := renderer{out, []byte(strings.ReplaceAll(source, "\r\n", "\n")), link}
	r.children(gfm.NewParser().Parse(text.NewReader(r.source)))
}

type renderer struct {
	out    *strings.Builder
	source []byte
	// link is nil if the page has no links.
	link func(address string) string
}

func (r renderer) children(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		r.node(n)
	}
}

// tag writes the children of a node inside an HTML element.
func (r renderer) tag(name string, n ast.Node) {
	r.out.WriteString("<" + name + ">")
	r.children(n)
	r.out.WriteString("</" + name + ">")
}

func (r renderer) node(node ast.Node) {
	switch n := node.(type) {
	case *ast.Heading:
		r.heading(n)
	case *ast.Paragraph:
		r.tag("p", n)
	case *ast.TextBlock:
		r.children(n)
	case *ast.FencedCodeBlock:
		r.pre(n)
	case *ast.CodeBlock:
		r.pre(n)
	case *ast.HTMLBlock:
		r.pre(n)
	case *ast.Blockquote:
		r.tag("blockquote", n)
	case *ast.List:
		if n.IsOrdered() {
			fmt.Fprintf(r.out, `<ol start="%d">`, n.Start)
			r.children(n)
			r.out.WriteString("</ol>")
			return
		}
		r.tag("ul", n)
	case *ast.ListItem:
		r.tag("li", n)
	case *ast.ThematicBreak:
		r.out.WriteString("<hr>")
	case *extast.Table:
		r.tag("table", n)
	case *extast.TableHeader:
		r.row(n, "th")
	case *extast.TableRow:
		r.row(n, "td")
	case *ast.Text:
		r.text(n)
	case *ast.String:
		r.out.WriteString(escape(string(n.Value)))
	case *ast.CodeSpan:
		r.tag("code", rawText(n))
	case *ast.Emphasis:
		r.tag([]string{"em", "strong"}[min(max(n.Level, 1), 2)-1], n)
	case *extast.Strikethrough:
		r.tag("s", n)
	case *extast.TaskCheckBox:
		if n.IsChecked {
			r.out.WriteString("✓ ")
		} else {
			r.out.WriteString("○ ")
		}
	case *ast.Link:
		r.linked(n, string(n.Destination))
	case *ast.Image:
		r.linked(n, string(n.Destination))
	case *ast.AutoLink:
		r.out.WriteString(escape(string(n.URL(r.source))))
	case *ast.RawHTML:
		r.out.WriteString(escape(string(n.Segments.Value(r.source))))
	default:
		r.children(n)
	}
}

func (r renderer) heading(n *ast.Heading) {
	if r.link == nil {
		r.tag(fmt.Sprintf("h%d", min(n.Level+1, 6)), n)
		return
	}
	title := strings.ToLower(strings.TrimSpace(string(n.Lines().Value(r.source))))
	fmt.Fprintf(r.out, `<h%d id="%s">`, n.Level, notInAnchor.ReplaceAllString(strings.ReplaceAll(title, " ", "-"), ""))
	r.children(n)
	fmt.Fprintf(r.out, "</h%d>\n", n.Level)
}

var notInAnchor = lazyregexp.New("[^a-z0-9_-]")

// rawText marks the texts of a code span as raw, so that the renderer interprets no escapes in
// them.
func rawText(code *ast.CodeSpan) ast.Node {
	for n := code.FirstChild(); n != nil; n = n.NextSibling() {
		if t, is := n.(*ast.Text); is {
			t.SetRaw(true)
		}
	}
	return code
}

func (r renderer) text(n *ast.Text) {
	value := n.Segment.Value(r.source)
	if !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	r.out.WriteString(escape(string(value)))
	switch {
	case n.HardLineBreak():
		r.out.WriteString("<br>")
	case n.SoftLineBreak():
		r.out.WriteString("\n")
	}
}

// pre writes the lines of a block unchanged. An HTML block may end with a line that closes it.
func (r renderer) pre(n ast.Node) {
	lines := string(n.Lines().Value(r.source))
	if block, is := n.(*ast.HTMLBlock); is && block.HasClosure() {
		lines += string(block.ClosureLine.Value(r.source))
	}
	r.out.WriteString("<pre>" + escape(strings.TrimRight(lines, "\n")) + "</pre>")
}

func (r renderer) row(row ast.Node, cell string) {
	r.out.WriteString("<tr>")
	for n := row.FirstChild(); n != nil; n = n.NextSibling() {
		name := cell
		if c, is := n.(*extast.TableCell); is && c.Alignment == extast.AlignRight {
			name += ` class="right"`
		}
		r.out.WriteString("<" + name + ">")
		r.children(n)
		r.out.WriteString("</" + cell + ">")
	}
	r.out.WriteString("</tr>")
}

// linked writes the text of a link or an image. Its address follows unless it equals the text.
func (r renderer) linked(n ast.Node, address string) {
	if _, isLink := n.(*ast.Link); r.link != nil {
		to := ""
		if isLink {
			to = r.link(address)
		}
		if to != "" {
			r.out.WriteString(`<a href="` + escape(to) + `">`)
			defer r.out.WriteString("</a>")
		}
		r.children(n)
		return
	}
	before := r.out.Len()
	r.children(n)
	if label := r.out.String()[before:]; address != "" && label != escape(address) {
		r.out.WriteString(" (" + escape(address) + ")")
	}
}
