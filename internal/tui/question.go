package tui

import (
	"fmt"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/tui/edit"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// A key may answer an approval only when the person can have read it: some time
// after it was painted, and, when they were in the middle of typing, after a pause.
// Keys that come earlier go where they were meant to go, into the input.
const (
	readingTime = 100 * time.Millisecond
	typingPause = 700 * time.Millisecond
)

// approvals are the decisions the turn loop waits for, oldest first.
type approvals struct {
	waiting []chat.Approval
	// from is when keys begin to count as answers.
	from time.Time
	// typing is set while the person is taken to be typing a message.
	typing bool
	// reason is the editor for why not, nil while it is not asked.
	reason *edit.Editor
	// unknown is set after a key that means nothing here.
	unknown bool
}

func (a *approvals) open() bool { return len(a.waiting) > 0 }

// add takes a request. typing says that the input was not empty.
func (a *approvals) add(approval chat.Approval, now time.Time, typing bool) {
	if !a.open() {
		a.ask(now, typing)
	}
	a.waiting = append(a.waiting, approval)
}

// ask begins the time in which keys do not count yet.
func (a *approvals) ask(now time.Time, typing bool) {
	a.typing, a.reason, a.unknown = typing, nil, false
	a.from = now.Add(readingTime)
	if typing {
		a.from = now.Add(typingPause)
	}
}

// settle drops a request that needs no answer any more.
func (a *approvals) settle(id int) {
	for i, w := range a.waiting {
		if w.ID == id {
			a.waiting = append(a.waiting[:i:i], a.waiting[i+1:]...)
			if i == 0 {
				a.reason, a.unknown = nil, false
			}
			return
		}
	}
}

// approvalKey takes a key while an approval waits. It reports false when the key
// is meant for someone else.
func (m *Model) approvalKey(k term.Key) (cmd, bool) {
	a := &m.approvals
	if a.reason != nil {
		return nil, m.reasonKey(k)
	}
	if now := m.opts.Now(); now.Before(a.from) && (k.Types() || k.Name == "enter") {
		a.typing, a.from = true, now.Add(typingPause)
		// An Enter typed ahead would send what was typed for the input; it waits.
		return nil, k.Name == "enter"
	}
	a.unknown = false
	switch k.Name {
	case "y", "Y":
		m.answer(chat.Decision{Allow: true})
	case "a", "A":
		if a.waiting[0].Always != "" {
			m.answer(chat.Decision{Allow: true, Always: true})
		}
	case "n", "N":
		a.reason = &edit.Editor{}
	case "v", "V":
		m.scrollback.print(textBlock, m.wholeApproval(a.waiting[0])...)
	case "esc", "alt+esc", "ctrl+c":
		m.refuse()
	case "shift+tab", "ctrl+o", "ctrl+l", "ctrl+z":
		return nil, false
	default:
		a.unknown = true
	}
	return nil, true
}

// reasonKey takes a key while a reason is typed.
func (m *Model) reasonKey(k term.Key) bool {
	switch k.Name {
	case "enter":
		m.answer(chat.Decision{Reason: strings.TrimSpace(m.approvals.reason.Value())})
	case "esc", "alt+esc":
		m.approvals.reason = nil
	case "ctrl+c":
		m.refuse()
	case "ctrl+l", "ctrl+z":
		return false
	default:
		m.editKey(m.approvals.reason, k)
	}
	return true
}

// refuse says no and ends the turn.
func (m *Model) refuse() {
	m.answer(chat.Decision{})
	m.interrupt()
}

func (m *Model) answer(d chat.Decision) {
	a := &m.approvals
	id := a.waiting[0].ID
	a.waiting = a.waiting[1:]
	a.ask(m.opts.Now(), false)
	m.opts.Driver.Answer(id, d)
}

// approvalView is the request with as much of it as fits, and the keys. at is
// where the cursor belongs while a reason is typed, in rows of what is returned.
func (m *Model) approvalView(width, room int) ([]string, place) {
	a, t := &m.approvals, m.theme
	request := a.waiting[0]
	title := style.Clean("? " + style.FirstLine(request.Preview.Title))
	head := t.Warn.Over(t.Strong).Text(style.Truncate(title, width))
	var foot []string
	var at place
	if a.reason != nil {
		rows, row, col := a.reason.View(width-11, 3)
		at = place{set: true, row: row, col: col + 10}
		foot = style.Indent(rows, t.Strong.Text("Why not? ")+" ", strings.Repeat(" ", 10))
		does := "Enter refuses and ends the turn; with a reason the model goes on · Esc goes back"
		if strings.TrimSpace(a.reason.Value()) != "" {
			does = "Enter refuses, and the model goes on · Esc goes back"
		}
		foot = append(foot, t.Dim.Text(style.Truncate(does, width)))
	} else {
		for _, row := range style.WrapText(m.approvalKeys(request), width) {
			foot = append(foot, strings.ReplaceAll(row, nbsp, " "))
		}
	}
	body := m.approvalBody(request, width-2)
	if len(body) == 1 && style.Width(title) <= width && strings.HasSuffix(title, body[0]) {
		body = nil // the title says it all
	}
	if most := max(1, room-1-len(foot)); len(body) > most {
		more := len(body) - most + 1
		body = append(body[:most-1:most-1], t.Warn.Text(fmt.Sprintf("… %d more lines: v shows all", more)))
	}
	lines := append([]string{head}, style.IndentAll(body, "  ")...)
	at.row += len(lines)
	return append(lines, foot...), at
}

// nbsp keeps a key and what it does on one line while lines are broken.
const nbsp = "\u00a0"

// approvalKeys lists the keys that answer.
func (m *Model) approvalKeys(request chat.Approval) string {
	if m.approvals.typing && m.opts.Now().Before(m.approvals.from) {
		return "(waits until you pause typing)"
	}
	keys := []string{"y yes"}
	if request.Always != "" {
		keys = append(keys, "a always: "+style.Clean(request.Always))
	}
	keys = append(keys, "n no", "v view all", "Esc no, and stop")
	for i := range keys {
		keys[i] = strings.ReplaceAll(keys[i], " ", nbsp)
	}
	text := strings.Join(keys, " · ")
	if m.approvals.unknown {
		text = "Press one of these keys: " + text
	}
	return text
}

// approvalBody is the difference or the command, in full.
func (m *Model) approvalBody(request chat.Approval, width int) []string {
	p := request.Preview
	switch {
	case p.Diff != "":
		return patch.Render(m.theme, p.Diff, width)
	case p.Command != "":
		var rows []string
		for _, line := range strings.Split(style.Clean(p.Command), "\n") {
			rows = append(rows, style.HardWrap(line, width)...)
		}
		return rows
	}
	return nil
}

// wholeApproval is the request for the scrollback.
func (m *Model) wholeApproval(request chat.Approval) []string {
	body := m.approvalBody(request, m.columns()-2)
	return append([]string{m.theme.Strong.Text(style.Clean(request.Preview.Title))}, style.IndentAll(body, "  ")...)
}
