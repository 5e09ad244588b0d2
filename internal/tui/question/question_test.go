package question

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tools"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

var theme = style.NewTheme(style.NoColors, style.Palettes[0])

// asking is a question about a command in a window, with its clock.
type asking struct {
	Questions
	now time.Time
}

func ask(width, room int, preview tools.Preview) *asking {
	a := &asking{now: time.Unix(1_000_000, 0)}
	a.Add(chat.Approval{ID: 7, Always: "any go test …", Preview: preview}, a.now, time.Time{})
	a.Arrange(theme, width, room)
	return a
}

func (a *asking) wait(d time.Duration) Reply {
	a.now = a.now.Add(d)
	return a.Wake(a.now)
}

func (a *asking) letter(text string) Reply { return a.Key(term.Key{Name: text, Text: text}, a.now) }

// alone presses a letter without a following key.
func (a *asking) alone(text string) Reply {
	a.wait(time.Second)
	a.letter(text)
	return a.wait(time.Second)
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "echo line %d\n", i+1)
	}
	return b.String() + "echo END"
}

// Content that was not arranged does not count as seen. Drawing it any number of times does not
// make an answer valid.
func TestDrawingDecidesNothing(t *testing.T) {
	t.Parallel()
	a := ask(60, 12, tools.Preview{Command: lines(40)})
	for range 3 {
		a.View()
	}
	if reply := a.alone("y"); reply.Answered {
		t.Fatal("y counted, and the end was never shown")
	}
	a.Arrange(theme, 60, 12)
	if rows, _ := a.View(); !strings.Contains(strings.Join(rows, "\n"), "END") || !strings.Contains(strings.Join(rows, "\n"), "end reached") {
		t.Fatalf("the first y does not show the end:\n%s", strings.Join(rows, "\n"))
	}
	if reply := a.alone("y"); !reply.Answered || !reply.Decision.Allow {
		t.Error("y does not count although the end was shown")
	}
}

// A question that fits the window can be answered at once. Otherwise scrolling to its end is
// enough.
func TestSeenQuestionsCanBeAnswered(t *testing.T) {
	t.Parallel()
	if reply := ask(60, 20, tools.Preview{Command: "make"}).alone("y"); !reply.Answered {
		t.Error("a short command needs a second y")
	}
	a := ask(60, 12, tools.Preview{Command: lines(40)})
	for range 12 {
		a.Key(term.Key{Name: "pgdown"}, a.now)
		a.Arrange(theme, 60, 12)
	}
	if reply := a.alone("y"); !reply.Answered {
		t.Error("y does not count although all was scrolled through")
	}
	cramped := ask(20, 2, tools.Preview{Command: lines(3)})
	if reply := cramped.alone("y"); reply.Answered || !reply.View || !reply.End {
		t.Errorf("where there is no room y does %+v", reply)
	}
	if always := cramped.alone("a"); always.Decision.Always {
		t.Error("always counts where what it allows has no room")
	}
}

// Typing never answers. If the pauses between letters are shorter than the pause of an answer, no
// question is decided and no text is lost except held letters.
func TestTypingNeverAnswers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := ask(60, 20, tools.Preview{Command: "make"})
		a.wait(time.Duration(rapid.IntRange(0, 1000).Draw(t, "after")) * time.Millisecond)
		word := rapid.StringOfN(rapid.SampledFrom([]rune("yanvesx ")), 2, 12, -1).Draw(t, "word")
		if strings.Trim(word, word[:1]) == "" {
			return // one letter, typed twice
		}
		draft, drafting := "", false
		for i, r := range word {
			if i > 0 {
				if reply := a.wait(time.Duration(rapid.IntRange(1, 249).Draw(t, "gap")) * time.Millisecond); reply.Answered || reply.View {
					t.Fatalf("%q: time answered", word[:i])
				}
			}
			reply := a.letter(string(r))
			if reply.Answered || reply.View {
				t.Fatalf("%q: a key answered", word[:i+1])
			}
			if draft += reply.Draft; drafting && reply.Pass {
				draft += string(r)
			}
			drafting = a.IsDrafting()
		}
		if !drafting || !strings.HasSuffix(word, draft) || strings.Trim(strings.TrimSuffix(word, draft), word[:1]) != "" {
			t.Fatalf("%q became the message %q", word, draft)
		}
	})
}

