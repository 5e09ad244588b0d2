package tui

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// fakeBoard is a board with fixed rows.
type fakeBoard struct {
	rows []BoardRow
	said []string
}

func (f *fakeBoard) Rows() []BoardRow         { return f.rows }
func (f *fakeBoard) Changes() <-chan struct{} { return nil }
func (f *fakeBoard) TakeError() string        { return "" }

func (f *fakeBoard) Answer(session string, question int, d chat.Decision) error {
	f.said = append(f.said, session+": "+answered(question, d))
	return nil
}

func answered(question int, d chat.Decision) string {
	text := "no"
	if d.Allow {
		text = "yes"
	}
	if d.Always {
		text += " always"
	}
	for _, given := range d.Answers {
		text += " " + strings.Join(given.Chosen, "+")
	}
	return text + " to " + string(rune('0'+question))
}

func (f *fakeBoard) Send(session, text string) error {
	f.said = append(f.said, session+": "+text)
	return nil
}

func (f *fakeBoard) Stop(session string) error { return errors.New("can't stop " + session) }

var boardTime = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func boardRows() []BoardRow {
	ask := func(id int, command string) chat.Approval {
		return chat.Approval{ID: id, Tool: "run_shell_command", Always: "`" + command + "`", Preview: tools.Preview{Title: "run " + command, Command: command}}
	}
	which := chat.Approval{ID: 5, Preview: tools.Preview{Title: "which?", Inquiries: []tools.Inquiry{{Question: "Which?", Options: []tools.Option{{Label: "red"}, {Label: "blue"}}}}}}
	return []BoardRow{
		{ID: "one", Title: "fix the \x1b[31mlexer", Folder: "/w/lexer", Branch: "main", Model: "m", State: "blocked", Kind: "permission", Since: boardTime.Add(-2 * time.Minute), Cost: 0.25, Tokens: 12, Limit: 100, Questions: []chat.Approval{ask(1, "make"), ask(2, "make all")}},
		{ID: "two", Title: "choose a color", Folder: "/w/site", Model: "m", State: "blocked", Kind: "question", Since: boardTime.Add(-time.Minute), Questions: []chat.Approval{which}},
		{ID: "three", Title: "", Folder: "/w/new", State: "idle", Since: boardTime},
	}
}

// A key without a meaning names the keys of the board.
func TestBoardNamesItsKeys(t *testing.T) {
	t.Parallel()
	b := &boardView{driver: &fakeBoard{rows: boardRows()}, now: func() time.Time { return boardTime }, theme: style.NewSpoken()}
	b.refresh()
	if ends := b.key(term.Key{Name: "x", Text: "x"}); ends || !strings.Contains(b.hint, "this key does nothing") || !strings.Contains(b.hint, "Enter attach") {
		t.Errorf("%q", b.hint)
	}
}

// If the selected session ends, the board reports it. A message for it is sent to no other session,
// and the key s stops none.
func TestBoardSessionEnds(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ typed, hint string }{
		"nothing typed": {"", "choose a color has ended"},
		"a message":     {"mhi", "choose a color has ended; the message was not sent"},
	} {
		driver, now := &fakeBoard{rows: boardRows()}, boardTime
		b := &boardView{driver: driver, now: func() time.Time { return now }, theme: style.NewSpoken()}
		press := func(text string) {
			for _, r := range text {
				b.key(term.Key{Name: string(r), Text: string(r)})
				b.refresh()
			}
		}
		b.refresh()
		press("j" + want.typed)
		driver.rows = slices.Concat(driver.rows[:1], driver.rows[2:])
		b.refresh()
		if b.hint != want.hint || b.selected != "one" {
			t.Errorf("%s: %q, %s is selected", name, b.hint, b.selected)
		}
		press("s")
		b.key(term.Key{Name: "enter"})
		if len(driver.said) > 0 || !strings.Contains(b.hint, "key ignored") && b.hint != "" {
			t.Errorf("%s: %q, %q", name, driver.said, b.hint)
		}
		now = now.Add(guardTime)
		press("s")
		if b.hint != "can't stop one" {
			t.Errorf("%s: %q", name, b.hint)
		}
	}
}

