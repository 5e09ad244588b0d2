// Package pager shows long texts as pages on the alternate screen of the terminal, with the keys of less.
// The pager prints nothing to the scrollback.
package pager

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
)

// Page is a text to read.
type Page struct {
	// Key identifies a page that may be added or removed while the pager is open. It is "" for a page that
	// is always there.
	Key    string
	Title  string
	Layout transcript.Layout
	// Grows is set while the text grows. The pager then stays at its end.
	Grows bool
}

// Pager shows pages, one at a time.
type Pager struct {
	// pages returns the current pages, which may grow while the pager is open.
	pages func() []Page
	// at is the number of the current page. key is the key of that page when it was last shown.
	at  int
	key string
	top int
	// follow is set while the pager stays at the end of the page.
	follow bool
	// query is the text to search for. typing is set while the user types it.
	query  string
	typing bool
	// hit is the row that the latest search found, or nil for none. found is the message about it in the
	// last line. It disappears when another key is pressed.
	hit   *place
	found string
	// theme, width and height describe the window. rows are the rows of the current page.
	theme         *style.Theme
	width, height int
	rows          []string
	// Waits describes an event that waits until the pager is closed, or is "".
	Waits string
}

// Open returns a pager that shows the first of its pages. If that page grows, the pager stays at its end
// until the user scrolls.
func Open(pages func() []Page) *Pager {
	all := pages()
	return &Pager{pages: pages, follow: len(all) > 0 && all[0].Grows}
}

// View returns the rows of the window: the page, and a line with the position and the keys.
func (p *Pager) View(t *style.Theme, width, height int) []string {
	pages := p.present()
	p.theme, p.width, p.height = t, width, max(1, height-1)
	if len(pages) == 0 {
		return []string{"", t.Dim.Text("nothing to show · q back")}
	}
	p.at = min(p.at, len(pages)-1)
	page := pages[p.at]
	p.key = page.Key
	p.rows = p.rowsOf(page)
	last := max(0, len(p.rows)-p.height)
	if p.follow {
		p.top = last
	}
	p.top = max(0, min(p.top, last))
	out := append([]string{}, p.rows[p.top:min(len(p.rows), p.top+p.height)]...)
	for len(out) < p.height {
		out = append(out, "")
	}
	line, look := p.line(page, len(pages), width), t.Accent
	if p.Waits != "" {
		look = t.Warn
	}
	return append(out, look.Text(style.Truncate(line, width)))
}

// present returns the pages. The open page stays open if other pages were added or removed.
func (p *Pager) present() []Page {
	pages := p.pages()
	if p.key != "" {
		if at := slices.IndexFunc(pages, func(page Page) bool { return page.Key == p.key }); at >= 0 {
			p.at = at
		}
	}
	return pages
}

// All returns the rows of all pages, for interfaces without pages.
func (p *Pager) All(t *style.Theme, width int) (rows []string) {
	for _, page := range p.pages() {
		rows = append(rows, page.Title)
		rows = append(rows, page.Layout(t, width)...)
	}
	return rows
}

// wrapped breaks a row that is wider than the window. A row with styles is truncated instead.
func wrapped(row string, width int) []string {
	if strings.Contains(row, "\x1b") {
		return []string{style.Truncate(row, width)}
	}
	return style.HardWrap(row, width)
}

// line returns the line with the title, the position and the keys. A long title is shortened so that the
// keys fit.
func (p *Pager) line(page Page, pages, width int) string {
	if p.typing {
		return "/" + p.query
	}
	where := "all"
	if n := len(p.rows); n > p.height {
		where = fmt.Sprintf("%d–%d of %d", p.top+1, min(n, p.top+p.height), n)
	}
	text := " · " + where
	if page.Grows {
		text += " · running"
	}
	others, find := "", " · / find"
	if pages > 1 {
		others = fmt.Sprintf(" · ←→ %d of %d", p.at+1, pages)
	}
	text += others + p.found + " · q back" + find
	if p.Waits != "" {
		text = " · " + p.Waits + ": q goes to it"
	}
	for _, less := range []string{find, others} { // the hint for closing the pager always stays
		if min(18, style.Width(page.Title))+1+style.Width(text) > width {
			text = strings.Replace(text, less, "", 1)
		}
	}
	return " " + style.Truncate(page.Title, max(8, width-1-style.Width(text))) + text
}

// Key handles a key and reports whether the pager is to be closed.
func (p *Pager) Key(k term.Key) (closed bool) {
	if p.typing {
		p.typeQuery(k)
		return false
	}
	page := max(1, p.height-1)
	p.follow = false
	if k.Name != "n" && k.Name != "N" && k.Name != "/" {
		p.hit, p.found = nil, ""
	}
	switch k.Name {
	case "q", "Q", "esc", "ctrl+c", "ctrl+o":
		return true
	case "j", "down", "enter", "ctrl+n":
		p.move(1)
	case "k", "up", "ctrl+p":
		p.move(-1)
	case " ", "f", "pgdown", "ctrl+f", "ctrl+v":
		p.move(page)
	case "b", "pgup", "ctrl+b", "alt+v":
		p.move(-page)
	case "d", "ctrl+d":
		p.move(p.height / 2)
	case "u", "ctrl+u":
		p.move(-p.height / 2)
	case "g", "<", "home":
		p.top = 0
	case "G", ">", "end":
		p.top = len(p.rows)
	case "F":
		p.follow = true
	case "left", "h":
		p.turn(-1)
	case "right", "l":
		p.turn(1)
	case "/":
		p.typing, p.query = true, ""
	case "n":
		p.find(1)
	case "N":
		p.find(-1)
	}
	return false
}

func (p *Pager) move(rows int) {
	p.top = max(0, min(p.top+rows, max(0, len(p.rows)-p.height)))
}

func (p *Pager) turn(by int) {
	if n := len(p.present()); n > 0 {
		p.at, p.key, p.top = (p.at+by+n)%n, "", 0
	}
}

// typeQuery handles a key while the query is being typed.
func (p *Pager) typeQuery(k term.Key) {
	switch {
	case k.IsText():
		p.query += k.Text
	case k.Name == "backspace" && p.query != "":
		runes := []rune(p.query)
		p.query = string(runes[:len(runes)-1])
	case k.Name == "enter":
		p.typing = false
		p.find(1)
	default:
		p.typing = false
	}
}
