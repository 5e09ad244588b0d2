package tui

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/term"
)

func askedForCommand(command string) chat.ApprovalRequested {
	return chat.ApprovalRequested{Approval: chat.Approval{
		ID: 7, Tool: "run_shell_command", Always: `commands "go test"`,
		Preview: tools.Preview{Title: "run " + humanize.FirstLine(command), Command: command},
	}}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestQuestionKeys(t *testing.T) {
	t.Parallel()
	const no, stop = `answer 7 allow=false always=false reason=""`, "interrupt"
	const yes = `answer 7 allow=true always=false reason=""`
	// alone presses a letter without a following key.
	alone := func(s *screenplay, letter string) { s.typed(letter); s.wait(300 * time.Millisecond) }
	for _, tt := range []struct {
		name  string
		do    func(*screenplay)
		calls []string
		open  bool
		draft string
	}{
		{name: "y allows", do: func(s *screenplay) { alone(s, "y") }, calls: []string{yes}},
		{name: "Y allows", do: func(s *screenplay) { alone(s, "Y") }, calls: []string{yes}},
		{name: "a allows always", do: func(s *screenplay) { alone(s, "a") }, calls: []string{`answer 7 allow=true always=true reason=""`}},
		{
			name: "n refuses with a reason", do: func(s *screenplay) { alone(s, "n"); s.typed("use make"); s.press("enter") },
			calls: []string{`answer 7 allow=false always=false reason="use make"`},
		},
		{name: "n refuses without one", do: func(s *screenplay) { alone(s, "n"); s.press("enter") }, calls: []string{no}},
		{name: "Esc goes back from the reason", do: func(s *screenplay) { alone(s, "n"); s.press("esc") }, open: true},
		{name: "Esc refuses and interrupts", do: func(s *screenplay) { s.press("esc") }, calls: []string{no, stop}},
		{name: "Ctrl+C refuses and interrupts", do: func(s *screenplay) { s.press("ctrl+c") }, calls: []string{no, stop}},
		{name: "Enter alone is no answer", do: func(s *screenplay) { s.press("enter", "enter") }, open: true},
		{name: "arrows and Enter answer", do: func(s *screenplay) { s.press("down", "enter") }, calls: []string{yes}},
		{name: "arrows go round", do: func(s *screenplay) { s.press("up", "enter") }, calls: []string{no, stop}},
		{name: "a word is a message", do: func(s *screenplay) { s.typed("also"); s.wait(time.Second) }, open: true, draft: "also"},
		{name: "a slow word is a message", do: func(s *screenplay) {
			for _, r := range "nay" {
				s.typed(string(r))
				s.wait(240 * time.Millisecond)
			}
			s.wait(time.Second)
		}, open: true, draft: "nay"},
		{name: "another letter begins a message", do: func(s *screenplay) { s.typed("x"); s.wait(time.Second); alone(s, "y") }, open: true, draft: "xy"},
		{name: "a space begins a message", do: func(s *screenplay) { s.typed(" "); s.wait(time.Second); alone(s, "y") }, open: true, draft: " y"},
		{name: "a letter and an editing key are typing", do: func(s *screenplay) { s.typed("y"); s.press("backspace"); s.wait(time.Second) }, open: true, draft: "y"},
		{name: "Tab writes a message", do: func(s *screenplay) { s.press("tab"); alone(s, "y") }, open: true, draft: "y"},
		{name: "a message is queued and the question stays", do: func(s *screenplay) {
			s.press("tab")
			s.typed("yes and")
			s.press("enter")
			s.wait(time.Second)
		}, calls: []string{`send "yes and"`}, open: true},
		{name: "Esc goes back from the message", do: func(s *screenplay) {
			s.typed("hold on")
			s.press("esc")
			s.wait(time.Second)
			alone(s, "y")
		}, calls: []string{yes}, draft: "hold on"},
		{name: "a paste is a message", do: func(s *screenplay) { s.paste("y"); s.wait(time.Second) }, open: true, draft: "y"},
		{name: "Ctrl+D neither answers nor quits", do: func(s *screenplay) { s.press("ctrl+d") }, open: true},
		{name: "Shift+Tab says first that the mode may answer", do: func(s *screenplay) { s.press("shift+tab") }, open: true},
		{name: "Shift+Tab twice cycles", do: func(s *screenplay) { s.press("shift+tab"); s.press("shift+tab") }, calls: []string{"cycle"}, open: true},
		{name: "settled by someone else", do: func(s *screenplay) { s.events(chat.ApprovalSettled{ID: 7}); s.typed("y") }, draft: "y"},
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
			if s.model.questions.IsOpen() != tt.open {
				t.Errorf("open = %v, want %v", s.model.questions.IsOpen(), tt.open)
			}
			if got := s.model.input.Editor.Value(); got != tt.draft {
				t.Errorf("the message is %q, want %q", got, tt.draft)
			}
		})
	}
}