// Keys answer the visible question, but not a question that has just appeared. Then the next
// waiting session is selected.
func TestBoardKeys(t *testing.T) {
	t.Parallel()
	driver, now := &fakeBoard{rows: boardRows()}, boardTime
	b := &boardView{driver: driver, now: func() time.Time { return now }, theme: style.NewSpoken()}
	b.refresh()
	press := func(keys ...string) {
		for _, key := range keys {
			k := term.Key{Name: key}
			if len(key) == 1 {
				k.Text = key
			}
			b.key(k)
			b.refresh()
		}
	}
	press("y")
	if len(driver.said) > 0 || b.hint == "" {
		t.Errorf("a question that has just appeared is answered: %q", driver.said)
	}
	now = now.Add(guardTime)
	press("a")
	if b.selected != "two" {
		t.Errorf("after the answer %s is selected", b.selected)
	}
	press("2")
	now = now.Add(guardTime)
	press("y", "3", "2")
	now = now.Add(guardTime)
	if b.selected != "one" {
		t.Errorf("after the answer %s is selected", b.selected)
	}
	driver.rows[0].Questions = driver.rows[0].Questions[1:] // another screen answered the first one
	b.refresh()
	press("n")
	now = now.Add(guardTime)
	press("n", "down", "down", "down", "m", "h", "x", "backspace", "i", "enter", "m", "esc", "s")
	if b.hint != "can't stop three" {
		t.Errorf("hint %q", b.hint)
	}
	want := []string{"one: yes always to 1", "two: yes blue to 5", "one: no to 2", "three: hi"}
	if diff := cmp.Diff(want, driver.said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b.key(term.Key{Name: "enter"}); b.chosen != "three" {
		t.Errorf("Enter attaches to %q", b.chosen)
	}
	driver.rows = driver.rows[:1]
	b.refresh()
	if b.selected != "one" {
		t.Errorf("%q is selected after the selected session ended", b.selected)
	}
}

// The board fits its window and lists the most important sessions first.
func TestBoardFits(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ width, height int }{{120, 40}, {60, 24}, {38, 12}} {
		b := &boardView{driver: &fakeBoard{rows: boardRows()}, now: func() time.Time { return boardTime }, theme: style.NewTheme(style.DetectColors(func(string) string { return "" }), style.PaletteFor("plain", true))}
		b.refresh()
		lines, _ := b.view(size.width, size.height)
		text := strings.Join(lines, "\n")
		for _, want := range []string{"3 running sessions", "> waits 2m", "fix the ", "make", "y yes", "↑↓ select"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d×%d lacks %q:\n%s", size.width, size.height, want, text)
			}
		}
		for _, line := range lines {
			if style.Width(line) > size.width {
				t.Errorf("%d columns: %q", size.width, line)
			}
		}
		if len(lines) > size.height || strings.Contains(text, "\x1b[31mlexer") {
			t.Errorf("%d×%d: %d lines:\n%s", size.width, size.height, len(lines), text)
		}
	}
}

// A row whose state began in the future, because a clock was set back, has waited for no time.
func TestBoardAfterAClockStep(t *testing.T) {
	t.Parallel()
	row := boardRows()[0]
	row.Since = boardTime.Add(time.Hour)
	b := &boardView{now: func() time.Time { return boardTime }}
	if state, _, _ := b.describe(row); state != "waits 0s" {
		t.Errorf("%q", state)
	}
}

// A board for screen readers prints sentences and reads lines.
func TestPlainBoard(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	driver, now := &fakeBoard{rows: boardRows()}, boardTime
	p := &plainBoard{view: &boardView{driver: driver, now: func() time.Time { return now }, theme: style.NewSpoken()}, out: &out}
	p.Init()
	now = now.Add(guardTime)
	for _, line := range []string{"y", "2", "m hello", "what"} {
		p.Update(typedLineMsg{line, true})
	}
	if strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), "1. fix the ") || !strings.Contains(out.String(), plainBoardHelp) {
		t.Errorf("%q", out.String())
	}
	if diff := cmp.Diff([]string{"one: yes to 1", "two: hello"}, driver.said); diff != "" {
		t.Error(diff)
	}
}

// The frames of the board without colors and on a light background have the same letters.
func TestBoardFrames(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 100} {
		var plain string
		for _, look := range []struct {
			name  string
			theme *style.Theme
		}{{"plain", style.NewTheme(style.NoColors, style.PaletteFor("plain", true))}, {"light", style.NewTheme(style.TrueColors, style.PaletteFor("light", false))}} {
			t.Run(fmt.Sprintf("%s-%d", look.name, width), func(t *testing.T) {
				rows := boardRows()
				rows[0].Questions[0].Sandbox = "run commands in the sandbox without asking"
				b := &boardView{driver: &fakeBoard{rows: rows}, now: func() time.Time { return boardTime }, theme: look.theme}
				b.refresh()
				lines, _ := b.view(width, 24)
				text := strings.Join(lines, "\n")
				golden.RequireEqual(t, []byte(text))
				if letters := style.Clean(text); plain == "" {
					plain = letters
				} else if diff := cmp.Diff(plain, letters); diff != "" {
					t.Errorf("(-without colors +with):\n%s", diff)
				}
			})
		}
	}
}

// ← on an empty line opens the board. Otherwise it is a key of the editor.
func TestTheKeyOfTheBoard(t *testing.T) {
	t.Parallel()
	for _, board := range []string{"", "/board"} {
		s := newScreenplayFor(t, 60, 24, func(o *Options) { o.BoardCommand = board })
		s.model.input.Editor.Insert("x")
		if s.model.key(term.Key{Name: "left"}); len(s.model.activity.commands) > 0 {
			t.Error("it leaves a draft")
		}
		s.model.input.Editor.Set("")
		if s.model.key(term.Key{Name: "left"}); (len(s.model.activity.commands) > 0) != (board != "") {
			t.Errorf("board %q: running %q", board, s.model.activity.commands)
		}
	}
}

// Ctrl+D leaves an attached screen while a question waits, without an answer. The screen of the
// session itself stays.
func TestLeavingAnswersNothing(t *testing.T) {
	t.Parallel()
	for _, attached := range []bool{false, true} {
		driver := &fakeDriver{}
		s := newScreenplayFor(t, 60, 24, func(o *Options) { o.Attached, o.Driver = attached, driver })
		s.model.update(eventsMsg{chat.TurnStarted{}, askedForCommand("make")})
		leave := s.model.key(term.Key{Name: "ctrl+d"})
		if quits := leave != nil && reflect.ValueOf(leave).Pointer() == reflect.ValueOf(tea.Quit).Pointer(); quits != attached || len(driver.calls) > 0 {
			t.Errorf("attached %v: quits %v, calls %q", attached, quits, driver.calls)
		}
	}
}
