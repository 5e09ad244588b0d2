package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agent/internal/tools"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// body is what a question is about, laid out once, and how much of it is shown.
type body struct {
	// hidden counts the characters that would not be seen by themselves.
	hidden int
	// title and rows are laid out for theme and width.
	title string
	rows  []string
	theme *style.Theme
	width int
	// count is how many cells behind the title say which of how many questions it is.
	count int
	// room is how many rows there are for it. cramped is set when the question has no
	// room even for its answers and a row of what they are about.
	room    int
	cramped bool
	// scrolled is set while top is the first row shown; otherwise head and tail are.
	scrolled bool
	top      int
	// endSeen is set once the end was shown with what is before it.
	endSeen bool
}

// lay arranges the body, if that was not done for this theme, width and count.
func (b *body) lay(t *style.Theme, request Asked, width, count int) {
	if b.theme == t && b.width == width && b.count == count {
		return
	}
	b.theme, b.width, b.count = t, width, count
	b.rows = nil
	b.layCall(t, request, width)
	if remark := request.Preview.Remark; remark != "" && request.Own == nil && request.Inquiry() == nil && request.Repeats == "" {
		said := oneLine("the model: " + strconv.Quote(words.Line(remark, longestRemark))).Text
		b.rows = slices.Insert(b.rows, 0, t.Dim.Text(style.Truncate(said, width)))
	}
}

// longestRemark is how much is shown of what the model says of a call, in characters.
const longestRemark = 160

// layCall arranges what the question is about.
func (b *body) layCall(t *style.Theme, request Asked, width int) {
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
		b.title = oneLine(p.Title).Text + ": shall it be carried out?"
		b.rows = planRows(t, p.Plan, width)
	case request.Repeats != "":
		b.title = "the model goes in circles; shall it go on?"
		b.rows = style.WrapText(style.Reveal(request.Repeats).Text, width)
	case p.Diff != "":
		b.title = oneLine(p.Title).Text + t.Say("  "+patch.StatText(p.Diff))
		b.rows = patch.Render(t, p.Diff, width)
	case p.Command != "":
		b.rows = Command(t, p.Command, width)
		where := ""
		if p.Directory != "" {
			where += " in " + oneLine(p.Directory).Text
		}
		if p.Background {
			where += " in the background"
		}
		b.title = "run this command" + where
		if where != "" {
			break
		}
		if len(b.rows) == 1 && b.hidden == 0 && b.fits("run "+b.rows[0]) {
			b.title, b.rows = "run "+b.rows[0], nil // the title says it all
		}
		return
	default:
		b.title = oneLine(p.Title).Text
		if arguments := changedDefinition(p) + argumentsText(p.Arguments); arguments != "" {
			b.rows = Command(t, arguments, width)
		}
	}
	if !b.fits(b.title) { // its end may be what matters: of a path, of an address
		b.rows = append(titleRows(t, b.title, width), b.rows...)
	}
}

// changedDefinition is how a server has changed the definition of the tool that is called,
// before the arguments.
func changedDefinition(p tools.Preview) string {
	if p.Served == nil || p.Served.Changed == "" {
		return ""
	}
	return "The server has changed this tool since it was used last:\n" + p.Served.Changed + "\nThe call:\n"
}

// fits reports whether a title is shown whole in the row above the body.
func (b *body) fits(title string) bool { return style.Width(title)+b.count <= b.width }

// oneLine reveals what a question calls itself, which may hold the name of a file: a
// line feed is one of the characters that would not be seen.
func oneLine(title string) style.Revealed {
	revealed := style.Reveal(strings.ReplaceAll(title, "\n", "␊"))
	revealed.Hidden += strings.Count(title, "\n")
	return revealed
}

// titleRows are all of a title.
func titleRows(t *style.Theme, title string, width int) []string {
	return style.Spans{{Text: title, Style: t.Strong}}.SoftRows(width)
}

// Command shows all of a command line: nothing in it is hidden, and runs of blank
// lines, which could push its end out of sight, are a number.
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
			rows = append(rows, t.Warn.Text(gap+words.Count(blank, "blank line")))
			i += blank - 1
			continue
		}
		line := style.Reveal(lines[i])
		rows = append(rows, style.Spans{{Text: line.Text}}.Restyle(line.Marks, t.Mark).SoftRows(width)...)
	}
	return rows
}

// arrange gives the body that many rows. What fits whole is seen to its end.
func (b *body) arrange(room int) {
	b.room = room
	b.endSeen = b.endSeen || len(b.rows) <= room
	if b.scrolled {
		b.top = max(0, min(b.top, len(b.rows)-max(1, room-1)))
	}
}

// view is as much of the body as fits: all of it, its head and its tail, or the part
// that was scrolled to.
func (b body) view() []string {
	room := b.room
	if len(b.rows) <= room {
		return b.rows
	}
	warn := func(text string) string { return b.theme.Warn.Text(style.Truncate(text, b.width)) }
	if !b.scrolled {
		if room < 3 {
			return []string{warn(fmt.Sprintf("… %s: PgDn shows them", words.Count(len(b.rows), "line")))}[:min(1, room)]
		}
		tail := (room - 1) / 3
		head := room - 1 - tail
		hidden := len(b.rows) - head - tail
		out := append(b.rows[:head:head], warn(fmt.Sprintf("… %s … PgUp PgDn scroll, v opens all", words.Count(hidden, "more line"))))
		return append(out, b.rows[len(b.rows)-tail:]...)
	}
	shown := max(1, room-1)
	out := append([]string{}, b.rows[b.top:b.top+shown]...)
	if room < 2 {
		return out
	}
	return append(out, warn(fmt.Sprintf("lines %d–%d of %d · PgUp PgDn scroll", b.top+1, b.top+shown, len(b.rows))))
}

// scroll moves by a page.
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

// showEnd scrolls to the end.
func (b *body) showEnd() { b.scrolled, b.top, b.endSeen = true, len(b.rows), true }

// warning says that there are characters which would not be seen by themselves.
func (b *body) warning(t *style.Theme, width int) []string {
	return style.WrapSpans(style.Spans{{Text: t.Sign(t.Plain, "!") + "it holds " + words.Count(b.hidden, "character") + " that would not be seen, shown as symbols or numbers", Style: t.Warn}}, width)
}
