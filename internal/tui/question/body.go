package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/tools"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
)

// body holds the rows of a question, laid out once, and the visible part of them.
type body struct {
	// hidden is the number of invisible characters in the question.
	hidden int
	// title and rows are laid out for theme and width.
	title string
	rows  []string
	theme *style.Theme
	width int
	// count is the width, in cells, of the text " (1 of 3)" after the title.
	count int
	// room is the number of rows that the body may use. cramped is set if there is no room even for the
	// answers and one row of the body.
	room    int
	cramped bool
	// scrolled is set if the user has scrolled. Then top is the first visible row. Otherwise the head and
	// the tail of the body are visible.
	scrolled bool
	top      int
	// endSeen is set once the user has seen the end of the body. Until then, no key approves the call.
	endSeen bool
}

// lay lays out the body, unless it is already laid out for the same theme, width and count.
func (b *body) lay(t *style.Theme, request OpenQuestion, width, count int) {
	if b.theme == t && b.width == width && b.count == count {
		return
	}
	b.theme, b.width, b.count = t, width, count
	b.rows = nil
	b.layCall(t, request, width)
	if remark := request.Preview.Remark; remark != "" && request.Own == nil && request.Inquiry() == nil && request.Repeats == "" {
		said := oneLine("the model: " + strconv.Quote(humanize.Line(remark, longestRemark))).Text
		b.rows = slices.Insert(b.rows, 0, t.Dim.Text(style.Truncate(said, width)))
	}
	if request.Task != "" {
		b.rows = slices.Insert(b.rows, 0, t.Dim.Text(style.Truncate(oneLine("its task: "+request.Task).Text, width)))
	}
}

// longestRemark limits the characters shown of the model's remark about a call.
const longestRemark = 160

func (b *body) layCall(t *style.Theme, request OpenQuestion, width int) {
	p := request.Preview
	switch {
	case request.Own != nil:
		b.title = oneLine(request.Own.Title).Text
		b.rows = ownRows(t, request.Own, width)
	case request.Inquiry() != nil:
		b.title = inquiryTitle(request.Inquiry())
		if !b.fits(b.title) {
			b.rows, b.title = style.WrapText(b.title, width), "the model asks"
		}
		return
	case p.Plan != "":
		b.title = oneLine(p.Title).Text + "?"
		b.rows = planRows(t, p.Plan, width)
	case request.Repeats != "":
		b.title = whoAsks(request) + "the model repeats a call. Continue?"
		b.rows = style.WrapText(style.Reveal(request.Repeats).Text, width)
	case p.Diff != "":
		b.title = oneLine(p.Title).Text + t.SpellSigns("  "+patch.StatText(p.Diff))
		b.rows = patch.Render(t, p.Diff, width)
		if p.Note != "" {
			b.rows = append(append(b.rows, ""), Command(t, p.Note, width)...)
		}
	case p.Command != "":
		b.rows = Command(t, p.Command, width)
		where := ""
		if p.Directory != "" {
			where += " in " + oneLine(p.Directory).Text
		}
		if p.Background {
			where += " in the background"
		}
		who := whoAsks(request)
		b.title = who + "run this command" + where
		if where != "" {
			break
		}
		if len(b.rows) == 1 && b.hidden == 0 && b.fits(who+"run "+b.rows[0]) {
			b.title, b.rows = who+"run "+b.rows[0], nil // the title shows the whole command
		}
		return
	default:
		b.title = oneLine(p.Title).Text
		if arguments := changedDefinition(p) + argumentsText(p.Arguments); arguments != "" {
			b.rows = Command(t, arguments, width)
		}
	}
	if !b.fits(b.title) { // the end of a path or an address may matter
		b.rows = append(titleRows(t, b.title, width), b.rows...)
	}
}

// whoAsks returns the beginning of a title that names the subagent that asks, or "" for none. It is for
// titles that are made in this package, not taken from the preview.
func whoAsks(request OpenQuestion) string {
	if request.Agent == "" {
		return ""
	}
	return "agent " + oneLine(request.Agent).Text + ": "
}