// After a question is answered or settled, the next one appears, and must be read separately.
func TestTheNextQuestionMustBeRead(t *testing.T) {
	t.Parallel()
	a := ask(60, 20, tools.Preview{Command: "make"})
	a.Add(chat.Approval{ID: 8, Preview: tools.Preview{Command: lines(60)}}, a.now, time.Time{})
	if rows, _ := a.View(); !strings.Contains(rows[0], "(1 of 2)") {
		t.Errorf("nothing says that another one waits: %q", rows[0])
	}
	if reply := a.alone("y"); reply.ID != 7 {
		t.Fatalf("%+v", reply)
	}
	a.Arrange(theme, 60, 12)
	if !a.IsTooEarly(a.now) || a.First().ID != 8 {
		t.Error("the next question counts as read")
	}
	if reply := a.alone("y"); reply.Answered {
		t.Error("what was seen of one question counts for the next")
	}
	a.Settle(8, a.now)
	if a.IsOpen() {
		t.Error("a question that was settled is open")
	}
}

// The model's remark about a command is shown as a quote, and changes nothing else.
func TestTheRemarkOfACommandIsShown(t *testing.T) {
	t.Parallel()
	for _, p := range []tools.Preview{{Command: "make"}, {Command: "make\ntest", Directory: "sub"}, {Title: "edit a", Diff: "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n"}} {
		plain := strings.Join(rowsOf(p), "\n")
		p.Remark = "Build it\n\u202eall"
		shown := rowsOf(p)
		at := slices.IndexFunc(shown, func(row string) bool { return strings.Contains(row, `the model: "Build it `) })
		if at < 0 || strings.ContainsRune(strings.Join(shown, ""), '\u202e') {
			t.Errorf("%q", shown)
			continue
		}
		if rest := strings.Join(slices.Delete(shown, at, at+1), "\n"); rest != plain {
			t.Errorf("%q, without the remark %q", rest, plain)
		}
	}
}

// rowsOf returns all rows of a question about a call.
func rowsOf(p tools.Preview) []string {
	return AllRows(theme, OpenQuestion{Approval: chat.Approval{Preview: p}}, 60)
}

// A question of a subagent names the subagent in its first row and then its task, for every kind of
// question.
func TestQuestionsOfAgents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]chat.Approval{
		"a command":      {Preview: tools.Preview{Command: "make", Title: "agent general: run make"}},
		"a long command": {Preview: tools.Preview{Command: strings.Repeat("make x; ", 20), Title: "agent general: run"}},
		"another":        {Preview: tools.Preview{Title: "agent general: fetch it"}},
		"a circle":       {Repeats: "read_file a.go"},
	} {
		c.Agent, c.Task = "general", "rename\x1b[31m it"
		rows := AllRows(theme, OpenQuestion{Approval: c}, 60)
		if !strings.HasPrefix(rows[0], "agent general: ") || rows[2] != "its task: rename␛[31m it" {
			t.Errorf("%s: %q", name, rows)
		}
	}
}

func TestTheQuestionOfACommand(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]Reply{"y": {Run: "/undo yes"}, "n": {Declined: true}} {
		a := &asking{now: time.Unix(1_000_000, 0)}
		a.AddCommandQuestion(&command.Question{Title: "undo 1 file", YesEffect: "yes, undo", YesCommand: "/undo yes", Parts: []command.QuestionPart{{Title: "delete  a.txt"}}}, a.now)
		a.Arrange(theme, 60, 20)
		rows, _ := a.View()
		if text := strings.Join(rows, "\n"); !strings.Contains(text, "delete  a.txt") || !strings.Contains(text, "yes, undo") {
			t.Errorf("it does not show what it would do:\n%s", text)
		}
		if got := a.alone(key); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", key, got, want)
		}
	}
}

