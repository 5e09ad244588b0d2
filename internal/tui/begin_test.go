package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/atcmd"
	"agent/internal/command"
	"agent/internal/tui/term"
)

// trustAsked returns the question at the start about n items.
func trustAsked(n int) *command.Question {
	ask := &command.Question{Title: fmt.Sprintf("use the configuration of this repository? %d items", n), YesEffect: "yes, use these", YesCommand: "/trust yes", NoEffect: "not now", NoLine: "not used: hooks", NeverEffect: "never use these", NeverCommand: "/trust no"}
	for i := range n {
		ask.Parts = append(ask.Parts, command.QuestionPart{Title: fmt.Sprintf("hook Stop %d (.claude/settings.json:%d)", i, i), Lines: []string{fmt.Sprintf("./hook-%d.sh", i)}})
	}
	return ask
}

// answerKey returns the key for an answer.
func answerKey(key string) term.Key {
	if key == "esc" {
		return term.Key{Name: key}
	}
	return term.Key{Name: key, Text: key}
}

// The first message waits for the answer to the question at the start. Each answer has its own
// effect, and typed text does not count as an answer.
func TestTheFirstMessageWaitsForTheQuestionOfTheStart(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"y": "/trust yes", "d": "/trust no", "n": "not used: hooks", "esc": "not used: hooks"} {
		s := newScreenplayFor(t, 80, 24, func(o *Options) { o.Ask, o.Initial = trustAsked(3), atcmd.TypedMessage("hello") })
		s.run(s.model.begin())
		s.wait(time.Second)
		if len(s.driver.calls) > 0 || !strings.Contains(s.all(), "./hook-2.sh") {
			t.Fatalf("%s: before the answer: %q\n%s", key, s.driver.calls, s.all())
		}
		s.update(inputMsg{answerKey(key)})
		s.wait(time.Second)
		if !strings.Contains(s.all(), want) || !slices.Equal(s.driver.calls, []string{`send "hello"`}) {
			t.Errorf("%s: %q\n%s", key, s.driver.calls, s.all())
		}
	}
	s := newScreenplayFor(t, 80, 24, func(o *Options) { o.Ask = trustAsked(3) })
	s.run(s.model.begin())
	s.wait(time.Second)
	s.typed("yes do it")
	s.press("enter")
	s.wait(time.Second)
	if !s.model.questions.IsOpen() || len(s.driver.calls) > 0 {
		t.Errorf("what was typed answered: %q\n%s", s.driver.calls, s.all())
	}
}

// A question about many items fits the window, and an approval counts only after the user has seen
// its end.
func TestStartQuestionMustBeRead(t *testing.T) {
	t.Parallel()
	for _, height := range []int{24, 12} {
		s := newScreenplayFor(t, 80, height, func(o *Options) { o.Ask = trustAsked(30) })
		s.run(s.model.begin())
		s.wait(time.Second)
		s.update(inputMsg{answerKey("y")})
		s.wait(time.Second)
		if !s.model.questions.IsOpen() || !strings.Contains(s.all(), "./hook-29.sh") {
			t.Errorf("%d rows: a yes counted before the end was seen\n%s", height, s.all())
		}
		s.update(inputMsg{answerKey("y")})
		s.wait(time.Second)
		if s.model.questions.IsOpen() || !strings.Contains(s.all(), "/trust yes") {
			t.Errorf("%d rows: the second yes does not count\n%s", height, s.all())
		}
	}
}

func TestTheQuestionOfTheStartInLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"y": "/trust yes", "d": "/trust no", "n": "not used: hooks"} {
		s := newPlainScene(t)
		s.model.questions.AddCommandQuestion(trustAsked(2), s.model.surface.now())
		s.show()
		if text := s.out.String(); !strings.Contains(text, "./hook-1.sh") || !strings.Contains(text, "y: yes, use these; n: not now; d: never use these; v: ") {
			t.Fatalf("the question:\n%s", text)
		}
		s.wait(time.Second)
		s.take(typedLineMsg{line, true})
		s.wait(time.Second)
		if s.model.questions.IsOpen() || !strings.Contains(s.out.String()+strings.Join(s.model.activity.commands, ""), want) {
			t.Errorf("%s: %q\n%s", line, s.model.activity.commands, s.out)
		}
	}
}
