package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/chat"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// The window title shows the current activity. A question that waits in a window without focus
// requests attention. A terminal of an unknown type receives neither.
func TestPresence(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.model.surface.environ = []string{"TERM=xterm-256color", "TERM_PROGRAM=ghostty"}
	take := func() string {
		sequence := s.model.presence.sequence
		s.model.presence.sequence = ""
		return sequence
	}
	s.model.update(eventsMsg{chat.TurnStarted{}})
	if got := take(); !strings.Contains(got, "\x1b]2;* agent: project\x1b\\") {
		t.Errorf("while a turn runs: %q", got)
	}
	s.model.update(inputMsg{term.Focus(false)})
	s.model.update(eventsMsg{askedForCommand("make\x1b\\\x1b]52;c;AAAA\a")})
	const asks = "\x1b]777;notify;agent: project;asks: run make␛\\␛]52,c,AAAA␇\x1b\\"
	if got := take(); got != "\x1b]2;? agent: project\x1b\\"+asks {
		t.Errorf("when it asks unseen: %q", got)
	}
	s.model.update(wakeMsg{})
	s.model.frame()
	s.model.update(wakeMsg{})
	if got := take(); got != "" {
		t.Errorf("it repeats: %q", got)
	}
	dumb := newScreenplay(t, 80, 24)
	dumb.events(chat.TurnStarted{})
	if dumb.model.presence.sequence != "" {
		t.Errorf("a terminal without a name got %q", dumb.model.presence.sequence)
	}
}

// A user whose terminal has the focus is not notified. A setting selects the kind of notification
// for others, and a command can run in addition.
func TestCalling(t *testing.T) {
	t.Parallel()
	const notification = "\x1b]9;agent: project: asks: run make\x1b\\"
	for _, tt := range []struct {
		setting, program string
		focus            []bool
		bell             bool
		sequence, called string
	}{
		{"auto", "", nil, true, "", "question"},
		{"auto", "", []bool{true}, false, "", ""},
		{"auto", "iTerm.app", []bool{false}, true, notification, "question"},
		{"auto", "", []bool{false}, true, "", "question"},
		{"osc", "", []bool{false}, false, notification, "question"},
		{"bell", "iTerm.app", []bool{false}, true, "", "question"},
		{"off", "iTerm.app", []bool{false}, false, "", ""},
	} {
		s := newScreenplay(t, 80, 24)
		s.model.surface.environ = []string{"TERM=xterm-256color", "TERM_PROGRAM=" + tt.program}
		s.model.surface.settings = func() Settings { return Settings{Notify: tt.setting} }
		called := ""
		s.model.presence.programs = programs{called: func(kind, news string) error {
			called += kind
			if news != "asks: run make" {
				t.Errorf("it says %q", news)
			}
			return errors.New("no such program")
		}}
		s.model.presence.title = "? agent: project"
		for _, focus := range tt.focus {
			s.model.presence.unfocused, s.model.presence.reports = !focus, true
		}
		next := s.model.update(eventsMsg{askedForCommand("make")})
		s.model.update(wakeMsg{})
		if next != nil {
			s.model.update(next())
		}
		frame := s.model.frame()
		if frame.Bell != tt.bell || frame.Sequence != tt.sequence || called != tt.called {
			t.Errorf("%+v: bell %v, %q, called %q", tt, frame.Bell, frame.Sequence, called)
		}
		if failed := strings.Contains(strings.Join(frame.Printed, "\n"), "no such program"); failed != (called != "") {
			t.Errorf("%+v: the failure is not said: %q", tt, s.texts())
		}
	}
}

// programs simulates the user's own programs.
type programs struct {
	called func(kind, news string) error
	line   func(context.Context, chat.Status, chat.Stats) (string, error)
}

func (p programs) NotifyUser(_ context.Context, kind, news string) error { return p.called(kind, news) }

func (p programs) StatusLine() func(context.Context, chat.Status, chat.Stats) (string, error) {
	return p.line
}

