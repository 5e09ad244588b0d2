package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/tools"
)

// texts returns the printed lines that are not blank.
func (s *screenplay) texts() []string { return filled(strings.Join(s.printed, "\n")) }

func TestReply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		events []chat.Event
		want   []string
	}{
		{
			"in deltas",
			[]chat.Event{chat.TextDelta{Delta: "one\n"}, chat.TextDelta{Delta: "\ntw"}, chat.TextDelta{Delta: "o"}, chat.ReplyEnded{Text: "one\n\ntwo"}},
			[]string{"one", "two"},
		},
		{"in one piece", []chat.Event{chat.ReplyEnded{Text: "one\n\ntwo"}}, []string{"one", "two"}},
		{"cut by the end of the turn", []chat.Event{chat.TextDelta{Delta: "one"}, chat.TurnEnded{}}, []string{"one"}},
		{
			"two replies",
			[]chat.Event{chat.TextDelta{Delta: "one"}, chat.ReplyEnded{Text: "one"}, chat.TextDelta{Delta: "two"}, chat.ReplyEnded{Text: "two"}},
			[]string{"one", "two"},
		},
		{
			"discarded before anything was printed",
			[]chat.Event{chat.TextDelta{Delta: "on"}, chat.ReplyDiscarded{}, chat.TextDelta{Delta: "two"}, chat.ReplyEnded{Text: "two"}},
			[]string{"two"},
		},
		{
			"discarded after a block was printed",
			[]chat.Event{chat.TextDelta{Delta: "one\n\ntw"}, chat.ReplyDiscarded{}, chat.TextDelta{Delta: "three"}, chat.ReplyEnded{Text: "three"}},
			[]string{"one", "↻ the reply above was cut off and is discarded", "three"},
		},
		{
			"thinking whose beginning was not marked",
			[]chat.Event{chat.TextDelta{Delta: "one\n\ntw"}, chat.TextWasThinking{}, chat.TextDelta{Delta: "three"}, chat.ReplyEnded{Text: "three"}},
			[]string{"one", "↻ the text above is the model's reasoning", "three"},
		},
		{
			"interrupted",
			[]chat.Event{chat.TurnStarted{}, chat.TextDelta{Delta: "one"}, chat.ReplyEnded{Text: "one", Interrupted: true}, chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopInterrupted}}},
			[]string{"one", "■ interrupted"},
		},
		{
			"refused",
			[]chat.Event{chat.TurnStarted{}, chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopDenied}}},
			[]string{"■ Stopped after your refusal. Type how to continue."},
		},
		{
			"failed",
			[]chat.Event{chat.TurnStarted{}, chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopFailed}, Err: errors.New("the key was refused")}},
			[]string{"✗ the key was refused", "  To send the request again, type /retry."},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 80, 24)
			s.events(tt.events...)
			if diff := cmp.Diff(tt.want, s.texts()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
			if s.model.activity.reply.open() {
				t.Errorf("something of the reply is still open:\n%s", s.model.view())
			}
		})
	}
}

func (r *reply) open() bool {
	_, growing := r.text.OpenPiece()
	return growing || r.thinking() || r.printed
}

// Streamed text looks as it does after its block has closed. Lines that cannot change any more are
// printed at once, so that the screen does not move at the end.
func TestStreamedTextIsRendered(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	text := "Some **bold** words.\n\n```go\nfunc f() {\n\treturn\n}\n```\n\n- one\n- two **three**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend\n"
	s.events(chat.TurnStarted{})
	seen := map[string]bool{}
	for _, r := range text {
		s.events(chat.TextDelta{Delta: string(r)})
		for _, line := range s.model.live {
			seen[strings.TrimRight(line, " ")] = true
		}
	}
	s.events(chat.ReplyEnded{Text: text})
	for _, line := range filled(strings.Join(s.printed, "\n")) {
		if line = strings.TrimRight(line, " "); !seen[line] && !strings.Contains(text, strings.TrimSpace(line)) {
			t.Errorf("the line %q was never seen before it was printed", line)
		}
	}
	for _, want := range []string{"• two three", "a │ b"} {
		if !seen[want] {
			t.Errorf("%q was not rendered while it streamed", want)
		}
	}
}

