// Package picker is a searchable list from which the user chooses. It searches while the user types,
// selects the first match, and shows a preview beside the list if there is room. It has no terminal and
// runs nothing. Its caller passes keys to it, runs its jobs and carries out the choice.
package picker

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/command"
	"agent/internal/tui/edit"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// Picker is an open list.
type Picker struct {
	pick  command.ChoiceList
	query edit.Editor
	// matches holds the indexes of the choices that match the query. at is the position of the selected
	// match.
	matches []int
	at      int
	// page is the number of choices that were shown last.
	page int
	// previews holds the requested previews by the index of their choice.
	previews map[int]string
	// texts holds additional search texts besides names and helps, or nil while they are unknown. A job
	// reads them when the user first searches. asked is set once that job was returned, and reading while
	// it runs.
	texts          []string
	asked, reading bool
	action         action
	// other is the choice that a key chose in place of the selected one, or nil for none.
	other *command.Choice
	// replaced counts how often an action replaced the list.
	replaced int
}

// Open returns a picker. The current choice is selected, or otherwise the first.
func Open(pick command.ChoiceList) *Picker {
	p := &Picker{pick: pick, page: 1, previews: map[int]string{}}
	p.query.Insert(pick.Query)
	p.search()
	if pick.Query != "" {
		return p
	}
	for i, c := range pick.Choices {
		if c.InUse {
			p.at = i
			break
		}
	}
	return p
}

// Result is the effect of a key.
type Result int

// The effects of a key.
const (
	// ResultOpen means that the list stays open.
	ResultOpen Result = iota
	// ResultChosen means that the list is closed, and Selected returns the choice.
	ResultChosen
	// ResultCanceled means that the list is closed without a choice.
	ResultCanceled
)

// stopKeys are the keys that close the list, or the question of an action.
var stopKeys = []string{"esc", "alt+esc", "ctrl+c", "ctrl+g"}

// Key handles a key: a key of every list, a key of an action, or text to search for.
func (p *Picker) Key(k term.Key) Result {
	if p.action.busy() {
		return p.actionKey(k)
	}
	p.action.failed = ""
	if slices.Contains(stopKeys, k.Name) {
		return ResultCanceled
	}
	if p.chooseInstead(k.Name) {
		return ResultChosen
	}
	switch k.Name {
	case "enter", "tab":
		if _, ok := p.Selected(); ok {
			return ResultChosen
		}
	case "up", "ctrl+p", "shift+tab":
		p.move(-1)
	case "down", "ctrl+n", "ctrl+r":
		p.move(1)
	case "pgup":
		p.at = max(0, p.at-p.page)
	case "pgdown":
		p.at = min(max(0, len(p.matches)-1), p.at+p.page)
	case "left", "right":
		if !p.turn(k.Name) {
			p.query.Key(k.Name, "")
		}
	default:
		if p.begin(k.Name) {
			return ResultOpen
		}
		before := p.query.Text
		if p.query.Key(k.Name, k.Text); p.query.Text != before {
			p.search()
		}
	}
	return ResultOpen
}

// turn changes the value of the selected choice. It returns false for a list without such choices.
func (p *Picker) turn(key string) bool {
	by := 1
	if key == "left" {
		by = -1
	}
	if c, ok := p.Selected(); ok && c.Turn != nil {
		p.pick.Choices[p.matches[p.at]] = c.Turn(by)
	}
	return p.pick.Turns != ""
}

// Paste adds the first line of pasted text to the query.
func (p *Picker) Paste(text string) {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if p.action.busy() {
		p.action.paste(line)
		return
	}
	p.query.Insert(line)
	p.search()
}

// Selected returns the choice that Enter would choose. ok is false if nothing matches the query.
func (p *Picker) Selected() (choice command.Choice, ok bool) {
	if p.at >= len(p.matches) {
		return command.Choice{}, false
	}
	if p.other != nil {
		return *p.other, true
	}
	return p.pick.Choices[p.matches[p.at]], true
}

// A Job is slow work, such as reading files, which the caller runs outside the event loop. The returned
// function stores the result. The caller must call it in the event loop.
type Job func() (done func())