// changedDefinition returns a text to show before the arguments if the server has changed the definition of
// the called tool. Otherwise it returns "".
func changedDefinition(p tools.Preview) string {
	if p.Served == nil || p.Served.Changed == "" {
		return ""
	}
	return "The server changed this tool since its last use:\n" + p.Served.Changed + "\nThe call:\n"
}

// fits reports whether the row above the body has room for the whole title.
func (b *body) fits(title string) bool { return style.Width(title)+b.count <= b.width }

// oneLine reveals the invisible characters of a title, which may contain the name of a file. A line feed
// counts as invisible.
func oneLine(title string) style.RevealedText {
	revealed := style.Reveal(strings.ReplaceAll(title, "\n", "␊"))
	revealed.Hidden += strings.Count(title, "\n")
	return revealed
}

// titleRows returns the whole title, broken into rows.
func titleRows(t *style.Theme, title string, width int) []string {
	return style.Spans{{Text: title, Style: t.Strong}}.SoftRows(width)
}

// Command lays out a whole command line. It hides nothing. It replaces each run of more than two blank
// lines, which could move the end out of view, by their number.
func Command(t *style.Theme, command string, width int) []string {
	var rows []string
	lines := strings.Split(command, "\n")
	for i := 0; i < len(lines); i++ {
		blank := 0
		for i+blank < len(lines) && strings.TrimSpace(lines[i+blank]) == "" && style.Reveal(lines[i+blank]).Hidden == 0 {
			blank++
		}
		if blank > 2 {
			gap := "⋮ "
			if t.Spoken {
				gap = ""
			}
			rows = append(rows, t.Warn.Text(gap+humanize.Count(blank, "blank line")))
			i += blank - 1
			continue
		}
		line := style.Reveal(lines[i])
		rows = append(rows, style.Spans{{Text: line.Text}}.Restyle(line.Marks, t.Mark).SoftRows(width)...)
	}
	return rows
}

// arrange sets the number of rows for the body. If the body fits as a whole, its end counts as seen.
func (b *body) arrange(room int) {
	b.room = room
	b.endSeen = b.endSeen || len(b.rows) <= room
	if b.scrolled {
		b.top = max(0, min(b.top, len(b.rows)-max(1, room-1)))
	}
}

// view returns the visible rows of the body: all of them, the head and the tail, or the part that the user
// has scrolled to.
func (b body) view() []string {
	room := b.room
	if len(b.rows) <= room {
		return b.rows
	}
	warn := func(text string) string { return b.theme.Warn.Text(style.Truncate(text, b.width)) }
	if !b.scrolled {
		if room < 3 {
			return []string{warn(fmt.Sprintf("… %s more: PgDn", humanize.Count(len(b.rows), "line")))}[:min(1, room)]
		}
		tail := (room - 1) / 3
		head := room - 1 - tail
		hidden := len(b.rows) - head - tail
		out := append(b.rows[:head:head], warn(fmt.Sprintf("… %s … PgUp PgDn scroll, v shows all", humanize.Count(hidden, "more line"))))
		return append(out, b.rows[len(b.rows)-tail:]...)
	}
	shown := max(1, room-1)
	out := append([]string{}, b.rows[b.top:b.top+shown]...)
	if room < 2 {
		return out
	}
	return append(out, warn(fmt.Sprintf("lines %d–%d of %d · PgUp PgDn scroll", b.top+1, b.top+shown, len(b.rows))))
}

// scroll moves the view by a number of pages.
func (b *body) scroll(pages int) {
	page := max(1, b.room-2)
	if !b.scrolled {
		b.scrolled, b.top = true, 0
		if pages < 0 {
			b.top = len(b.rows)
		}
	} else {
		b.top += pages * page
	}
	if b.top+max(1, b.room-1) >= len(b.rows) {
		b.endSeen = true
	}
}

func (b *body) showEnd() { b.scrolled, b.top, b.endSeen = true, len(b.rows), true }

// warning returns rows that warn of the invisible characters.
func (b *body) warning(t *style.Theme, width int) []string {
	return style.WrapSpans(style.Spans{{Text: t.Sign(t.Plain, "!") + humanize.Count(b.hidden, "invisible character") + ", shown as symbols or numbers", Style: t.Warn}}, width)
}
