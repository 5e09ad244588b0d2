package question

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tools"
	"agent/internal/tui/term"
)

var inquiries = []tools.Inquiry{
	{Question: "Which store?", Header: "Store", Options: []tools.Option{{Label: "SQLite", Description: "one file"}, {Label: "Postgres"}}},
	{Question: "Which checks?", Several: true, Options: []tools.Option{{Label: "vet"}, {Label: "race"}, {Label: "fuzz"}}},
}

// press sends keys by name after a pause. type sends keys without a pause.
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

// The user can answer with numbers, arrows or text. The call is answered after the last question.
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

// A letter that is too early answers nothing. Enter without a choice or without text answers
// nothing either. Esc ends the turn.
func TestInquiryIsNotAnsweredByAccident(t *testing.T) {
	t.Parallel()
	a := ask(60, 20, tools.Preview{Inquiries: inquiries})
	if reply := a.letter("1"); reply.Hint == "" || a.wait(time.Second).Answered || a.First().Step != 0 {
		t.Errorf("an early number counts: %+v", reply)
	}
	a.press("enter", "down", "down", "down", "enter", "enter")
	if a.First().Step != 0 || !a.IsExplaining() {
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

// In line mode, a line contains numbers or a text answer.
func TestInquiryByLines(t *testing.T) {
	t.Parallel()
	a := ask(80, 20, tools.Preview{Inquiries: inquiries})
	a.wait(time.Second)
	if all := strings.Join(AllRows(theme, a.First(), 80), "\n"); !strings.Contains(all, "Store: Which store?") || !strings.Contains(all, "1: SQLite — one file") {
		t.Errorf("it says %q", all)
	}
	if reply := a.HandleLine("/help", a.now); !reply.Pass {
		t.Error("a command answers")
	}
	a.HandleLine("3", a.now) // there is no third option, so it is a text answer
	a.wait(time.Second)
	if got, want := a.HandleLine("3, 1", a.now).Decision.Answers, []tools.InquiryAnswer{{Words: "3"}, {Chosen: []string{"vet", "fuzz"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// A yes-no question accepts y and n but no number, whoever asks it and in every mode.
func TestYesAndNoAreKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		labels := [2]string{rapid.StringMatching(`[a-z1-9 ]{1,12}`).Draw(t, "yes") + "+", rapid.StringMatching(`[a-z1-9 ]{0,12}`).Draw(t, "no") + "-"}
		yesNo := tools.Inquiry{Question: "Is it so?", Options: []tools.Option{{Label: labels[0]}, {Label: labels[1]}}, YesNo: true}
		if rapid.Bool().Draw(t, "draft") {
			yesNo.Draft = rapid.StringMatching(`[a-z]{1,20}`).Draw(t, "text")
		}
		a := &asking{now: time.Unix(1_000_000, 0)}
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			a.AddCommandQuestion(&command.Question{Title: "Is it so?", YesEffect: labels[0], YesCommand: "/yes", NoEffect: labels[1], NoLine: "no"}, a.now)
		case 1:
			a.Add(chat.Approval{ID: 7, Repeats: "three times", Preview: tools.Preview{Command: "x"}}, a.now, time.Time{})
		case 2:
			a.Add(chat.Approval{ID: 7, Preview: tools.Preview{Plan: "1. x"}}, a.now, time.Time{})
		case 3:
			a.Add(chat.Approval{ID: 7, Preview: tools.Preview{Command: "x"}}, a.now, time.Time{})
		default:
			a.Add(chat.Approval{ID: 7, Preview: tools.Preview{Inquiries: []tools.Inquiry{yesNo}}}, a.now, time.Time{})
		}
		a.Arrange(theme, 60, 20)
		var keys string
		for _, c := range a.choices() {
			keys += c.key
		}
		if !strings.HasPrefix(keys, "yn") || strings.ContainsAny(keys, "0123456789") {
			t.Fatalf("the keys are %q", keys)
		}
		asks, inquiry := a.First().Own, a.Inquiry()
		says := rapid.SampledFrom([]string{"y", "n"}).Draw(t, "says")
		var reply Reply
		if rapid.Bool().Draw(t, "by a line") {
			a.wait(time.Second)
			reply = a.HandleLine(says, a.now)
		} else if reply = a.alone(says); a.IsExplaining() {
			reply = a.press("enter")
		}
		want := labels[strings.Index("yn", says)]
		switch {
		case asks != nil && (reply.Run != "") == (says == "y") && reply.Declined == (says == "n"):
		case inquiry != nil && reply.Decision.Allow && reply.Decision.Answers[0].String() == want:
		case asks == nil && inquiry == nil && reply.Answered && reply.Decision.Allow == (says == "y"):
		default:
			t.Errorf("%s is %+v", says, reply)
		}
	})
}

// Inquiry returns the current inquiry.
func (a *asking) Inquiry() *tools.Inquiry { return a.First().Inquiry() }

// The user can edit a draft before the approval. Typed text alone is a message.
func TestADraftIsEditedFirst(t *testing.T) {
	t.Parallel()
	noted := tools.Inquiry{Question: "Keep: slow", Options: []tools.Option{{Label: "keep"}, {Label: "drop"}}, YesNo: true, Draft: "slow"}
	preview := tools.Preview{Title: "a note", Inquiries: []tools.Inquiry{noted}}
	want := []tools.InquiryAnswer{{Chosen: []string{"keep"}, Words: "slow at night"}}
	a := ask(60, 20, preview)
	a.press("e")
	a.text(" at night")
	if reply := a.press("enter"); !reflect.DeepEqual(reply.Decision.Answers, want) {
		t.Errorf("%+v", reply)
	}
	a = ask(60, 20, preview)
	a.wait(time.Second)
	if reply := a.HandleLine("e", a.now); reply.Hint == "" || reply.Answered {
		t.Errorf("e alone: %+v", reply)
	}
	if reply := a.HandleLine("e slow at night", a.now); !reflect.DeepEqual(reply.Decision.Answers, want) {
		t.Errorf("%+v", reply)
	}
	a = ask(60, 20, preview)
	a.wait(time.Second)
	if reply := a.HandleLine("n it is in the guide", a.now); !reflect.DeepEqual(reply.Decision.Answers, []tools.InquiryAnswer{{Chosen: []string{"drop"}, Words: "it is in the guide"}}) {
		t.Errorf("%+v", reply)
	}
	a = ask(60, 20, preview)
	for _, line := range []string{"yes please", "1", "y but later"} {
		a.wait(time.Second)
		if reply := a.HandleLine(line, a.now); !reply.Pass {
			t.Errorf("%q is no message: %+v", line, reply)
		}
	}
	if a.text("1"); !a.IsDrafting() {
		t.Error("a number is no message")
	}
	if says := ask(60, 20, preview).AnswerHelp(); says != "Type y: keep; n: drop; e and the text: edit it first; stop: no answer, and stop; v: repeat the question; anything else is a message." {
		t.Error(says)
	}
}