// No part of a command is hidden, in the question and in its full view.
func TestNothingOfACommandIsHidden(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,12}`), 1, 60).Draw(t, "words")
		command := strings.Join(words, rapid.SampledFrom([]string{" ", "\n", "\t", "\r", "\u202e"}).Draw(t, "between"))
		width := rapid.IntRange(12, 120).Draw(t, "width")
		a := ask(width, 200, tools.Preview{Command: command})
		rows, _ := a.View()
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		for where, text := range map[string]string{"question": squeeze(strings.Join(rows, "")), "all of it": squeeze(strings.Join(AllRows(theme, a.First(), width), ""))} {
			if want := squeeze(style.Reveal(command).Text); !strings.Contains(text, want) {
				t.Fatalf("the %s at %d shows %q of %q", where, width, text, want)
			}
		}
	})
}

// An API key is requested without showing it, by keys and by a line. Esc and an empty line decline.
func TestASecretIsNotShown(t *testing.T) {
	t.Parallel()
	var taken string
	newQuestion := func() *asking {
		a := &asking{now: time.Unix(1_000_000, 0)}
		a.AddCommandQuestion(&command.Question{Title: "API key for a.example", YesEffect: "store the key", Secret: func(_ context.Context, line string) (command.Output, error) {
			taken = line
			return command.Output{}, nil
		}}, a.now)
		return a
	}
	a := newQuestion()
	if !a.First().IsSecret() || !a.Paste("sk-12") {
		t.Fatal("the key is not for the question")
	}
	a.Key(term.Key{Text: "y"}, a.now)
	a.Arrange(theme, 60, 20)
	rows, at := a.View()
	if text := strings.Join(rows, "\n"); !strings.Contains(text, "••••••") || strings.Contains(text, "sk-12") || at.Col != 6 {
		t.Errorf("cursor at %+v of:\n%s", at, text)
	}
	for name, give := range map[string]func(*asking) Reply{
		"keys": func(*asking) Reply { return a.Key(term.Key{Name: "enter"}, a.now) },
		"line": func(b *asking) Reply { return b.HandleLine(" sk-12y ", b.now) },
	} {
		taken = ""
		if reply := give(newQuestion()); reply.Yes == nil {
			t.Errorf("%s: %+v", name, reply)
		} else if _, err := reply.Yes(t.Context()); err != nil || taken != "sk-12y" {
			t.Errorf("%s: got %q, %v", name, taken, err)
		}
	}
	b, c := newQuestion(), newQuestion()
	if !b.Key(term.Key{Name: "esc"}, b.now).Declined || !c.HandleLine("", c.now).Declined || b.IsOpen() || c.IsOpen() {
		t.Error("nothing typed does not decline")
	}
}

// The key s accepts the mode that a question offers. In other questions it is typed text.
func TestTheOfferedMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "run commands in the sandbox without asking"} {
		a := &asking{now: time.Unix(1_000_000, 0)}
		a.Add(chat.Approval{ID: 7, Sandbox: mode, Preview: tools.Preview{Command: "make"}}, a.now, time.Time{})
		a.Arrange(theme, 80, 20)
		rows, _ := a.View()
		if text := strings.Join(rows, "\n"); strings.Contains(text, "s    yes, and run commands in the sandbox without asking") != (mode != "") {
			t.Errorf("mode %q:\n%s", mode, text)
		}
		if strings.Contains(a.AnswerHelp(), "s: yes, and run commands") != (mode != "") {
			t.Error(a.AnswerHelp())
		}
		b := *a
		b.wait(time.Second)
		for by, reply := range map[string]Reply{"key": a.alone("s"), "line": b.HandleLine("s", b.now)} {
			if want := (chat.Decision{Allow: true, Sandbox: true}); (reply.Answered && reflect.DeepEqual(reply.Decision, want)) != (mode != "") {
				t.Errorf("mode %q by %s: %+v", mode, by, reply)
			}
		}
	}
}
