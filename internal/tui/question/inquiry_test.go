package question

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"agent/internal/tools"
	"agent/internal/tui/term"
)

var inquiries = []tools.Inquiry{
	{Question: "Which store?", Header: "Store", Options: []tools.Option{{Label: "SQLite", Description: "one file"}, {Label: "Postgres"}}},
	{Question: "Which checks?", Several: true, Options: []tools.Option{{Label: "vet"}, {Label: "race"}, {Label: "fuzz"}}},
}

// press is a key by its name, after a pause; text is one after another without any.
func (a *asking) press(names ...string) (reply Reply) {
	for _, name := range names {
		a.wait(time.Second)
		a.Arrange(theme, 60, 20)
		if len(name) == 1 {
			reply = a.letter(name)
			if woken := a.wait(time.Second); woken.Answered {
				reply = woken
			}
			continue
		}
		reply = a.Key(term.Key{Name: name}, a.now)
	}
	return reply
}

func (a *asking) text(words string) {
	a.wait(time.Second)
	for _, letter := range words {
		a.letter(string(letter))
	}
}

// Numbers, arrows and own words answer; the call is answered with the last question.
func TestInquiry(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		play func(*asking) Reply
		want []tools.InquiryAnswer
	}{
		"numbers": {func(a *asking) Reply { return a.press("2", "1", "3", "enter") }, []tools.InquiryAnswer{{Chosen: []string{"Postgres"}}, {Chosen: []string{"vet", "fuzz"}}}},
		"arrows":  {func(a *asking) Reply { return a.press("down", "enter", "down", " ", "down", " ", " ", "enter") }, []tools.InquiryAnswer{{Chosen: []string{"SQLite"}}, {Chosen: []string{"vet"}}}},
		"the row": {func(a *asking) Reply { return a.press("1", "down", "down", "enter") }, []tools.InquiryAnswer{{Chosen: []string{"SQLite"}}, {Chosen: []string{"race"}}}},
		"back":    {func(a *asking) Reply { return a.press("1", "left", "2", "2", "enter") }, []tools.InquiryAnswer{{Chosen: []string{"Postgres"}}, {Chosen: []string{"race"}}}},
		"words begin alone": {func(a *asking) Reply {
			a.text("2 of them")
			a.press("enter")
			a.press("1")
			a.text("lint")
			return a.press("enter")
		}, []tools.InquiryAnswer{{Words: "2 of them"}, {Chosen: []string{"vet"}, Words: "lint"}}},
		"the row of words": {func(a *asking) Reply {
			a.press("down", "down", "down", "enter")
			a.text("1")
			return a.press("enter", "1", "enter")
		}, []tools.InquiryAnswer{{Words: "1"}, {Chosen: []string{"vet"}}}},
		"number and enter": {func(a *asking) Reply {
			a.text("2")
			a.Key(term.Key{Name: "enter"}, a.now)
			return a.press("1", "enter")
		}, []tools.InquiryAnswer{{Chosen: []string{"Postgres"}}, {Chosen: []string{"vet"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ask(60, 20, tools.Preview{Title: "the model asks", Inquiries: inquiries})
			a.wait(time.Second)
			if got := tc.play(a); !got.Answered || !got.Decision.Allow || !reflect.DeepEqual(got.Decision.Answers, tc.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A letter that comes too early answers nothing, nor does Enter without a choice or with no
// words; Esc ends the turn.
func TestInquiryIsNotAnsweredByAccident(t *testing.T) {
	t.Parallel()
	a := ask(60, 20, tools.Preview{Inquiries: inquiries})
	if reply := a.letter("1"); reply.Hint == "" || a.wait(time.Second).Answered || a.First().Step != 0 {
		t.Errorf("an early number counts: %+v", reply)
	}
	a.press("enter", "down", "down", "down", "enter", "enter")
	if a.First().Step != 0 || !a.Explaining() {
		t.Error("Enter answers without a choice")
	}
	a.press("esc", "1")
	if reply := a.letter("1"); reply.Answered || len(a.marked) != 0 {
		t.Error("a doubled number marks something in the next question")
	}
	if reply := a.press("enter"); reply.Hint == "" {
		t.Errorf("nothing is marked, and nothing says so: %+v", reply)
	}
	if reply := a.press("esc"); !reply.Stop || reply.Decision.Allow {
		t.Errorf("Esc: %+v", reply)
	}
}

// Where lines are read, a line is numbers or an answer.
func TestInquiryByLines(t *testing.T) {
	t.Parallel()
	a := ask(80, 20, tools.Preview{Inquiries: inquiries})
	a.wait(time.Second)
	if all := strings.Join(All(theme, a.First(), 80), "\n"); !strings.Contains(all, "Store: Which store?") || !strings.Contains(all, "1: SQLite — one file") {
		t.Errorf("it says %q", all)
	}
	if reply := a.Line("/help", a.now); !reply.Pass {
		t.Error("a command answers")
	}
	a.Line("3", a.now) // there is no third, so it is what the person says
	a.wait(time.Second)
	if got, want := a.Line("3, 1", a.now).Decision.Answers, []tools.InquiryAnswer{{Words: "3"}, {Chosen: []string{"vet", "fuzz"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
