package share

import (
	_ "embed"
	"fmt"
	"html"
	"strings"

	"agent/internal/base/humanize"
)

// A Page is a conversation as a page of HTML.
type Page struct {
	HTML string
	Replacements
}

//go:embed page.css
var styles string

// New returns the page of a conversation. home is the path of the home folder, "" if unknown.
func New(c *Conversation, home string) *Page {
	clean := &cleaner{home: home, at: "~"}
	p := &pageWriter{}
	title := escape(clean.text("title", c.Title))
	fmt.Fprintf(&p.out, `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>%s</title><style>
%s</style></head><body><h1>%s</h1><p class="facts">%s</p>
`, title, styles, title, escape(clean.text("head", c.facts())))
	for _, part := range c.tell(clean) {
		p.part(part)
	}
	p.out.WriteString("</body></html>\n")
	return &Page{p.out.String(), clean.Replacements}
}

// escape returns a text as HTML in which every character is visible. It makes characters visible
// that a browser would obey or hide, such as those that reorder a line.
func escape(text string) string {
	return html.EscapeString(humanize.EscapeInvisible(strings.ReplaceAll(text, "\r\n", "\n")))
}

type pageWriter struct{ out strings.Builder }

func (p *pageWriter) part(part part) {
	switch part.kind {
	case said:
		fmt.Fprintf(&p.out, "<section class=\"you\">%s</section>\n", escape(strings.Trim(part.text, "\n")))
	case answered:
		p.out.WriteString("<section>")
		render(&p.out, part.text, nil)
		p.out.WriteString("</section>\n")
	case cleared:
		fmt.Fprintf(&p.out, "<hr class=\"clear\"><p class=\"left\">%s</p>\n", escape(part.head))
	default:
		p.folded(part)
	}
}

// folded adds a line that expands to the content below it.
func (p *pageWriter) folded(part part) {
	class := ""
	switch {
	case part.kind == left:
		class = ` class="left"`
	case strings.HasPrefix(part.head, "✗"):
		class = ` class="bad"`
	}
	if part.diff == "" && part.text == "" {
		fmt.Fprintf(&p.out, "<p%s>%s</p>\n", class, escape(part.head))
		return
	}
	fmt.Fprintf(&p.out, "<details%s><summary>%s</summary>", class, escape(part.head))
	if diff := withoutHeads(part.diff); diff != "" {
		p.out.WriteString("<pre>")
		for line := range strings.Lines(diff) {
			switch line[0] {
			case '+':
				fmt.Fprintf(&p.out, "<ins>%s</ins>", escape(line))
			case '-':
				fmt.Fprintf(&p.out, "<del>%s</del>", escape(line))
			default:
				p.out.WriteString(escape(line))
			}
		}
		p.out.WriteString("</pre>")
	}
	if part.text != "" {
		fmt.Fprintf(&p.out, "<pre>%s</pre>", escape(part.text))
	}
	p.out.WriteString("</details>\n")
}
