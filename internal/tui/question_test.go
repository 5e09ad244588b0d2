package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/style"
)

func askedForCommand(command string) chat.ApprovalRequested {
	return chat.ApprovalRequested{Approval: chat.Approval{
		ID: 7, Tool: "run_shell_command", Kind: tools.KindShell, Always: `commands "go test"`,
		Preview: tools.Preview{Title: "run " + style.FirstLine(command), Command: command},
	}}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestApprovalKeys(t *testing.T) {
	t.Parallel()
	const no = `answer 7 allow=false always=false reason=""`
	for _, tt := range []struct {
		name  string
		do    func(*screenplay)
		calls []string
		open  bool
	}{
		{name: "y allows", do: func(s *screenplay) { s.typed("y") }, calls: []string{`answer 7 allow=true always=false reason=""`}},
		{name: "a allows always", do: func(s *screenplay) { s.typed("a") }, calls: []string{`answer 7 allow=true always=true reason=""`}},
		{
			name: "n refuses with a reason", do: func(s *screenplay) { s.typed("nuse make"); s.press("enter") },
			calls: []string{`answer 7 allow=false always=false reason="use make"`},
		},
		{name: "n refuses without one", do: func(s *screenplay) { s.typed("n"); s.press("enter") }, calls: []string{no}},
		{name: "Esc goes back from the reason", do: func(s *screenplay) { s.typed("n"); s.press("esc") }, open: true},
		{name: "Esc refuses and interrupts", do: func(s *screenplay) { s.press("esc") }, calls: []string{no, "interrupt"}},
		{name: "Ctrl+C refuses and interrupts", do: func(s *screenplay) { s.press("ctrl+c") }, calls: []string{no, "interrupt"}},
		{name: "Enter is no answer", do: func(s *screenplay) { s.press("enter", "enter") }, open: true},
		{name: "another key is no answer", do: func(s *screenplay) { s.typed("xq "); s.press("up", "tab", "backspace") }, open: true},
		{name: "a paste is no answer", do: func(s *screenplay) { s.paste("y") }, open: true},
		{name: "Shift+Tab still cycles", do: func(s *screenplay) { s.press("shift+tab") }, calls: []string{"cycle"}, open: true},
		{name: "settled by someone else", do: func(s *screenplay) { s.events(chat.ApprovalSettled{ID: 7}); s.typed("y") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 60, 24)
			s.events(chat.TurnStarted{}, askedForCommand("go test ./..."))
			s.wait(time.Second)
			tt.do(s)
			if diff := cmp.Diff(tt.calls, s.driver.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if s.model.approvals.open() != tt.open {
				t.Errorf("open = %v, want %v", s.model.approvals.open(), tt.open)
			}
		})
	}
}

// A key typed before the question could be read never answers it.
func TestApprovalIgnoresKeysTypedAhead(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.events(chat.TurnStarted{}, askedForCommand("rm -r build"))
	s.typed("y")
	s.press("enter")
	if len(s.driver.calls) != 0 || s.model.input.Value() != "y" {
		t.Fatalf("typed ahead: calls %v, input %q", s.driver.calls, s.model.input.Value())
	}
}

// Someone in the middle of a message goes on typing it; the question waits for a
// pause.
func TestApprovalWaitsForAPauseInTyping(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.events(chat.TurnStarted{})
	s.typed("please ")
	s.events(askedForCommand("rm -r build"))
	for _, r := range "try any way" {
		s.wait(300 * time.Millisecond)
		s.typed(string(r))
	}
	if len(s.driver.calls) != 0 || s.model.input.Value() != "please try any way" {
		t.Fatalf("while typing: calls %v, input %q", s.driver.calls, s.model.input.Value())
	}
	s.wait(time.Second)
	s.typed("y")
	if len(s.driver.calls) != 1 {
		t.Errorf("after a pause: calls %v", s.driver.calls)
	}
	if s.model.input.Value() != "please try any way" {
		t.Errorf("the message is lost: %q", s.model.input.Value())
	}
}

func TestApprovalShowsTheEnd(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.events(askedForCommand(numbered(100) + "rm -r /"))
	s.wait(time.Second)
	view := s.model.view()
	if strings.Contains(view, "rm -r /") || !strings.Contains(view, "more lines: v shows all") {
		t.Fatalf("it is not said that the command goes on:\n%s", view)
	}
	s.typed("v")
	if !strings.Contains(strings.Join(s.printed, "\n"), "rm -r /") {
		t.Errorf("v did not show all of it:\n%s", s.all())
	}
	if !s.model.approvals.open() {
		t.Error("v answered")
	}
}

// What is approved is what is read: escapes, overwriting and reordering characters
// do not reach the terminal.
func TestApprovalShowsWhatWouldRun(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.events(askedForCommand("echo \x1b[8mhidden\x1b[0m \u202egnol \x1b]0;title\x07 end\x08\x08\x08"))
	view := s.model.view()
	if !strings.Contains(view, "echo hidden �gnol  end") || strings.ContainsAny(view, "\x1b\x07\x08\u202e") {
		t.Errorf("shown as %q", view)
	}
}
