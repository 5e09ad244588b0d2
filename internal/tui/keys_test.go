package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/term"
)

// Each key of the prompt has its effect.
func TestKeys(t *testing.T) {
	t.Parallel()
	running := func(s *screenplay) { s.events(chat.TurnStarted{}) }
	for _, tt := range []struct {
		name  string
		do    func(*screenplay)
		calls []string
		input string
		quit  bool
	}{
		{name: "Enter sends", do: func(s *screenplay) { s.typed("hello you"); s.press("enter") }, calls: []string{`send "hello you"`}},
		{name: "Enter on nothing does nothing", do: func(s *screenplay) { s.typed("  "); s.press("enter") }, input: "  "},
		{name: "a word that is also a key's name is text", do: func(s *screenplay) {
			s.update(inputMsg{term.Key{Name: "enter", Text: "enter"}})
		}, input: "enter"},
		{name: "Alt+Enter starts a line", do: func(s *screenplay) { s.typed("a"); s.press("alt+enter"); s.typed("b") }, input: "a\nb"},
		{name: "Ctrl+J starts a line", do: func(s *screenplay) { s.typed("a"); s.press("ctrl+j"); s.typed("b") }, input: "a\nb"},
		{name: "a trailing backslash starts a line", do: func(s *screenplay) { s.typed(`a\`); s.press("enter"); s.typed("b") }, input: "a\nb"},
		{name: "a paste never sends", do: func(s *screenplay) { s.paste("a\rb\r") }, input: "a\nb\n"},
		{
			name: "a long paste is sent in full", do: func(s *screenplay) { s.paste(strings.Repeat("x\n", 20)); s.press("enter") },
			calls: []string{`send "` + strings.Repeat(`x\n`, 19) + `x"`},
		},
		{name: "Esc interrupts", do: func(s *screenplay) { running(s); s.press("esc") }, calls: []string{"interrupt"}},
		{name: "Esc clears a draft", do: func(s *screenplay) { s.typed("a"); s.press("esc") }},
		{name: "Up brings a cleared draft back, of any size", do: func(s *screenplay) {
			s.model.input.Editor.Set(strings.Repeat("word ", 5000) + "end")
			s.press("ctrl+c", "up")
		}, input: strings.Repeat("word ", 5000) + "end"},
		{name: "Ctrl+S puts the draft aside", do: func(s *screenplay) { s.typed("half a"); s.press("ctrl+s") }},
		{name: "Ctrl+S brings it back", do: func(s *screenplay) { s.typed("half a"); s.press("ctrl+s", "ctrl+s") }, input: "half a"},
		{
			name: "sending something else brings the draft back", do: func(s *screenplay) { s.typed("half a"); s.press("ctrl+s"); s.typed("first"); s.press("enter") },
			calls: []string{`send "first"`}, input: "half a",
		},
		{
			name: "a second draft is not put over the first", do: func(s *screenplay) { s.typed("one"); s.press("ctrl+s"); s.typed("two"); s.press("ctrl+s") },
			input: "two",
		},
		{name: "exit is a word", do: func(s *screenplay) { s.typed("exit"); s.press("enter") }, quit: true},
		{name: "! alone is not sent", do: func(s *screenplay) { s.typed("!"); s.press("enter") }},
		{name: "Ctrl+D during a turn asks once", do: func(s *screenplay) { running(s); s.press("ctrl+d") }},
		{name: "Ctrl+D twice during a turn quits", do: func(s *screenplay) { running(s); s.press("ctrl+d", "ctrl+d") }, quit: true},
		{name: "undo", do: func(s *screenplay) { s.typed("one two"); s.press("ctrl+w", "ctrl+_") }, input: "one two"},
		{name: "Enter runs the first command that is proposed", do: func(s *screenplay) { s.typed("/in"); s.press("enter") }, calls: []string{`send "write AGENTS.md"`}},
		{name: "half a word that loses something is filled in", do: func(s *screenplay) { s.typed("/qu"); s.press("enter") }, input: "/quit "},
		{name: "what was filled in runs with the next Enter", do: func(s *screenplay) { s.typed("/qu"); s.press("enter", "enter") }, quit: true},
		{name: "half a word that loses something is filled in when picked, too", do: func(s *screenplay) { s.typed("/c"); s.press("up", "enter") }, input: "/clear "},
		{name: "Ctrl+C clears", do: func(s *screenplay) { s.typed("a"); s.press("ctrl+c") }},
		{name: "Ctrl+C twice quits", do: func(s *screenplay) { s.press("ctrl+c", "ctrl+c") }, quit: true},
		{name: "Ctrl+C twice with a key between does not", do: func(s *screenplay) { s.press("ctrl+c"); s.typed("x"); s.press("ctrl+c") }},
		{name: "Ctrl+C twice, slowly, does not", do: func(s *screenplay) { s.press("ctrl+c"); s.wait(3 * time.Second); s.press("ctrl+c") }},
		{name: "Ctrl+C during a turn interrupts", do: func(s *screenplay) { running(s); s.typed("a"); s.press("ctrl+c") }, calls: []string{"interrupt"}, input: "a"},
		{name: "Ctrl+D quits on an empty line", do: func(s *screenplay) { s.press("ctrl+d") }, quit: true},
		{name: "Ctrl+D deletes in a line", do: func(s *screenplay) { s.typed("ab"); s.press("ctrl+a", "ctrl+d") }, input: "b"},
		{name: "Shift+Tab cycles the mode", do: func(s *screenplay) { s.press("shift+tab") }, calls: []string{"cycle"}},
		{name: "typing during a turn queues", do: func(s *screenplay) { running(s); s.typed("more"); s.press("enter") }, calls: []string{`send "more"`}},
		{name: "! runs a command", do: func(s *screenplay) { s.typed("! ls -l"); s.press("enter") }, calls: []string{`shell "ls -l" private=false`}},
		{name: "!! runs a command that the model does not see", do: func(s *screenplay) { s.typed("!!ls -l"); s.press("enter") }, calls: []string{`shell "ls -l" private=true`}},
		{name: "!! alone is not sent", do: func(s *screenplay) { s.typed("!! "); s.press("enter") }},
		{name: "? on an empty line is no text", do: func(s *screenplay) { s.typed("?") }},
		{name: "? twice is text", do: func(s *screenplay) { s.typed("??") }, input: "?"},
		{name: "the next key closes the keys and is taken", do: func(s *screenplay) { s.typed("?a?") }, input: "a?"},
		{name: "Esc only closes the keys", do: func(s *screenplay) { running(s); s.typed("?"); s.press("esc") }},
		{name: "a path is no command", do: func(s *screenplay) { s.typed("/etc/hosts is odd"); s.press("enter") }, calls: []string{`send "/etc/hosts is odd"`}},
		{name: "/quit", do: func(s *screenplay) { s.typed("/quit"); s.press("enter") }, quit: true},
		{name: "a command runs during a turn", do: func(s *screenplay) { running(s); s.typed("/init"); s.press("enter") }, calls: []string{`send "write AGENTS.md"`}},
		{name: "Tab completes a file", do: func(s *screenplay) { s.typed("fix @ma"); s.press("tab") }, input: "fix @main.go "},
		{name: "Tab completes a folder and goes on", do: func(s *screenplay) { s.typed("fix @src"); s.press("tab", "tab") }, input: "fix @src/x.go "},
		{name: "Tab leaves an address alone", do: func(s *screenplay) { s.typed("mail a@ma"); s.press("tab") }, input: "mail a@ma"},
		{name: "Tab completes", do: func(s *screenplay) { s.typed("/he"); s.press("tab") }, input: "/help "},
		{name: "arrows pick a completion, Tab takes it", do: func(s *screenplay) { s.typed("/c"); s.press("down", "tab") }, input: "/context "},
		{name: "Up walks back, Down returns to the draft", do: func(s *screenplay) {
			s.typed("one")
			s.press("enter")
			s.typed("two")
			s.press("enter")
			s.typed("draft")
			s.press("up", "up", "up", "down", "down")
		}, calls: []string{`send "one"`, `send "two"`}, input: "draft"},
		{name: "Up moves in the text first", do: func(s *screenplay) {
			s.typed("old")
			s.press("enter")
			s.typed("a")
			s.press("ctrl+j", "up")
			s.typed("x")
		}, calls: []string{`send "old"`}, input: "xa\n"},
		{name: "Up takes a queued message back", do: func(s *screenplay) {
			running(s)
			s.driver.queued = []string{"queued"}
			s.events(chat.QueueChanged{Messages: s.driver.queued})
			s.press("up")
		}, input: "queued"},
		{name: "Ctrl+R finds, Enter takes", do: func(s *screenplay) {
			s.update(earlierPrompts("fix the test", "write docs", "fix the build"))
			s.press("ctrl+r")
			s.typed("fix")
			s.press("ctrl+r", "enter")
		}, input: "fix the test"},
		{name: "Ctrl+R, Esc goes back", do: func(s *screenplay) {
			s.update(earlierPrompts("fix the test"))
			s.typed("mine")
			s.press("ctrl+r")
			s.typed("fix")
			s.press("esc")
		}, input: "mine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 60, 24)
			tt.do(s)
			if diff := cmp.Diff(tt.calls, s.driver.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if got := s.model.input.Editor.Value(); got != tt.input {
				t.Errorf("input %q, want %q", got, tt.input)
			}
			if s.quit != tt.quit {
				t.Errorf("quit = %v, want %v", s.quit, tt.quit)
			}
		})
	}
}

// Ctrl+O opens the outputs of the session, the newest first, and prints nothing.
func TestCtrlOOpensTheOutputs(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.press("ctrl+o")
	if view := s.model.view(); !strings.Contains(view, "no tool output yet") {
		t.Errorf("it does not say that there is no output:\n%s", view)
	}
	zero := 0
	s.events(chat.TurnStarted{}, chat.ReasoningDelta{Delta: "a secret plan"}, chat.TextDelta{Delta: "Now:\n\n"}, chat.ReplyEnded{Text: "Now:"},
		chat.ToolEnded{Name: "run_shell_command", Label: labelOf("run_shell_command seq 100"), Answer: tools.Answer{Text: numbered(100), ExitCode: &zero, Summary: "100 lines"}})
	if all := s.all(); strings.Contains(all, "line 1\n") || !strings.Contains(all, "✓ ran seq 100 — exit 0, 100 lines") || !strings.Contains(all, "92 lines before: Ctrl+O") {
		t.Fatalf("the result is not bounded:\n%s", all)
	}
	before := len(s.printed)
	s.press("ctrl+o")
	page := func() string { return strings.Join(s.model.frame().Full, "\n") }
	if got := page(); !strings.HasPrefix(got, "line 1\n") || !strings.Contains(got, "ran seq 100 · 1–23 of 100") {
		t.Errorf("the newest output:\n%s", got)
	}
	s.press("right")
	if got := page(); !strings.Contains(got, "a secret plan") {
		t.Errorf("the reasoning before it:\n%s", got)
	}
	s.press("q")
	if got := page(); got != "" || len(s.printed) != before {
		t.Errorf("it stays, or something was printed:\n%s", got)
	}
	for range 2 * outputsKept {
		s.events(chat.ToolEnded{Label: labelOf("more"), Answer: tools.Answer{Text: "x"}})
	}
	if n := len(s.model.activity.outputs); n != outputsKept {
		t.Errorf("%d outputs are kept", n)
	}
}

// The pager follows the output of a running command.
func TestCtrlOFollowsRunningCommands(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 10)
	s.events(chat.TurnStarted{}, chat.ToolStarted{Call: 1, Name: "run_shell_command", Label: labelOf("run_shell_command make")}, chat.ToolOutput{Call: 1, Data: numbered(30)})
	s.press("ctrl+o")
	s.events(chat.ToolOutput{Call: 1, Data: "the latest\n"})
	if got := strings.Join(s.model.frame().Full, "\n"); !strings.Contains(got, "the latest") || !strings.Contains(got, "running make") {
		t.Errorf("shown:\n%s", got)
	}
}

func TestCtrlZAndCtrlGTakeTheTerminal(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.press("ctrl+z")
	if s.outside != 1 {
		t.Error("Ctrl+Z did not give the terminal away")
	}
	s.press("ctrl+g")
	if s.outside != 1 || !strings.Contains(s.model.view(), "$EDITOR") {
		t.Errorf("Ctrl+G without an editor does not say what to do:\n%s", s.model.view())
	}
}

// D-80: pressing Esc twice on an empty line opens the list of rewind points. It does not open if
// the keys are slow, there is a draft, or a turn runs.
func TestEscapeTwice(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(s *screenplay){
		"+twice":     func(s *screenplay) { s.press("esc", "esc") },
		"+as one":    func(s *screenplay) { s.press("alt+esc") },
		"+the draft": func(s *screenplay) { s.typed("x"); s.press("esc", "esc", "esc") },
		"once":       func(s *screenplay) { s.press("esc") },
		"slowly":     func(s *screenplay) { s.press("esc"); s.wait(3 * time.Second); s.press("esc") },
		"a draft":    func(s *screenplay) { s.typed("x"); s.press("esc", "esc") },
		"a key":      func(s *screenplay) { s.press("esc"); s.press("ctrl+c"); s.press("esc") },
		"a turn":     func(s *screenplay) { s.events(chat.TurnStarted{}); s.press("esc", "esc") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 80, 24)
			play(s)
			if opened := s.model.chooser.picking != nil; opened != strings.HasPrefix(name, "+") {
				t.Errorf("the list is open: %v\n%s", opened, s.all())
			}
		})
	}
}

// Alt+. and Alt+, select the next or previous reasoning level of the model, and the status line
// shows the current one.
func TestEffortKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		now, key string
		known    []string
		says     string
	}{
		{"low", "alt+.", []string{"low", "medium", "high"}, "reasoning.effort medium"},
		{"high", "alt+,", []string{"low", "medium", "high"}, "reasoning.effort medium"},
		{"", "alt+.", []string{"low", "medium", "high"}, "reasoning.effort high"},
		{"", "alt+.", []string{"low", "medium", "high", "xhigh"}, "reasoning.effort high"},
		{"high", "alt+.", []string{"low", "medium", "high"}, "the highest reasoning effort of this model is high"},
		{"", "alt+.", nil, "/set reasoning.effort EFFORT"},
	} {
		s := newScreenplayFor(t, 100, 30, func(o *Options) {
			o.Efforts = func() []string { return tc.known }
			o.Status.Effort = tc.now
		})
		if tc.now != "" && !strings.Contains(s.all(), "demo-model "+tc.now+" ·") {
			t.Errorf("the status line does not show %s:\n%s", tc.now, s.all())
		}
		s.press(tc.key)
		if !strings.Contains(s.all(), tc.says) {
			t.Errorf("%s at %q: the screen does not say %q:\n%s", tc.key, tc.now, tc.says, s.all())
		}
	}
}

// A search in the pager of Ctrl+O covers all outputs and messages, and shows the number of matches.
func TestSearchOverEverything(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 12)
	s.events(chat.TurnStarted{}, chat.UserMessage{Text: "where is the needle?"},
		chat.ToolEnded{Name: "glob", Label: labelOf("glob"), Answer: tools.Answer{Text: numbered(50) + "\nthe needle"}},
		chat.ToolEnded{Name: "glob", Label: labelOf("glob"), Answer: tools.Answer{Text: "hay"}},
		chat.TextDelta{Delta: "The Needle is here."}, chat.ReplyEnded{Text: "The Needle is here."}, chat.TurnEnded{})
	s.press("ctrl+o", "/")
	s.typed("needle")
	s.press("enter")
	for i, where := range []string{"the needle", "> where is the needle?", "The Needle is here."} {
		page := strings.Join(s.model.frame().Full, "\n")
		if says := fmt.Sprintf("match %d of 3", i+1); !strings.Contains(page, where) || !strings.Contains(page, says) {
			t.Errorf("%q, %q are not in\n%s", where, says, page)
		}
		s.typed("n")
	}
}
