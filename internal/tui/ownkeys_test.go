package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/toolspec"
	"agent/internal/tui/keymap"
)

// The user's key bindings have their effect, the replaced keys have none, and help texts name the
// user's keys.
func TestUserKeyBindings(t *testing.T) {
	t.Parallel()
	keys, faults := keymap.Parse([]byte(`{"keys": {"new-line": ["enter"], "send": ["ctrl+j"], "stash": ["f2"], "word-left": ["f3"]}}`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s := newScreenplayFor(t, 60, 20, func(o *Options) { o.Keys = func() *keymap.Map { return keys } })
	s.typed("one two")
	s.press("enter")
	s.typed("enter")
	if got := s.model.input.Editor.Text; got != "one two\nenter" {
		t.Fatalf("Enter made %q", got)
	}
	s.press("f3")
	if at := s.model.input.Editor.Cursor; at != len("one two\n") {
		t.Errorf("F3 moved to %d", at)
	}
	s.press("ctrl+left", "ctrl+s")
	if at := s.model.input.Editor.Cursor; at != len("one two\n") || s.model.stashed != nil {
		t.Errorf("keys that were given up did something")
	}
	s.press("f2")
	if s.model.stashed == nil || !strings.Contains(s.all(), "F2 restores it") {
		t.Errorf("F2 put nothing aside, or does not say how to get it back:\n%s", s.all())
	}
}

// Key bindings that are read again take effect at once.
func TestKeysAreReadAgain(t *testing.T) {
	t.Parallel()
	keys := keymap.Default()
	s := newScreenplayFor(t, 60, 20, func(o *Options) { o.Keys = func() *keymap.Map { return keys } })
	keys, _ = keymap.Parse([]byte(`{"keys": {"stash": ["f2"]}}`))
	s.typed("/help")
	s.press("enter")
	s.typed("draft")
	s.press("f2")
	if s.model.stashed == nil || !strings.Contains(s.all(), "F2 restores it") {
		t.Errorf("F2 put nothing aside:\n%s", s.all())
	}
}

// After /keys the screen names each pressed key, which has no other effect, until Esc.
func TestKeysAreTested(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.model.testing = true
	s.press("ctrl+s", "ctrl+d")
	if !strings.Contains(s.all(), "ctrl+d runs quit, otherwise delete-right · Esc ends the") {
		t.Errorf("the key is not named:\n%s", s.all())
	}
	s.press("esc")
	s.typed("x")
	if s.model.testing || s.model.input.Editor.Text != "x" {
		t.Error("Esc does not end the test")
	}
	s.press("ctrl+u")
	s.model.testing = true
	s.typed("q")
	s.press("f9")
	if s.typed("a"); !s.model.testing || s.model.input.Editor.Text != "" {
		t.Error("a single character ends the test")
	}
	if s.typed("bc"); s.model.testing || s.model.input.Editor.Text != "abc" {
		t.Errorf("a message is not typed: %q", s.model.input.Editor.Text)
	}
}

// With Vim keys, Esc leaves insert mode and interrupts nothing. In normal mode it has its usual
// effect. The mode is shown before the prompt, and a new prompt starts in insert mode.
func TestVimInThePrompt(t *testing.T) {
	t.Parallel()
	s := newScreenplayFor(t, 60, 20, func(o *Options) { o.Settings = func() Settings { return Settings{Vim: true} } })
	s.events(chat.TurnStarted{})
	s.typed("one two")
	shows := func(want string) {
		t.Helper()
		if !strings.Contains(s.all(), want) {
			t.Errorf("the screen does not show %q:\n%s", want, s.all())
		}
	}
	shows("I> one two")
	s.press("esc")
	shows("N> one two")
	if len(s.driver.calls) > 0 {
		t.Errorf("Esc in insert mode did %q", s.driver.calls)
	}
	s.typed("bcwthree")
	if shows("I> one three"); s.model.input.Editor.Text != "one three" {
		t.Errorf("bcw made %q", s.model.input.Editor.Text)
	}
	s.press("esc")
	s.typed("V")
	shows("L> ")
	s.press("esc", "enter")
	shows("I> ")
	s.press("alt+esc")
	if want := []string{`send "one three"`, "interrupt"}; !slices.Equal(s.driver.calls, want) {
		t.Errorf("it did %q, want %q", s.driver.calls, want)
	}
	s.typed("k")
	if s.model.input.Editor.Text != "one three" {
		t.Errorf("k brought %q", s.model.input.Editor.Text)
	}
}

// Ctrl+B moves the lowest running command or subagent to the background and reports it. If nothing
// runs, it moves the cursor.
func TestToTheBackground(t *testing.T) {
	t.Parallel()
	var asked []int
	s := newScreenplayFor(t, 60, 20, func(o *Options) {
		o.Jobs = fakeJobs{background: func(call int) bool { asked = append(asked, call); return call != 4 }}
	})
	s.typed("one")
	s.press("ctrl+b")
	if len(asked) > 0 || s.model.input.Editor.Cursor != 2 {
		t.Errorf("nothing runs: it was asked for %d, the cursor is at %d", asked, s.model.input.Editor.Cursor)
	}
	s.events(chat.TurnStarted{})
	for call, name := range []string{1: "run_shell_command", 2: "task", 3: "run_shell_command", 4: "web_fetch", 5: "task"} {
		if name != "" {
			s.events(chat.ToolStarted{Call: call, Name: name, Label: toolspec.Label{Verbs: toolspec.Verbs{Now: "call"}, Subject: fmt.Sprint(call)}})
		}
		if name == "task" {
			s.events(chat.AgentStarted{AgentState: chat.AgentState{ID: fmt.Sprint("s-", call), Call: call, Agent: "explore", Title: "look"}})
		}
	}
	for _, want := range []int{3, 1, 5, 2} {
		asked = nil
		s.press("ctrl+b")
		if asked[len(asked)-1] != want || s.model.input.Editor.Cursor != 2 || !strings.Contains(s.model.view(), fmt.Sprint("in the background: call ", want)) {
			t.Errorf("it was asked for %d, want %d:\n%s", asked, want, s.model.view())
		}
		s.events(chat.ToolEnded{Call: want})
	}
	s.press("ctrl+b")
	if !strings.Contains(s.model.view(), "no command or subagent to move to the background") {
		t.Error(s.model.view())
	}
}

// fakeJobs simulates the background commands.
type fakeJobs struct {
	background func(call int) bool
	all        []command.Job
}

func (j fakeJobs) Background(call int) bool { return j.background(call) }
func (j fakeJobs) Jobs() []command.Job      { return j.all }

// fakeJob is a background command.
type fakeJob struct{ ended, tail string }

func (j *fakeJob) Running() bool { return j.ended == "" }
func (j *fakeJob) State() string { return cmp.Or(j.ended, "running for 3s") }
func (j *fakeJob) Tail() string  { return j.tail }
func (j *fakeJob) Spool() string { return "" }

// Ctrl+B on an empty line shows the running jobs in the foreground, the latest first, and then
// hides them. A job that ends meanwhile prints a line and its output.
func TestBackToTheForeground(t *testing.T) {
	t.Parallel()
	server, build, old := &fakeJob{tail: "listening\n"}, &fakeJob{tail: "one\ntwo\n"}, &fakeJob{ended: "exit 0"}
	s := newScreenplayFor(t, 80, 20, func(o *Options) {
		o.Jobs = fakeJobs{all: []command.Job{{ID: 1, Command: "npm start", LiveJob: server}, {ID: 2, Command: "true", LiveJob: old}, {ID: 3, Command: "make", LiveJob: build}}}
	})
	shows := func(want, not string) {
		t.Helper()
		if view := s.model.view(); !strings.Contains(view, want) || strings.Contains(view, not) {
			t.Errorf("not %q, or %q:\n%s", want, not, view)
		}
	}
	s.press("ctrl+b")
	shows("Ask for", "job")
	s.events(chat.StatusChanged{Status: chat.Status{Model: "demo-model", Jobs: 2}})
	s.typed("x")
	s.press("ctrl+b")
	shows("> x", "make")
	s.press("end", "backspace", "ctrl+b")
	shows("job 3: make running for 3s · Ctrl+B hides it\n  one\n  two\n", "npm")
	build.tail += "three\n"
	s.wait(tickTime)
	shows("  two\n  three\n", "npm")
	s.press("ctrl+b")
	shows("job 1: npm start running for 3s · Ctrl+B hides it\n  listening\n", "make")
	s.press("ctrl+b")
	shows("Ask for", "npm")
	s.press("ctrl+b")
	build.ended = "exit 2"
	s.wait(tickTime)
	shows("Ask for", "make")
	if printed := strings.Join(s.texts(), "\n"); !strings.Contains(printed, "· job 3: make — exit 2") {
		t.Errorf("printed:\n%s", printed)
	}
	s.press("ctrl+o")
	if page := strings.Join(s.model.frame().Full, "\n"); !strings.Contains(page, "three") {
		t.Errorf("its output:\n%s", page)
	}
}