func TestThinkingLeavesALine(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.events(chat.TurnStarted{}, chat.ReasoningDelta{Delta: "secret plan"})
	if !strings.Contains(s.model.view(), "secret plan") {
		t.Errorf("the thinking is not shown:\n%s", s.model.view())
	}
	s.wait(4 * time.Second)
	s.events(chat.TextDelta{Delta: "answer"})
	if diff := cmp.Diff([]string{"· thought for 4s"}, s.texts()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

func TestBellRingsIfAUserIsNeeded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(*Model)
		want bool
	}{
		{"an approval", func(m *Model) { m.update(eventsMsg{askedForCommand("ls")}) }, true},
		{"the end of a long turn", func(m *Model) {
			m.activity.turn.started = m.surface.now().Add(-time.Minute)
			m.update(eventsMsg{chat.TurnEnded{}})
		}, true},
		{"the end of a short turn", func(m *Model) { m.update(eventsMsg{chat.TurnStarted{}, chat.TurnEnded{}}) }, false},
	} {
		s := newScreenplay(t, 80, 24)
		tt.do(s.model)
		if got := s.model.frame().Bell; got != tt.want {
			t.Errorf("%s: bell = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestRunningToolsAreFollowed(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.events(chat.TurnStarted{}, chat.CallArriving{Name: "run_shell_command", Label: labelOf("run_shell_command")})
	if !strings.Contains(s.model.view(), "next: running") {
		t.Errorf("a call that arrives is not shown:\n%s", s.model.view())
	}
	s.events(chat.ToolStarted{Call: 1, Name: "run_shell_command", Label: labelOf("run_shell_command make")}, chat.ToolStarted{Call: 2, Name: "glob", Label: labelOf("glob")},
		chat.ToolOutput{Call: 1, Data: "compiling\x1b[31m red\r\ndone 1%\rdone 2%"})
	s.wait(3 * time.Second)
	view := s.model.view()
	for _, want := range []string{"running make 3s", "  compiling red", "  done 2%", "finding 3s"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not shown:\n%s", want, view)
		}
	}
	s.events(chat.ToolEnded{Call: 1, Name: "run_shell_command", Label: labelOf("run_shell_command make"), Answer: tools.Answer{Error: "timed out after 300s", Text: "compiling"}})
	if view := s.model.view(); strings.Contains(view, "make") || !strings.Contains(view, "finding") {
		t.Errorf("a call that ended is still shown:\n%s", view)
	}
	if diff := cmp.Diff([]string{"✗ run make", "  timed out after 300s", "  compiling"}, s.texts()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

// failingHistory returns an error for each read and write.
type failingHistory struct{}

func (failingHistory) Load() ([]atcmd.Message, error) { return nil, errors.New("permission denied") }
func (failingHistory) Add(atcmd.Message)              {}
func (failingHistory) Write() error                   { return errors.New("disk full") }

func TestFailingHistoryIsReported(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 100, 24)
	s.model.opts.History = failingHistory{}
	s.run(s.model.begin())
	s.typed("hello")
	s.press("enter")
	if diff := cmp.Diff([]string{`send "hello"`}, s.driver.calls); diff != "" {
		t.Error(diff)
	}
	want := []string{"✗ can't read the prompt history: permission denied", "✗ can't save the prompt history: disk full"}
	if diff := cmp.Diff(want, s.texts()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

// A model that is discovered after the greeting is named in a dim line, without control characters.
// If none is found, nothing is printed.
func TestTheModelThatWasFoundIsNamed(t *testing.T) {
	t.Parallel()
	for found, want := range map[string][]string{"model qwen\x1b[2J at localhost:8000": {"· model qwen at localhost:8000"}, "": {}} {
		s := newScreenplay(t, 80, 24)
		s.model.opts.Found = func(context.Context) string { return found }
		s.run(s.model.begin())
		if diff := cmp.Diff(want, s.texts()); diff != "" {
			t.Errorf("printed (-want +got):\n%s", diff)
		}
	}
}

// TestReturnedMessage checks that a message that could not be sent is put back into the input,
// unless the user is already typing.
func TestReturnedMessage(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.events(chat.MessageReturned{Message: atcmd.TypedMessage("look at @nowhere.go")})
	if got := s.model.input.Editor.Value(); got != "look at @nowhere.go" {
		t.Errorf("the input is %q", got)
	}
	s.events(chat.MessageReturned{Message: atcmd.TypedMessage("another")})
	if got := s.model.input.Editor.Value(); got != "look at @nowhere.go" {
		t.Errorf("the input became %q", got)
	}
	if all := s.all(); !strings.Contains(all, "prompt history; Up") {
		t.Errorf("where it is now is not said:\n%s", all)
	}
	s.events(chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopFailed}, Err: errors.New("there is no file @nowhere.go")})
	if all := s.all(); strings.Contains(all, "/retry") {
		t.Errorf("what never was in the conversation cannot be sent again:\n%s", all)
	}
}

func TestNothingTicksWhileAQuestionIsOpen(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.events(chat.TurnStarted{})
	if !s.model.moving() {
		t.Error("a running turn stands still")
	}
	s.events(askedForCommand("make"))
	if s.model.moving() {
		t.Error("the question moves")
	}
	s.wait(time.Second)
	s.typed("y")
	s.wait(300 * time.Millisecond)
	if !s.model.moving() {
		t.Error("the turn stands still after the answer")
	}
}

func TestStatusReportsAMissingModel(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.events(chat.StatusChanged{Status: chat.Status{Mode: gate.ModeAsk}})
	if view := s.model.view(); !strings.Contains(view, "no model: /model · ask") {
		t.Errorf("the status line is silent:\n%s", view)
	}
}

// The saving of an edit is shown in its line, or in a separate line if it is large. It is known
// when the next request is sent.
func TestEditShowsItsSaving(t *testing.T) {
	t.Parallel()
	edit := chat.ToolEnded{Name: "replace", Label: labelOf("replace a.go"), Answer: tools.Answer{Diff: editDiff}}
	pruned := func(tokens int) chat.Event {
		return chat.DensityApplied{Metadata: compression.CountsOf(map[history.PruneKind]int{"stale-read": 1}), Prunes: []chat.PruneRecord{{Tokens: tokens}}, TokensBefore: 20_000, TokensAfter: 20_000 - tokens, Limit: 128_000}
	}
	const line = "✓ edited a.go — +2 −1"
	for name, tt := range map[string]struct {
		do        func(*screenplay)
		want, not string
	}{
		"little":            {func(s *screenplay) { s.events(chat.StatusChanged{}, pruned(324)) }, line + " · pruned 324\n", "≈"},
		"much":              {func(s *screenplay) { s.events(pruned(3_000)) }, "≈ pruned 3k tokens: 1 stale read", "· pruned"},
		"later":             {func(s *screenplay) { s.events(chat.TextDelta{Delta: "one\n\ntwo"}, pruned(324)) }, "≈ pruned 324 tokens: 1 stale read", "· pruned"},
		"nothing":           {func(s *screenplay) { s.events(chat.RequestStarted{}) }, line + "\n", "pruned"},
		"something follows": {func(s *screenplay) { s.events(chat.ToolStarted{Name: "glob", Label: labelOf("glob x")}) }, line + "\n", "pruned"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 80, 40)
			s.events(chat.TurnStarted{}, edit)
			tt.do(s)
			all := s.all()
			if !strings.Contains(all, tt.want) || strings.Contains(all, tt.not) || strings.Count(all, line) != 1 {
				t.Errorf("%q and not %q:\n%s", tt.want, tt.not, all)
			}
		})
	}
}

// In a window of any width, the status line shows the mode full-auto.
func TestStatusAlwaysShowsFullAuto(t *testing.T) {
	t.Parallel()
	for width := 16; width <= 120; width++ {
		s := newScreenplay(t, width, 20)
		s.events(chat.StatusChanged{Status: chat.Status{Model: "a-model-of-a-long-name", Tokens: 12_345, Limit: 128_000, Mode: gate.ModeFullAuto}})
		if view := s.model.view(); !strings.Contains(view, "FULL-AUTO") {
			t.Errorf("%d columns:\n%s", width, view)
		}
	}
}

// The time of the next attempt and the key to interrupt are shown before the reason, which may be
// long. The address is omitted.
func TestRetryShowsItsTimeFirst(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	reason := "Internal Server Error (500): " + strings.Repeat("overloaded ", 10)
	s.events(chat.TurnStarted{}, chat.Retry{Attempt: 2, Delay: 3 * time.Second, Where: "https://api.example.com/v1, model demo-model", Reason: reason})
	if view := s.model.view(); !strings.Contains(view, "attempt 2 in 3s · 0s · Esc interrupts · Internal Server") {
		t.Errorf("the live part is:\n%s", view)
	}
}

func TestEarlierIsShownFirst(t *testing.T) {
	t.Parallel()
	m := newModel(t.Context(), Options{
		Now: time.Now, Greeting: []string{"agent 1.0"},
		Earlier: EarlierConversation{Exchanges: []EarlierTurn{{Said: "fix it", Reply: "It *is* fixed."}}},
	}, 60, 20)
	want := []string{mark + "agent 1.0", "> fix it", "It is fixed."}
	if diff := cmp.Diff(want, filled(strings.Join(m.frame().Printed, "\n"))); diff != "" {
		t.Error(diff)
	}
}

// filled returns the lines of a text that are not blank.
func filled(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// If the model sends nothing for ten seconds, the status line shows for how long. It stops when
// data arrives or no more reports come.
func TestSilenceIsShown(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.events(chat.TurnStarted{}, chat.Waiting{Model: "demo-model", For: 10 * time.Second})
	s.wait(5 * time.Second)
	s.events(chat.QueueChanged{})
	if screen := s.all(); !strings.Contains(screen, "nothing from demo-model for 15s") {
		t.Errorf("not said:\n%s", screen)
	}
	s.events(chat.TextDelta{Delta: "At last."})
	if screen := s.all(); strings.Contains(screen, "nothing from") {
		t.Errorf("still said:\n%s", screen)
	}
	s.events(chat.Waiting{Model: "demo-model", For: 10 * time.Second})
	s.wait(15 * time.Second)
	if screen := s.all(); strings.Contains(screen, "nothing from") {
		t.Errorf("said of what has ended:\n%s", screen)
	}
}

// The line about failed attempts is correct: they led to a reply or to no result. If an error was
// printed, no such line follows.
func TestFailedAttemptsAreReported(t *testing.T) {
	t.Parallel()
	retry := chat.Retry{Attempt: 3, Delay: time.Minute, Reason: "busy (429)"}
	for _, tt := range []struct {
		name   string
		events []chat.Event
		want   string
	}{
		{"a reply came", []chat.Event{retry, chat.TextDelta{Delta: "hi"}, chat.ReplyEnded{Text: "hi"}, chat.TurnEnded{}}, "↻ after 3 attempts: busy (429)"},
		{"calls came", []chat.Event{retry, chat.CallArriving{Name: "glob", Label: labelOf("glob")}, chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopInterrupted}}}, "↻ after 3 attempts: busy (429)"},
		{"interrupted", []chat.Event{retry, chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopInterrupted}}}, "↻ 2 attempts failed: busy (429)"},
		{"given up", []chat.Event{retry, chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopFailed}, Err: errors.New("the server is busy")}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 80, 24)
			s.events(chat.TurnStarted{})
			s.events(tt.events...)
			said := ""
			for _, line := range s.texts() {
				if strings.HasPrefix(line, "↻") {
					said = line
				}
			}
			if said != tt.want {
				t.Errorf("%q is said, want %q", said, tt.want)
			}
		})
	}
}

// Failed attempts are printed before the interruption, and the turn ends with a line. If there is
// no sandbox, the status line shows it.
func TestTheEndOfAnInterruptedTurn(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.events(chat.TurnStarted{}, chat.Retry{Attempt: 4, Delay: time.Minute, Reason: "busy"})
	s.clock = s.clock.Add(3 * time.Second)
	s.events(chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopInterrupted}})
	if diff := cmp.Diff([]string{"↻ 3 attempts failed: busy", "■ interrupted", "· 3s"}, s.texts()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
	s.events(chat.StatusChanged{Status: chat.Status{Model: "m", Mode: gate.ModeAsk, Unconfined: true}})
	if !strings.Contains(s.model.view(), "ask · no sandbox") {
		t.Errorf("the sandbox is off:\n%s", s.model.view())
	}
}
