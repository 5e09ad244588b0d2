package picker

import (
	"slices"

	"agent/internal/command"
	"agent/internal/tui/edit"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// action is the state of a list action, from its key to its end.
type action struct {
	command.ChoiceAction
	state  actionState
	choice command.Choice
	name   edit.Editor
	// failed is the error of the latest action, or "".
	failed string
}

type actionState int

const (
	none    actionState = iota
	asking              // the user answers, or edits the name
	due                 // the action runs next
	running             // concurrently with the screen
)

func (a *action) busy() bool { return a.state != none }

// chooseInstead chooses another choice in place of the selected one if the key has such an action.
func (p *Picker) chooseInstead(key string) bool {
	choice, ok := p.Selected()
	for _, a := range p.pick.Actions {
		if ok && a.Key == key && a.Instead != nil {
			other := a.Instead(choice)
			p.other = &other
			return true
		}
	}
	return false
}

// begin starts the action of a key. It returns false if the key has none.
func (p *Picker) begin(key string) bool {
	i := slices.IndexFunc(p.pick.Actions, func(a command.ChoiceAction) bool { return a.Key == key })
	if i < 0 {
		return false
	}
	a := action{ChoiceAction: p.pick.Actions[i], state: due}
	choice, ok := p.Selected()
	a.choice = choice
	if a.Asks != "" || a.Edits {
		if !ok {
			return true
		}
		a.state = asking
		a.name.Set(choice.Name)
	}
	p.action = a
	return true
}

// actionKey handles a key while an action waits for an answer, or runs.
func (p *Picker) actionKey(k term.Key) Result {
	a := &p.action
	stops := slices.Contains(stopKeys, k.Name)
	switch {
	case a.state != asking:
		if stops { // closing the list does not stop the action
			return ResultCanceled
		}
	case stops:
		p.action = action{}
	case a.Edits && k.Name == "enter", !a.Edits && (k.Text == "y" || k.Text == "Y"):
		a.state = due
	case a.Edits:
		a.name.Key(k.Name, k.Text)
	default: // every other key means no
		p.action = action{}
	}
	return ResultOpen
}

// paste inserts pasted text into the edited name. It never answers a question.
func (a *action) paste(text string) {
	if a.state == asking && a.Edits {
		a.name.Insert(text)
	}
}

// act runs the action. The returned function shows the new list or the error.
func (p *Picker) act() func() {
	a := p.action
	pick, err := a.Run(a.choice, a.name.Value())
	return func() {
		p.action = action{}
		if err != nil {
			p.action.failed = err.Error()
			return
		}
		p.replace(*pick)
	}
}

// replace shows a new version of the list. The query does not change. The selected choice stays selected if
// it is still in the list.
func (p *Picker) replace(pick command.ChoiceList) {
	selected, _ := p.Selected()
	at := p.at
	p.pick, p.previews, p.texts, p.asked, p.reading = pick, map[int]string{}, nil, false, false
	p.replaced++
	p.search()
	p.at = slices.IndexFunc(p.matches, func(i int) bool { return pick.Choices[i].Line == selected.Line })
	if p.at < 0 {
		p.at = max(0, min(at, len(p.matches)-1))
	}
}

// head returns the row with the question of the action, or with the edited name. col is the column of the
// cursor.
func (a *action) head(t *style.Theme, width int) (row string, col int) {
	switch {
	case a.state != asking:
		return t.Dim.Text(style.Truncate(style.Clean(a.Name)+"…", width)), 0
	case a.Edits:
		label := style.Truncate(style.Clean(a.Name)+": ", max(1, width/2))
		rows, _, at := a.name.View(max(1, width-style.Width(label)-1), 1)
		return style.Truncate(t.Accent.Text(label)+t.Plain.Text(rows[0]), width), min(width-1, style.Width(label)+at)
	}
	answers := " y: yes · any other key: no"
	question := style.Truncate(style.Clean(a.Asks)+" “"+style.Clean(a.choice.Name)+"”?", max(1, width-style.Width(answers)))
	row = style.Truncate(t.Warn.Text(question)+t.Dim.Text(answers), width)
	return row, min(width-1, style.Width(question))
}
