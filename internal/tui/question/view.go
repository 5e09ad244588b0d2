package question

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
)

// tallRoom is the smallest number of rows with which every choice has its own row.
const tallRoom = 16

// CursorPosition is the position of the cursor within rows.
type CursorPosition struct{ Row, Col int }

// Arrange lays out the question in room rows of width cells. It determines which part of the question is
// visible, and therefore whether an answer counts. View only draws the result.
func (q *Questions) Arrange(t *style.Theme, width, room int) {
	q.theme, q.width, q.room = t, width, room
	q.body.lay(t, q.First(), width-2, len(q.count()))
	q.body.cramped = false
	foot, _ := q.foot(t, width, true)
	if q.tall = room >= tallRoom; q.tall && 1+len(q.body.rows)+len(foot) > room {
		short, _ := q.foot(t, width, false)
		q.tall = 1+len(q.body.rows)+len(short) > room // the body must scroll even with the short answers
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

// View returns the rows of the first question as Arrange laid them out, and the position of the cursor
// while the question receives the keys. It has no side effects.
func (q Questions) View() ([]string, CursorPosition) {
	t, width, room := q.theme, q.width, q.room
	count := q.count()
	head := t.Warn.Over(t.Strong).Text(style.Truncate("? "+q.body.title, max(1, width-len(count)))) + t.Dim.Text(count)
	if q.body.cramped {
		return append([]string{head}, q.crampedFoot(t, width)...)[:max(1, min(2, room))], CursorPosition{}
	}
	foot, at := q.foot(t, width, q.tall)
	lines := append([]string{head}, style.IndentAll(q.body.view(), "  ")...)
	if rows := len(lines); rows > 1 && rows+len(foot) < room {
		lines = append(lines, "")
	}
	at.Row += len(lines)
	return append(lines, foot...), at
}

// count returns the number of the question and the total number, as " (1 of 3)", or "" for a single
// question.
func (q *Questions) count() string {
	if n, of := q.Position(); of > 1 {
		return fmt.Sprintf(" (%d of %d)", n, of)
	}
	return ""
}

// AllRows returns the rows of the whole question, for the pager.
func AllRows(t *style.Theme, request OpenQuestion, width int) []string {
	b := body{hidden: hidden(request)}
	b.lay(t, request, width, 0)
	title := []string{t.Strong.Text(b.title)}
	if !b.fits(b.title) {
		title = nil // b.rows begins with the title
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

// hidden counts the invisible characters of a question.
func hidden(asked OpenQuestion) (n int) {
	p := asked.Preview
	lines, texts, diffs := []string{p.Directory}, []string{p.Plan, p.Command, p.Note}, []string{p.Diff}
	if p.Command == "" {
		lines, texts = append(lines, p.Title), append(texts, changedDefinition(p)+argumentsText(p.Arguments))
	}
	for _, i := range p.Inquiries {
		lines = append(lines, i.Header, i.Question)
		for _, o := range i.Options {
			lines = append(lines, o.Label, o.Description)
		}
	}
	if asked.Own != nil {
		lines = append(lines, asked.Own.Title)
		for _, part := range asked.Own.Parts {
			lines, texts, diffs = append(lines, part.Title), append(texts, part.Lines...), append(diffs, part.Diff)
		}
	}
	for _, line := range lines {
		n += oneLine(line).Hidden
	}
	for _, text := range texts {
		n += style.Reveal(text).Hidden
	}
	for _, diff := range diffs {
		n += patch.CountHidden(diff)
	}
	for _, caution := range cautions(asked) {
		n += caution.Hidden
	}
	return n
}

func cautions(request OpenQuestion) []style.RevealedText {
	p := request.Preview
	var lines []style.RevealedText
	if p.Because != "" && p.Command != "" {
		lines = append(lines, style.Reveal(strings.ReplaceAll(p.Because, "\n", " ")))
	}
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

// cautionRows lays out the warnings about a call.
func cautionRows(t *style.Theme, request OpenQuestion, width int) []string {
	var rows []string
	for _, caution := range cautions(request) {
		sign := t.Sign(t.Plain, "!")
		margin := style.Width(sign)
		said := style.Spans{{Text: caution.Text, Style: t.Warn}}.SoftRows(width - margin)
		rows = append(rows, style.Indent(said, t.Warn.Text(sign), t.Warn.Text(strings.Repeat(" ", margin)))...)
	}
	return rows
}

// mostCautions limits the rows of warnings below a question.
const mostCautions = 6

// foot returns the rows below the body: the warnings and the answers.
func (q *Questions) foot(t *style.Theme, width int, tall bool) ([]string, CursorPosition) {
	foot := cautionRows(t, q.First(), width)
	if more := len(foot) - mostCautions; more > 0 {
		foot = append(foot[:mostCautions], t.Warn.Text(style.Truncate("! … "+humanize.Count(more, "more line")+": v shows all", width)))
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
		return append(foot, t.Dim.Text(style.Parts("message · Esc: back to the question", " · ", width))), CursorPosition{}
	}
	if q.body.scrolled && q.body.endSeen && q.body.top > 0 {
		foot = append(foot, t.Warn.Text(style.Truncate("end reached: press the key again to answer", width)))
	}
	if tall && len(foot) > 0 {
		foot = append(foot, "")
	}
	at := CursorPosition{Row: len(foot)}
	if tall {
		return append(append(foot, q.choiceRows(t, width)...), q.afterRows(t, width)...), at
	}
	return append(foot, q.choiceLine(t, width)...), at
}

// maxNamedQuestions limits the number of following questions that are named.
const maxNamedQuestions = 3

// afterRows returns rows with the titles of the questions that will follow.
func (q *Questions) afterRows(t *style.Theme, width int) []string {
	var rows []string
	after := q.First().After
	for _, title := range after[:min(len(after), maxNamedQuestions)] {
		rows = append(rows, "  then: "+oneLine(title).Text)
	}
	if more := len(after) - maxNamedQuestions; more > 0 {
		rows = append(rows, "  then "+humanize.Count(more, "more question"))
	}
	for i, row := range rows {
		rows[i] = t.Dim.Text(style.Truncate(row, width))
	}
	return rows
}

func (q *Questions) choiceRows(t *style.Theme, width int) []string {
	var rows []string
	for i, c := range q.choices() {
		mark, look := "  ", t.Plain
		if i+1 == q.selected {
			mark, look = "❯ ", t.Strong
		}
		key := keyName(c.key)
		head := t.User.Text(mark) + t.Accent.Text(key+strings.Repeat(" ", 5-style.Width(key)))
		rows = append(rows, style.Indent(style.Spans{{Text: c.does, Style: look}}.SoftRows(width-7), head, strings.Repeat(" ", 7))...)
	}
	hint := "  ↑↓ Enter choose · v shows all · Tab writes a message"
	if i := q.inquiry(); i != nil && i.Several {
		hint = "  Space selects · Enter answers · Tab writes a message"
	}
	return append(rows, t.Dim.Text(style.Parts(hint, " · ", width)))
}

// choiceLine returns the choices in as few rows as possible.
func (q *Questions) choiceLine(t *style.Theme, width int) []string {
	const nbsp = "\u00a0" // keeps a key and its effect on one row
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

// crampedFoot returns a row with only the keys, for a screen without room for more. The user
// reads the question in the pager.
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

// reasonView returns the editor for a reason or an answer in words, and the position of the
// cursor.
func (q *Questions) reasonView(t *style.Theme, width int) ([]string, CursorPosition) {
	if q.First().IsSecret() {
		marks := strings.Repeat("•", min(len(q.reason.Value()), max(0, width-1)))
		rows := append([]string{t.Strong.Text(marks)}, style.WrapText("hidden · Enter: "+oneLine(q.First().Own.YesEffect).Text+" · Esc: no", width)...)
		return rows, CursorPosition{0, len([]rune(marks))}
	}
	prompt, does := "Why not? ", "Enter refuses"
	switch asked := q.First(); {
	case q.inquiry() != nil && q.inquiry().Draft != "":
		prompt, does = "Edit it: ", "Enter approves this text · Esc back to the choices"
	case q.inquiry() != nil:
		prompt, does = "Your answer: ", "Enter answers · Esc back to the choices"
	case asked.Repeats != "":
		prompt, does = "What instead? ", "Enter refuses"
	case asked.Preview.Plan != "":
		prompt, does = "What to change? ", "Enter sends the changes"
	}
	switch {
	case q.inquiry() != nil:
	case strings.TrimSpace(q.reason.Value()) != "":
		does += ", and the model continues · Esc back"
	default:
		ends := "the turn"
		if q.First().Agent != "" {
			ends = "the agent"
		}
		does += " and ends " + ends + "; with a reason the model continues · Esc back"
	}
	rows, row, col := q.reason.View(width-len(prompt)-1, 3)
	rows = style.Indent(rows, t.Strong.Text(prompt), strings.Repeat(" ", len(prompt)))
	for _, line := range style.WrapText(does, width) {
		rows = append(rows, t.Dim.Text(line))
	}
	return rows, CursorPosition{row, col + len(prompt)}
}