// The status line from a user's program keeps its colors but no other control sequences. Changes
// during a run cause one more run. An error is reported once.
func TestOwnStatus(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.surface.colors = style.Colors16
	runs := 0
	s.model.own.programs = programs{line: func(_ context.Context, status chat.Status, _ chat.Stats) (string, error) {
		runs++
		return status.Model + " \x1b[31mred\x1b]52;c;AAAA\a\x1b[2J\nsecond", nil
	}}
	changed := func(model string) tea.Cmd {
		return s.model.update(eventsMsg{chat.StatusChanged{Status: chat.Status{Model: model}}})
	}
	first := changed("one")
	if changed("two") != nil || changed("three") != nil {
		t.Error("a change starts it while it runs")
	}
	again := s.model.update(first())
	if view := s.model.own.view(60); len(view) != 1 || view[0] != "one \x1b[31mred\x1b[m" {
		t.Errorf("shown: %q", view)
	}
	if again == nil {
		t.Fatal("what changed while it ran is not shown")
	}
	wrong := thenMsg(func() tea.Cmd { return s.model.own.takeOutput("four", errors.New("took too long")) })
	s.model.update(wrong)
	s.model.update(wrong)
	if said := strings.Count(strings.Join(s.model.frame().Printed, "\n"), "took too long"); runs != 1 || said != 1 {
		t.Errorf("%d runs, said %d times", runs, said)
	}
	if s.model.surface.colors, s.model.own.text = style.NoColors, "four \x1b[31mred"; s.model.own.view(60)[0] != "four red" {
		t.Errorf("without colours: %q", s.model.own.view(60))
	}
	s.model.own.programs = programs{}
	if changed("five") != nil || s.model.own.view(60) != nil {
		t.Error("it is shown after it was unset")
	}
}

// The terminal receives status reports only after it has answered the query, or if its name is
// known to display progress. The reports contain no text of a prompt, question or answer, and all
// of them are cleared at the end.
func TestStatusIsReported(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.model.surface.environ = []string{"TERM=xterm-256color"}
	take := func() string {
		sequence := s.model.presence.sequence
		s.model.presence.sequence = ""
		_, reports, found := strings.Cut(sequence, "\x1b]7501;")
		if !found {
			return ""
		}
		return strings.TrimSuffix(reports, "\x1b\\")
	}
	secret := chat.UserMessage{Text: "the hidden prompt"}
	s.model.update(eventsMsg{chat.TurnStarted{}, secret})
	if got := take(); got != "" || s.model.presence.undo() != "" {
		t.Errorf("a terminal that did not answer got %q", got)
	}
	title := "project"
	s.model.presence.status.title = func() string { return title }
	const named = ":title=cHJvamVjdA=="
	s.model.update(inputMsg{term.StatusSupported{}})
	for i, step := range []struct {
		event chat.Event
		want  string
	}{
		{nil, "state=working:app=agent" + named},
		{askedForCommand("make hidden"), "state=blocked:app=agent:kind=permission" + named},
		{chat.ApprovalSettled{ID: askedForCommand("").Approval.ID}, "state=working:app=agent" + named},
		{chat.TextDelta{Delta: "hidden answer"}, ""},
		{chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopFailed}, Err: errors.New("hidden failure")}, "state=error:app=agent" + named},
		{chat.TurnStarted{}, "state=working:app=agent" + named},
		{chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopInterrupted}}, "state=idle:app=agent" + named},
		{chat.TurnStarted{}, "state=working:app=agent" + named},
		{chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopDone}}, "state=done:app=agent" + named},
	} {
		if step.event != nil {
			s.model.update(eventsMsg{step.event})
		}
		if got := take(); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	if got := s.model.presence.undo(); got != "\x1b]7501;state=clear\x1b\\" {
		t.Errorf("taken back with %q", got)
	}
	s.model.presence.forget()
	s.model.update(wakeMsg{})
	if got := take(); got != "state=done:app=agent"+named {
		t.Errorf("after another program had the terminal: %q", got)
	}
}
