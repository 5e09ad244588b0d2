package share

import (
	_ "embed"
	"fmt"
	"html"
	"strings"

	"agent/internal/history"
	"agent/internal/words"
)

// A Page is a conversation as a page of HTML.
type Page struct {
	HTML string
	Replacements
}

//go:embed page.css
var styles string

// New returns the page of a conversation. A rule separates its parts, each of which /clear began. home
// is the path of the home folder, "" if it is not known.
func New(title, home string, parts [][]*history.Content) *Page {
	c := &cleaner{home: home, at: "~"}
	p := &pageWriter{clean: c}
	title = escape(c.text("title", title))
	fmt.Fprintf(&p.out, `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>%s</title><style>
%s</style></head><body><h1>%s</h1>
`, title, styles, title)
	number := 0
	for i, part := range parts {
		if i > 0 {
			p.out.WriteString("<hr>\n")
		}
		for _, entry := range part {
			number++
			p.entry(number, entry)
		}
	}
	p.out.WriteString("</body></html>\n")
	return &Page{p.out.String(), c.Replacements}
}

// escape returns a text as HTML that shows every character of it, even characters that a browser
// would obey or hide, such as the ones that reorder a line.
func escape(text string) string {
	return html.EscapeString(words.Visible(strings.ReplaceAll(text, "\r\n", "\n")))
}

type pageWriter struct {
	clean *cleaner
	out   strings.Builder
}

// speakers are the classes and the headings of entries.
var speakers = map[history.Speaker][2]string{
	history.Human: {"you", "You"}, history.AI: {"agent", "Agent"}, history.Tool: {"tool", ""},
}

func (p *pageWriter) entry(number int, entry *history.Content) {
	if entry.Empty() {
		return
	}
	who := speakers[entry.Speaker]
	fmt.Fprintf(&p.out, `<section class="%s">`, who[0])
	if who[1] != "" {
		fmt.Fprintf(&p.out, "<h2>%s</h2>", who[1])
	}
	for _, block := range entry.Blocks {
		p.block(fmt.Sprintf("entry %d (%s)", number, who[0]), block)
	}
	p.out.WriteString("</section>\n")
}

func (p *pageWriter) block(where string, block history.Block) {
	switch b := block.(type) {
	case *history.Text:
		if b.IncludedFile != "" {
			p.addFolded(p.clean.text(where, b.IncludedFile), p.clean.text(where, b.Text))
			return
		}
		p.markdown(p.clean.text(where, b.Text))
	case *history.ToolCall:
		const longest = 100
		arguments := p.clean.arguments(where, b)
		p.addFolded(p.clean.text(where, b.Name)+" "+words.Line(strings.Join(strings.Fields(arguments), " "), longest), arguments)
	case *history.ToolResponse:
		head := "answer of " + p.clean.text(where, b.ToolName)
		if b.ExitCode != nil {
			head += fmt.Sprintf(", exit %d", *b.ExitCode)
		}
		p.addFolded(head, strings.TrimSpace(p.clean.text(where, b.Error)+"\n"+p.clean.text(where, b.Result.Text())))
	case *history.Media:
		fmt.Fprintf(&p.out, "<p>(%s)</p>", escape(b.MimeType))
	}
}

// addFolded adds a text under a line that opens it.
func (p *pageWriter) addFolded(head, text string) {
	fmt.Fprintf(&p.out, "<details><summary>%s</summary><pre>%s</pre></details>\n", escape(head), escape(text))
}

// markdown adds a text as it was written, with its fenced code set apart. Markdown is not rendered
// further, so that no link or image of a text becomes one of the page.
func (p *pageWriter) markdown(text string) {
	var fence string
	var part []string
	end := func(tag, class string) {
		if body := strings.Trim(strings.Join(part, "\n"), "\n"); body != "" {
			fmt.Fprintf(&p.out, "<%s%s>%s</%s>\n", tag, class, escape(body), tag)
		}
		part = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			end("div", ` class="text"`)
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark:
			end("pre", "")
			fence = ""
		default:
			part = append(part, line)
		}
	}
	if fence != "" {
		end("pre", "")
	}
	end("div", ` class="text"`)
}

// fenceOf returns the fence with which a line begins, "" for none.
func fenceOf(line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}