// An answer that is too early or is typed twice is held and reported. It only becomes a part
// of a message if more text follows at once. A message with only such letters is never sent.
func TestAnswersThatComeTooEarlyOrTwice(t *testing.T) {
	t.Parallel()
	yes := `answer 7 allow=true always=false reason=""`
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	second := func(s *screenplay) {
		next := askedForCommand("touch a2")
		next.Approval.ID = 8
		s.events(chat.ApprovalSettled{ID: 7}, next)
	}
	for _, tt := range []struct {
		name  string
		do    func(*screenplay)
		calls []string
		draft string
		hint  string
	}{
		{name: "at 50 ms", do: func(s *screenplay) { s.wait(ms(50)); s.typed("y"); s.wait(ms(300)) }, hint: "y ignored: the question had just appeared. Press it again"},
		{name: "at 200 ms", do: func(s *screenplay) { s.wait(ms(200)); s.typed("y"); s.wait(ms(300)) }, hint: "y ignored: the question had just appeared. Press it again"},
		{name: "at 300 ms, and again", do: func(s *screenplay) { s.wait(ms(300)); s.typed("y"); s.wait(ms(300)); s.typed("y"); s.wait(ms(300)) }, calls: []string{yes}},
		{name: "early and a word", do: func(s *screenplay) { s.wait(ms(300)); s.typed("y"); s.wait(ms(200)); s.typed("es but") }, draft: "yes but"},
		{name: "early, and a word much later", do: func(s *screenplay) { s.wait(ms(300)); s.typed("y"); s.wait(ms(1500)); s.typed("but") }, draft: "but"},
		{name: "doubled", do: func(s *screenplay) { s.wait(ms(900)); s.typed("y"); s.wait(ms(150)); s.typed("y"); s.wait(ms(300)) }, calls: []string{yes}},
		{name: "doubled, behind the answer", do: func(s *screenplay) {
			s.wait(ms(900))
			s.typed("y")
			s.wait(ms(300))
			s.events(chat.ApprovalSettled{ID: 7})
			s.typed("y")
		}, calls: []string{yes}, hint: "y counted once: it was pressed twice"},
		{name: "doubled, at the next question", do: func(s *screenplay) {
			s.wait(ms(900))
			s.typed("y")
			s.wait(ms(300))
			second(s)
			s.wait(ms(100))
			s.typed("y")
			s.wait(ms(300))
		}, calls: []string{yes}, hint: "y ignored: the question had just appeared. Press it again"},
		{name: "once for each question", do: func(s *screenplay) {
			s.wait(ms(900))
			s.typed("y")
			s.wait(ms(300))
			second(s)
			s.wait(ms(450))
			s.typed("y")
			s.wait(ms(300))
		}, calls: []string{yes, `answer 8 allow=true always=false reason=""`}},
		{name: "a message behind the answer", do: func(s *screenplay) {
			s.wait(ms(900))
			s.typed("y")
			s.wait(ms(300))
			s.events(chat.ApprovalSettled{ID: 7})
			s.typed("yes it works")
		}, calls: []string{yes}, draft: "yes it works"},
		{name: "Esc drops a draft of answers", do: func(s *screenplay) {
			s.wait(ms(900))
			s.press("tab")
			s.typed("yy")
			s.press("esc")
			s.wait(ms(900))
			s.typed("y")
			s.wait(ms(300))
		}, calls: []string{yes}},
		{name: "Enter does not send answers", do: func(s *screenplay) {
			s.wait(ms(900))
			s.press("tab")
			s.typed("y")
			s.press("enter")
		}, hint: "y not sent: answer the open question first"},
		{name: "a word of the same letters is a message", do: func(s *screenplay) {
			s.wait(ms(900))
			s.typed("nay")
			s.press("enter")
		}, calls: []string{`send "nay"`}},
		{name: "y is a message where no question is open", do: func(s *screenplay) {
			s.events(chat.ApprovalSettled{ID: 7})
			s.typed("y")
			s.press("enter")
		}, calls: []string{`send "y"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 60, 24)
			s.events(chat.TurnStarted{}, askedForCommand("touch a1"))
			tt.do(s)
			if diff := cmp.Diff(tt.calls, s.driver.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if got := s.model.input.Editor.Value(); got != tt.draft {
				t.Errorf("the message is %q, want %q", got, tt.draft)
			}
			if tt.hint != "" && !strings.Contains(s.model.view(), tt.hint) {
				t.Errorf("it is not said that %s:\n%s", tt.hint, s.model.view())
			}
		})
	}
}

// On a busy machine, a timer can fire before an earlier key arrives. A letter that another letter
// follows is still never an answer.
func TestTypingNeverAnswersHoweverLate(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.events(chat.TurnStarted{}, askedForCommand("rm -r build"))
	s.wait(time.Second)
	s.typed("a")
	s.clock = s.clock.Add(time.Second)
	late := []term.Event{term.Key{Name: "l", Text: "l"}}
	screen := term.NewScreen(io.Discard, nil)
	t.Cleanup(screen.Close)
	keyboard, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer typed.Close()
	if _, err := typed.WriteString("l"); err != nil { // pressed, but not read yet
		t.Fatal(err)
	}
	p := &program{model: s.model, terminal: &term.Terminal{Screen: screen}, keys: &term.Keyboard{File: keyboard}}
	p.Update(wakeMsg{})
	s.update(inputMsg(late))
	if len(s.driver.calls) != 0 || s.model.input.Editor.Value() != "al" {
		t.Errorf("calls %v, the message is %q", s.driver.calls, s.model.input.Editor.Value())
	}
}

// A user who is typing a message can continue, with normal pauses. The question receives the keys
// after the user stops.
func TestQuestionArrivesWhileTyping(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{100, 300, 450, 700, 1000} {
		t.Run(fmt.Sprintf("%dms", pause), func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 60, 24)
			s.events(chat.TurnStarted{})
			s.typed("please ")
			s.events(askedForCommand("rm -r build"))
			for _, r := range "try any way also" {
				s.wait(pause * time.Millisecond)
				s.typed(string(r))
			}
			s.wait(10 * time.Second)
			if len(s.driver.calls) != 0 || s.model.input.Editor.Value() != "please try any way also" {
				t.Fatalf("while typing: calls %v, input %q", s.driver.calls, s.model.input.Editor.Value())
			}
		})
	}
	s := newScreenplay(t, 60, 24)
	s.events(chat.TurnStarted{})
	s.typed("hold on")
	s.events(askedForCommand("rm -r build"))
	s.wait(2 * time.Second)
	s.wait(time.Second)
	s.typed("y")
	s.wait(300 * time.Millisecond)
	if len(s.driver.calls) != 1 || s.model.input.Editor.Value() != "hold on" {
		t.Errorf("after a pause: calls %v, input %q", s.driver.calls, s.model.input.Editor.Value())
	}
}

// The start and the end of a long command are shown, and its end is visible before an approval.
func TestQuestionShowsTheEndFirst(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.events(askedForCommand(numbered(100) + "rm -r /"))
	s.wait(time.Second)
	if view := s.model.view(); !strings.Contains(view, "line 1\n") || !strings.Contains(view, "rm -r /") || !strings.Contains(view, "more lines … PgUp PgDn scroll") {
		t.Fatalf("head, tail and what is between are not shown:\n%s", view)
	}
	s.typed("y")
	s.wait(300 * time.Millisecond)
	if view := s.model.view(); len(s.driver.calls) != 0 || !strings.Contains(view, "rm -r /") || !strings.Contains(view, "press the key again") {
		t.Fatalf("the end was not shown first: %v\n%s", s.driver.calls, view)
	}
	s.typed("y")
	s.wait(300 * time.Millisecond)
	if len(s.driver.calls) != 1 {
		t.Errorf("the second y did not answer: %v", s.driver.calls)
	}
}

// While the pager is open, its status line reports a new question, and the pager keeps the keys.
func TestAQuestionBehindThePager(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.events(chat.TurnStarted{}, chat.ToolEnded{Name: "glob", Label: labelOf("glob x"), Answer: tools.Answer{Text: numbered(50)}})
	s.press("ctrl+o")
	s.events(askedForCommand("go test ./..."))
	s.wait(time.Second)
	s.typed("y")
	s.wait(time.Second)
	if full := s.model.frame().Full; len(s.driver.calls) != 0 || !strings.Contains(strings.Join(full, "\n"), "a question waits: q goes to it") {
		t.Errorf("calls %v, the page is\n%s", s.driver.calls, strings.Join(full, "\n"))
	}
	s.press("q")
	if full := s.model.frame().Full; full != nil || !strings.Contains(s.model.view(), "? run go test") {
		t.Errorf("after q:\n%s", s.model.view())
	}
}

// Ctrl+D at a question explains how to leave.
func TestCtrlDAtAQuestionExplainsHowToLeave(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.events(chat.TurnStarted{}, askedForCommand("go test ./..."))
	s.press("ctrl+d")
	if view := s.model.view(); s.quit || !strings.Contains(view, "a question is open: press Esc to refuse it and stop") {
		t.Errorf("quit %v:\n%s", s.quit, view)
	}
}

// In a low window, all answers are visible, and a hint shows that there is more text.
func TestQuestionInALowWindow(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 8)
	s.events(askedForCommand(numbered(100) + "rm -r /"))
	view := s.model.view()
	for _, text := range []string{"? run this command", "101 lines more: PgDn", "y yes · a session: commands \"go test\" · n no · Esc stops", "v all", "> Answer above"} {
		if !strings.Contains(view, text) {
			t.Errorf("%q is not shown:\n%s", text, view)
		}
	}
}

func TestQuestionScrolls(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.events(askedForCommand(numbered(100) + "rm -r /"))
	s.wait(time.Second)
	seen := s.model.view()
	for range 30 {
		s.press("pgdown")
		seen += s.model.view()
	}
	for i := range 100 {
		if !strings.Contains(seen, fmt.Sprintf("line %d\n", i+1)) {
			t.Fatalf("line %d was never shown", i+1)
		}
	}
	s.typed("y")
	s.wait(300 * time.Millisecond)
	if len(s.driver.calls) != 1 {
		t.Errorf("y after the end was seen did not answer: %v", s.driver.calls)
	}
}

// These commands contain hidden or unusual characters. The question, "view all" and a diff show
// exactly the text that runs. "always" is not offered, and a line explains why.
func TestQuestionHidesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, command string
		// shown must be readable, in this order.
		shown []string
	}{
		{"CR", "touch X; #\rgo build ./...", []string{"touch X; #␍go build ./..."}},
		{"CR before a comment", "touch PWNED #\recho harmless", []string{"touch PWNED #␍echo harmless"}},
		{"OSC ended by BEL", "true ./... \x1b]0;x; touch X #\x07", []string{"true ./... ␛]0;x; touch X #␇"}},
		{"OSC over lines", "echo harmless #\x1b]0;\ntouch PWNED #\x07", []string{"echo harmless #␛]0;", "touch PWNED #␇"}},
		{"OSC with a background job", "echo harmless \x1b]0& touch PWNED & : \x07", []string{"echo harmless ␛]0& touch PWNED & : ␇"}},
		{"DCS", "true \x1bPx; touch X #\x1b\\", []string{"true ␛Px; touch X #␛\\"}},
		{"APC", "echo harmless #\x1b_\ntouch PWNED #\x1b\\", []string{"echo harmless #␛_", "touch PWNED #␛\\"}},
		{"PM", "echo harmless #\x1b^\ntouch PWNED #\x1b\\", []string{"echo harmless #␛^", "touch PWNED #␛\\"}},
		{"concealed", "echo a \x1b[8m; touch X\x1b[0m", []string{"echo a ␛[8m; touch X␛[0m"}},
		{"C1", "echo a \u009d0;\ntouch X\u009c", []string{"<U+009D>0;", "touch X<U+009C>"}},
		{"backspace", "touch X\x08\x08\x08\x08\x08\x08\x08ls", []string{"touch X␈␈␈␈␈␈␈ls"}},
		{"bidi", "echo \u202egnol\u2066", []string{"echo <U+202E>gnol<U+2066>"}},
		{"zero width", "r\u200bm \u200e\u061c\u00ad\ufe0f\u3164x", []string{"r<U+200B>m <U+200E><U+061C><U+00AD><U+FE0F><U+3164>x"}},
		{"tag characters", "ls \U000e0041", []string{"ls <U+E0041>"}},
		{"no-break space", "rm\u00a0x", []string{"rm<U+00A0>x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			diff := "--- a.sh\n+++ a.sh\n@@ -0,0 +1,9 @@\n+" + strings.ReplaceAll(tt.command, "\n", "\n+") + "\n"
			for kind, asked := range map[string]chat.ApprovalRequested{
				"command": askedForCommand(tt.command),
				"change":  {Approval: chat.Approval{ID: 7, Always: "edits of *.sh files", Preview: tools.Preview{Title: "create a.sh", Diff: diff}}},
			} {
				s := newScreenplay(t, 120, 30)
				s.events(asked)
				s.wait(time.Second)
				view := s.model.view()
				s.typed("v")
				s.wait(300 * time.Millisecond)
				all := strings.Join(s.model.frame().Full, "\n")
				s.press("q")
				for where, text := range map[string]string{"question": view, "view all": all} {
					rest := text
					for _, part := range tt.shown {
						_, after, found := strings.Cut(rest, part)
						if !found {
							t.Fatalf("the %s of the %s does not show %q:\n%s", where, kind, part, text)
						}
						rest = after
					}
					if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
						t.Fatalf("the %s of the %s holds %q", where, kind, text[i:])
					}
				}
				if !strings.Contains(view, "invisible character") || strings.Contains(view, "from now on") {
					t.Errorf("it is not said, or always is offered:\n%s", view)
				}
				s.typed("a")
				s.wait(300 * time.Millisecond)
				if len(s.driver.calls) != 0 {
					t.Errorf("a answered: %v", s.driver.calls)
				}
			}
		})
	}
}

// The end of a command after blank lines or many blanks is visible.
func TestQuestionCollapsesBlanks(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"60 newlines":  "ls\n" + strings.Repeat("\n", 60) + "rm -r x",
		"4 000 spaces": "ls" + strings.Repeat(" ", 4000) + "; rm -r x",
	} {
		s := newScreenplay(t, 60, 20)
		s.events(askedForCommand(command))
		if view := s.model.view(); !strings.Contains(view, "rm -r x") || strings.Contains(view, "more line") {
			t.Errorf("%s:\n%s", name, view)
		}
	}
}

// If the model repeats its calls, the question is about continuing the turn.
func TestQuestionAboutLoops(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(*screenplay)
		call []string
	}{
		"go on":   {func(s *screenplay) { s.typed("y"); s.wait(time.Second) }, []string{`answer 7 allow=true always=false reason=""`}},
		"instead": {func(s *screenplay) { s.typed("n"); s.wait(time.Second); s.typed("look into b"); s.press("enter") }, []string{`answer 7 allow=false always=false reason="look into b"`}},
		"stop":    {func(s *screenplay) { s.press("esc") }, []string{`answer 7 allow=false always=false reason=""`, "interrupt"}},
		"always":  {func(s *screenplay) { s.typed("a"); s.wait(time.Second) }, nil},
	} {
		for _, width := range []int{60, 120} {
			s := newScreenplay(t, width, 24)
			s.events(chat.TurnStarted{}, chat.ApprovalRequested{Approval: chat.Approval{ID: 7, Repeats: "the same call failed in the same way 5 times within 9 calls: replace \x1b[8ma.go"}})
			s.wait(time.Second)
			if view := strings.Join(strings.Fields(s.model.view()), " "); !strings.Contains(view, "repeats a call. Continue?") || !strings.Contains(view, "replace ␛[8ma.go") || !strings.Contains(view, "no, and say how to continue") {
				t.Errorf("%s: the question is\n%s", name, s.model.view())
			}
			tt.do(s)
			if diff := cmp.Diff(tt.call, s.driver.calls); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// Esc and Ctrl+C at an approval prompt stop: everything that waits returns to the prompt. Nothing starts a
// turn or runs.
func TestStopReturnsTheQueue(t *testing.T) {
	t.Parallel()
	refused := `answer 7 allow=false always=false reason=""`
	for name, test := range map[string]struct {
		lines, keys []string
		draft       string
		want        []string
		prompt      string
	}{
		"Esc":                             {keys: []string{"esc"}, want: []string{refused, "interrupt"}, prompt: "first\n\nthen\nthis"},
		"shell commands":                  {lines: []string{"!touch a", "!!touch b"}, keys: []string{"esc"}, want: []string{refused, "interrupt"}, prompt: "first\n\nthen\nthis"},
		"Ctrl+C":                          {lines: []string{"!touch a"}, keys: []string{"ctrl+c"}, want: []string{refused, "interrupt"}, prompt: "first\n\nthen\nthis"},
		"Ctrl+C while a message is typed": {lines: []string{"!touch a"}, draft: "draft", keys: []string{"tab", "ctrl+c"}, want: []string{"interrupt"}, prompt: "draft"},
		"a draft":                         {lines: []string{"!touch a"}, draft: "draft", keys: []string{"esc"}, want: []string{refused, "interrupt"}, prompt: "draft"},
		"a message returned for editing":  {keys: []string{"tab", "up", "up", "up", "esc", "esc"}, want: []string{refused, "interrupt"}, prompt: "first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 80, 24)
			s.driver.queued = []string{"first", "then\nthis"}
			s.events(chat.TurnStarted{}, chat.QueueChanged{Messages: s.driver.queued})
			for _, line := range test.lines {
				s.typed(line)
				s.press("enter")
			}
			s.typed(test.draft)
			s.wait(5 * time.Second)
			s.events(chat.ApprovalRequested{Approval: chat.Approval{ID: 7, Tool: "write_file"}})
			s.wait(time.Second)
			s.press(test.keys...)
			if got := s.model.input.Editor.Value(); got != test.prompt {
				t.Errorf("the prompt is %q", got)
			}
			if s.press("up"); test.draft != "" && s.model.input.Editor.Value() != "!touch a" {
				t.Errorf("Up restored %q", s.model.input.Editor.Value())
			}
			s.model.input.Editor.Clear() // messages that were returned for editing are sent with an empty prompt
			s.events(chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopInterrupted}})
			if diff := cmp.Diff(test.want, s.driver.calls); diff != "" || len(s.driver.queued) > 0 {
				t.Errorf("queued %q, calls (-want +got):\n%s", s.driver.queued, diff)
			}
			if all := s.all(); test.draft != "" && !strings.Contains(all, "your unsent input is in the prompt history; Up restores it") {
				t.Errorf("the place of the messages is not shown:\n%s", all)
			}
		})
	}
}

// The pager does not report the question that it shows as waiting.
func TestTheQuestionThatIsReadDoesNotWait(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.events(chat.TurnStarted{}, askedForCommand(numbered(60)))
	s.wait(time.Second)
	s.typed("v")
	s.wait(time.Second)
	if page := strings.Join(s.model.frame().Full, "\n"); !strings.Contains(page, "q back") || strings.Contains(page, "waits") {
		t.Errorf("the page is\n%s", page)
	}
}

// The question shows the number of calls in the reply that require approval, and the next of them.
func TestNextQuestionsAreListed(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 30)
	asked := askedForCommand("touch a1")
	asked.Approval.After = []string{"run touch a2", "run x\x1b]0;y\x07\nz", "edit b.go", "run four", "run five"}
	s.events(chat.TurnStarted{}, asked)
	s.wait(time.Second)
	view := s.model.view()
	for _, want := range []string{"run touch a1 (1 of 6)", "then: run touch a2\n", "then: run x␛]0;y␇␊z\n", "then: edit b.go\n", "then 2 more questions\n"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is missing in:\n%s", want, view)
		}
	}
	low := newScreenplay(t, 60, 12)
	low.events(chat.TurnStarted{}, asked)
	if view := low.model.view(); !strings.Contains(view, "(1 of 6)") || strings.Contains(view, "then") {
		t.Errorf("in a low window:\n%s", view)
	}
}

// A message that the user types while a command asks a question waits for the answer, and for the
// effect of the command.
func TestAMessageWaitsForTheQuestionOfACommand(t *testing.T) {
	t.Parallel()
	for answer, calls := range map[string][]string{"y": {`send "go on"`}, "n": {`send "go on"`}} {
		s := newScreenplay(t, 60, 24)
		s.typed("/undo")
		s.press("enter")
		s.wait(time.Second)
		s.press("tab")
		s.typed("go on")
		s.press("enter")
		if len(s.driver.calls) != 0 || !strings.Contains(s.model.view(), "queued: go on (Tab, then Up to edit it)") {
			t.Errorf("before the answer: %v\n%s", s.driver.calls, s.model.view())
		}
		s.wait(time.Second)
		s.typed(answer)
		s.wait(time.Second)
		if diff := cmp.Diff(calls, s.driver.calls); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", answer, diff)
		}
	}
	s := newScreenplay(t, 60, 24)
	s.typed("/undo")
	s.press("enter")
	s.wait(time.Second)
	s.press("tab")
	s.typed("go on")
	s.press("enter", "tab", "up")
	if s.model.input.Editor.Value() != "go on" || len(s.model.activity.waiting) != 0 {
		t.Errorf("Up does not take it back: %q", s.model.input.Editor.Value())
	}
}
