package question

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// tallRoom is how many rows it takes for every choice to have a row of its own.
const tallRoom = 16

// Place is where the cursor belongs in some rows.
type Place struct{ Row, Col int }

// Arrange gives the question room rows of width cells. It decides what is seen of it, and
// so whether an answer counts; View only draws that.
func (q *Questions) Arrange(t *style.Theme, width, room int) {
	q.theme, q.width, q.room = t, width, room
	q.body.lay(t, q.First(), width-2, len(q.count()))
	q.body.cramped = false
	foot, _ := q.foot(t, width, true)
	if q.tall = room >= tallRoom; q.tall && 1+len(q.body.rows)+len(foot) > room {
		short, _ := q.foot(t, width, false)
		q.tall = 1+len(q.body.rows)+len(short) > room // it scrolls anyway
	}
	if !q.tall {
		foot, _ = q.foot(t, width, false)
	}
	if least := 1 + min(1, len(q.body.rows)); least+len(foot) > room && q.reason == nil {
		q.body.cramped, q.body.room = true, 0
		return
	}
	q.body.arrange(max(0, room-1-len(foot)))
}

// View is the first question as it was arranged, and where the cursor belongs while the
// question owns the keys. It changes nothing.
func (q Questions) View() ([]string, Place) {
	t, width, room := q.theme, q.width, q.room
	count := q.count()
	head := t.Warn.Over(t.Strong).Text(style.Truncate("? "+q.body.title, max(1, width-len(count)))) + t.Dim.Text(count)
	if q.body.cramped {
		return append([]string{head}, q.crampedFoot(t, width)...)[:max(1, min(2, room))], Place{}
	}
	foot, at := q.foot(t, width, q.tall)
	lines := append([]string{head}, style.IndentAll(q.body.view(), "  ")...)
	if rows := len(lines); rows > 1 && rows+len(foot) < room {
		lines = append(lines, "")
	}
	at.Row += len(lines)
	return append(lines, foot...), at
}

// count says which of how many questions it is, "" for the only one.
func (q *Questions) count() string {
	if n, of := q.Place(); of > 1 {
		return fmt.Sprintf(" (%d of %d)", n, of)
	}
	return ""
}

// All is all of a question, for the pager.
func All(t *style.Theme, request Asked, width int) []string {
	b := body{hidden: hidden(request)}
	b.lay(t, request, width, 0)
	title := []string{t.Strong.Text(b.title)}
	if !b.fits(b.title) {
		title = nil // it is in the rows
	}
	rows := slices.Concat(title, cautionRows(t, request, width), []string{""}, b.rows)
	if i := request.Inquiry(); i != nil {
		rows = append(rows, optionRows(t, i, width)...)
	}
	if b.hidden > 0 {
		rows = append(append(rows, ""), b.warning(t, width)...)
	}
	return rows
}

// hidden counts the characters of a question that would not be seen by themselves.
func hidden(request Asked) int {
	if request.Own != nil {
		return ownHidden(request.Own)
	}
	p := request.Preview
	n := inquiryHidden(p.Inquiries) + style.Reveal(p.Plan).Hidden + patch.Hidden(p.Diff) + style.Reveal(p.Command).Hidden + oneLine(p.Directory).Hidden
	if p.Command == "" {
		n += oneLine(p.Title).Hidden + style.Reveal(changedDefinition(p)+argumentsText(p.Arguments)).Hidden
	}
	for _, caution := range cautions(request) {
		n += caution.Hidden
	}
	return n
}

// cautions say what about a call asks for care.
func cautions(request Asked) []style.Revealed {
	p := request.Preview
	var lines []style.Revealed
	if p.Outside != "" {
		lines = append(lines, style.Reveal("outside the sandbox, because: "+strings.ReplaceAll(p.Outside, "\n", " ")))
	}
	if p.Unwatched != "" {
		lines = append(lines, style.Reveal(p.Unwatched))
	}
	for _, found := range p.Protected {
		lines = append(lines, style.Reveal(found.Why+": "+strings.ReplaceAll(found.Path, "\n", "␊")))
	}
	return lines
}

// cautionRows are the cautions.
func cautionRows(t *style.Theme, request Asked, width int) []string {
	var rows []string
	for _, caution := range cautions(request) {
		sign := t.Sign(t.Plain, "!")
		for i, row := range (style.Spans{{Text: caution.Text, Style: t.Warn}}).SoftWrap(width - style.Width(sign)) {
			if i > 0 {
				sign = strings.Repeat(" ", style.Width(sign))
			}
			rows = append(rows, t.Warn.Text(sign)+row.String())
		}
	}
	return rows
}

// mostCautions is how many rows of cautions are below a question.
const mostCautions = 6