// DueJobs returns the jobs that are due now. It returns each job once.
func (p *Picker) DueJobs() []Job {
	var jobs []Job
	if p.action.state == due {
		p.action.state = running
		jobs = append(jobs, p.act)
	}
	if !p.query.Empty() && !p.asked {
		p.asked, p.reading = true, true
		jobs = append(jobs, p.readTexts)
	}
	if c, ok := p.Selected(); ok && c.Preview != nil {
		choice := p.matches[p.at]
		if _, asked := p.previews[choice]; !asked {
			p.previews[choice] = ""
			previews := p.previews // an action may replace the list, and with it p.previews
			jobs = append(jobs, func() func() {
				preview := c.Preview()
				return func() { previews[choice] = preview }
			})
		}
	}
	return jobs
}

// readTexts reads the additional search texts. Choices that match only there are last, so that the
// selection does not move.
func (p *Picker) readTexts() func() {
	pick, of := p.pick, p.replaced
	texts := pick.SearchTexts()
	return func() {
		if p.replaced != of {
			return
		}
		p.texts, p.reading = texts, false
		p.matches = p.pick.Matches(p.query.Text, p.texts)
	}
}

// search finds the choices that match the query, and selects the first.
func (p *Picker) search() {
	p.matches, p.at = p.pick.Matches(p.query.Text, p.texts), 0
}

// move moves the selection up or down, and wraps around at the ends.
func (p *Picker) move(by int) {
	if n := len(p.matches); n > 0 {
		p.at = (p.at + by + n) % n
	}
}

// wideEnough is the smallest width, in cells, for a preview beside the list.
const wideEnough = 90

// View draws the picker in at most room rows: the query, the list and the keys. The cursor is in the first
// row, in column col.
func (p *Picker) View(t *style.Theme, width, room int) (rows []string, col int) {
	head, col := p.head(t, width)
	if foot := p.foot(t, width); foot != "" && room > 3 {
		defer func() { rows = append(rows, foot) }()
		room--
	}
	p.page = max(1, room-1)
	list := make([]Row, len(p.matches))
	previews := false
	for i, match := range p.matches {
		c := p.pick.Choices[match]
		list[i] = Row{c.Name, c.Help, c.InUse, c.Faded}
		previews = previews || c.Preview != nil || c.Theme != ""
	}
	if len(list) == 0 && room > 1 {
		none := "  nothing fits"
		if p.reading {
			none = "  searching the texts…"
		}
		return []string{head, t.Dim.Text(style.Truncate(none, width))}, col
	}
	if !previews || width < wideEnough {
		below := p.below(t, width, room-1-min(len(list), leastList))
		return slices.Concat([]string{head}, Rows(t, list, p.at, width, room-1-len(below)), below), col
	}
	left := width / 2
	drawn := Rows(t, list, p.at, left, room-1)
	return append([]string{head}, p.withPreview(t, drawn, left, width, room-1)...), col
}

// leastList is the smallest number of list rows. Nothing is shown below the list if fewer would remain.
const leastList = 3

// toldRows is the number of rows for the full help text of a choice.
const toldRows = 2

// below returns the rows below the list, or nil if there is no room for all of them. They show the sample
// of the selected theme, or the full help text of the choice.
func (p *Picker) below(t *style.Theme, width, room int) (rows []string) {
	choice := p.pick.Choices[p.matches[p.at]]
	switch {
	case p.pick.Tells:
		for _, row := range style.WrapText(style.Clean(choice.Help), width-4) {
			rows = append(rows, t.Dim.Text("    "+row))
		}
		rows = append(rows, make([]string, toldRows)...)[:toldRows] // keeps the height of the list constant
	case choice.Theme != "":
		rows = append([]string{""}, t.Sample(choice.Theme)...)
	}
	if len(rows) > room {
		return nil
	}
	return rows
}