// foot is what is below the body: what to be careful about, and the answers.
func (q *Questions) foot(t *style.Theme, width int, tall bool) ([]string, Place) {
	foot := cautionRows(t, q.First(), width)
	if more := len(foot) - mostCautions; more > 0 {
		foot = append(foot[:mostCautions], t.Warn.Text(style.Truncate("! … "+words.Count(more, "more line")+": v opens all", width)))
	}
	if q.body.hidden > 0 {
		foot = append(foot, q.body.warning(t, width)...)
	}
	switch {
	case q.reason != nil:
		rows, at := q.reasonView(t, width)
		at.Row += len(foot)
		return append(foot, rows...), at
	case q.drafting:
		return append(foot, t.Dim.Text(style.Parts("a message · Esc: back to the question", " · ", width))), Place{}
	}
	if q.body.scrolled && q.body.endSeen && q.body.top > 0 {
		foot = append(foot, t.Warn.Text(style.Truncate("this is the end: the key again answers", width)))
	}
	if tall && len(foot) > 0 {
		foot = append(foot, "")
	}
	at := Place{Row: len(foot)}
	if tall {
		return append(append(foot, q.choiceRows(t, width)...), q.afterRows(t, width)...), at
	}
	return append(foot, q.choiceLine(t, width)...), at
}

// mostAfter is how many of the questions that come next are named.
const mostAfter = 3

// afterRows name what will be asked next.
func (q *Questions) afterRows(t *style.Theme, width int) []string {
	var rows []string
	for i, title := range q.First().After {
		text := "  then: " + oneLine(title).Text
		if i == mostAfter {
			text = "  then " + words.Count(len(q.First().After)-i, "more question")
		}
		if i > mostAfter {
			break
		}
		rows = append(rows, t.Dim.Text(style.Truncate(text, width)))
	}
	return rows
}

// choiceRows are the answers, a row each.
func (q *Questions) choiceRows(t *style.Theme, width int) []string {
	var rows []string
	for i, c := range q.choices() {
		mark, look := "  ", t.Plain
		if i+1 == q.selected {
			mark, look = "❯ ", t.Strong
		}
		key := keyName(c.key)
		row := style.Spans{{Text: mark, Style: t.User}, {Text: key + strings.Repeat(" ", 5-style.Width(key)), Style: t.Accent}, {Text: c.does, Style: look}}
		for j, part := range row[2:].SoftWrap(width - 7) {
			before := row[:2].String()
			if j > 0 {
				before = strings.Repeat(" ", 7)
			}
			rows = append(rows, before+part.String())
		}
	}
	hint := "  ↑↓ Enter choose · v opens all of it · Tab to a message"
	if i := q.inquiry(); i != nil && i.Several {
		hint = "  Space marks several · Enter answers · Tab to a message"
	}
	return append(rows, t.Dim.Text(style.Parts(hint, " · ", width)))
}

// choiceLine is the answers in as few rows as they need.
func (q *Questions) choiceLine(t *style.Theme, width int) []string {
	const nbsp = "\u00a0" // keeps a key and what it does on one row
	var line style.Spans
	for i, c := range q.choices() {
		mark, look := "", t.Plain
		if i+1 == q.selected {
			mark, look = "❯ ", t.Strong
		}
		line = append(line, style.Span{Text: mark, Style: t.User}, style.Span{Text: keyName(c.key), Style: t.Accent}, style.Span{Text: nbsp + c.short, Style: look}, style.Span{Text: " · ", Style: t.Dim})
	}
	rows := style.WrapSpans(append(line, style.Span{Text: "v", Style: t.Accent}, style.Span{Text: nbsp + "all"}), width)
	for i := range rows {
		rows[i] = strings.ReplaceAll(rows[i], nbsp, " ")
	}
	return rows
}

// crampedFoot are the keys alone, where there is no room to say more: what they would
// allow is read in the pager.
func (q *Questions) crampedFoot(t *style.Theme, width int) []string {
	keys := ""
	for _, c := range q.choices() {
		keys += keyName(c.key) + " · "
	}
	return []string{t.Dim.Text(style.Truncate(keys+"v all", width))}
}

func keyName(key string) string {
	switch key {
	case "esc":
		return "Esc"
	case ownWords:
		return "…"
	}
	return key
}

// reasonView is the editor for why not.
func (q *Questions) reasonView(t *style.Theme, width int) ([]string, Place) {
	prompt, refuses := "Why not? ", "Enter refuses"
	if q.First().Preview.Plan != "" {
		prompt, refuses = "What to change? ", "Enter says not yet"
	}
	if q.First().Repeats != "" {
		prompt, refuses = "What instead? ", "Enter says no"
	}
	if q.inquiry() != nil {
		prompt = "Your answer: "
	}
	rows, row, col := q.reason.View(width-len(prompt)-1, 3)
	rows = style.Indent(rows, t.Strong.Text(prompt), strings.Repeat(" ", len(prompt)))
	does := refuses + " and ends the turn; with a reason the model goes on · Esc back"
	if strings.TrimSpace(q.reason.Value()) != "" {
		does = refuses + ", and the model goes on · Esc back"
	}
	if q.inquiry() != nil {
		does = "Enter answers · Esc back to the choices"
	}
	for _, line := range style.WrapText(does, width) {
		rows = append(rows, t.Dim.Text(line))
	}
	return rows, Place{row, col + len(prompt)}
}