// withPreview puts the preview of the selected choice to the right of the list.
func (p *Picker) withPreview(t *style.Theme, list []string, left, width, room int) []string {
	var preview []string
	for _, row := range style.WrapText(style.CleanProse(strings.TrimSpace(p.previews[p.matches[p.at]])), width-left-3) {
		preview = append(preview, t.Dim.Text(row))
	}
	if name := p.pick.Choices[p.matches[p.at]].Theme; name != "" {
		preview = t.Sample(name)
	}
	if len(preview) > room {
		preview = append(preview[:max(0, room-1)], "…")
	}
	rows := make([]string, max(len(list), len(preview)))
	for i := range rows {
		row, shown := "", ""
		if i < len(list) {
			row = list[i]
		}
		if i < len(preview) {
			shown = preview[i]
		}
		rows[i] = row + strings.Repeat(" ", max(0, left-style.Width(row))) + t.Dim.Text(" │ ") + shown
	}
	return rows
}

// foot returns a row with the keys of the list, or with the error of an action.
func (p *Picker) foot(t *style.Theme, width int) string {
	if p.action.failed != "" {
		return t.Bad.Text(style.Truncate("  ✗ "+style.Clean(p.action.failed), width))
	}
	var keys []string
	if p.pick.Turns != "" {
		keys = append(keys, "←→ "+style.Clean(p.pick.Turns))
	}
	for _, a := range p.pick.Actions {
		keys = append(keys, style.Clean(term.KeyLabel(a.Key)+" "+a.Name))
	}
	if keys == nil {
		return ""
	}
	return t.Dim.Text(style.Parts("  "+strings.Join(keys, " · "), " · ", width))
}

// head returns the row with the title, the query and the position of the selection in the list. col is the
// column of the cursor.
func (p *Picker) head(t *style.Theme, width int) (row string, col int) {
	if p.action.busy() {
		return p.action.head(t, width)
	}
	count := fmt.Sprintf("%d/%d", min(p.at+1, len(p.matches)), len(p.matches))
	title := style.Truncate(style.Clean(p.pick.Title)+": ", max(1, width/2))
	room := max(1, width-style.Width(title)-len(count)-3)
	query, _, at := p.query.View(room, 1)
	col = style.Width(title) + at
	typed := t.Plain.Text(query[0])
	if p.query.Empty() {
		typed = t.Dim.Text(style.Parts("type to filter · Enter select · Esc back", " · ", room))
	}
	pad := max(1, width-style.Width(title)-style.Width(typed)-len(count))
	return style.Truncate(t.Accent.Text(title)+typed+strings.Repeat(" ", pad)+t.Dim.Text(count), width), col
}

// Row is a line of a list: the name of a choice, and its help text.
type Row struct {
	Name, Help string
	// InUse marks the current choice.
	InUse bool
	// Faded is set if the row is dimmed.
	Faded bool
}

// Rows draws the part of a list around the selected row, in at most room rows of width cells.
// selected may be -1 for none.
func Rows(t *style.Theme, rows []Row, selected, width, room int) []string {
	top := max(0, min(selected-room/2, len(rows)-room))
	shown := rows[top:min(len(rows), top+max(0, room))]
	column, most := 0, width-2
	for _, row := range shown {
		column = max(column, style.Width(style.Clean(row.Name)))
		if row.Help != "" || row.InUse {
			most = width / 2
		}
	}
	column = min(column, most)
	lines := make([]string, len(shown))
	for i, row := range shown {
		name, help := style.Truncate(style.Clean(row.Name), column), style.Clean(row.Help)
		if row.InUse {
			help = "✓ " + help
		}
		// A help text that would be cut begins further left, where its row has room.
		room := max(0, width-4-style.Width(name))
		pad := min(column-style.Width(name), max(0, room-style.Width(help)))
		if help = style.Truncate(help, max(0, room-pad)); help != "" {
			name += strings.Repeat(" ", pad)
			help = "  " + help
		}
		switch {
		case top+i == selected:
			lines[i] = t.User.Text("▸ "+name) + help
		case row.Faded:
			lines[i] = t.Dim.Text("  " + name + help)
		default:
			lines[i] = "  " + name + t.Dim.Text(help)
		}
	}
	return lines
}
