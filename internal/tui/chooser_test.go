package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tui/picker"
	"agent/internal/tui/term"
)

// A command with choices opens a list. The selected choice runs as if the user had typed it.
func TestPickRunsTheChoice(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.typed("/model")
	s.press("enter")
	if !strings.Contains(s.model.view(), "▸ demo-model") {
		t.Fatalf("what is in use is not selected:\n%s", s.model.view())
	}
	s.press("down", "enter")
	if all := s.all(); !strings.Contains(all, "> /model mock-large\n") || !strings.Contains(all, "model mock-large, from the next message") {
		t.Errorf("the choice did not run:\n%s", all)
	}
	if s.model.chooser.picking != nil {
		t.Error("the list is still open")
	}
}

// The draft is kept below a list, and a list never opens while the user types.
func TestPickKeepsTheDraft(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.update(earlierPrompts("earlier"))
	s.typed("a draft")
	s.press("ctrl+r", "esc")
	if got := s.model.input.Editor.Value(); got != "a draft" {
		t.Errorf("the input is %q", got)
	}
	output, err := fakeCommands{}.Run(t.Context(), "/model")
	s.update(commandMsg{"/model", output, err})
	if s.model.chooser.picking != nil || !strings.Contains(s.all(), "demo-model") {
		t.Errorf("a list opened over the draft:\n%s", s.all())
	}
}

// A question that arrives while a list is open receives the keys, and the list waits below it.
func TestPickWaitsForAQuestion(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.typed("/model")
	s.press("enter")
	s.events(chat.TurnStarted{}, askedForCommand("go test"))
	s.wait(time.Second)
	if view := s.model.view(); strings.Contains(view, "mock-large") || !strings.Contains(view, "go test") {
		t.Fatalf("the question is not what is seen:\n%s", view)
	}
	s.typed("y")
	s.wait(time.Second)
	s.events(chat.ApprovalSettled{ID: 1})
	if view := s.model.view(); !strings.Contains(view, "mock-large") {
		t.Errorf("the list is gone:\n%s", view)
	}
}

// After a key has closed the list at the start, later events have no effect: a preview, a paste, or
// a resized window.
func TestPickAloneIsOverOnce(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"chosen": "enter", "left": "esc"} {
		for _, late := range []tea.Msg{thenDo(func() {}), inputMsg{term.Paste("late")}, inputMsg{term.Key{Name: "down"}}, resizedMsg{}} {
			p := &pickAlone{}
			chosen := 0
			p.picking = picker.Open(command.ChoiceList{Title: "sessions", Choices: []command.Choice{{Name: "one"}}})
			p.choose = func(command.Choice) tea.Cmd { chosen++; return nil }
			p.Update(inputMsg{term.Key{Name: key}})
			_, next := p.Update(late)
			if next == nil || chosen != map[string]int{"chosen": 1}[name] {
				t.Errorf("%s, then %T: it does not end, or %d were chosen", name, late, chosen)
			}
		}
	}
}

// wantsModel is the error of a turn without a model.
type wantsModel struct{ error }

func (wantsModel) ChoosesModel() bool { return true }

// A first message without a model opens the list at once. The selected model receives the message.
// This takes two keys.
func TestAMessageWithoutAModelOpensTheList(t *testing.T) {
	t.Parallel()
	failed := chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopFailed}, Err: wantsModel{errors.New("no model is set")}}
	s := newScreenplay(t, 80, 24)
	s.events(chat.TurnStarted{}, failed)
	if !strings.Contains(s.model.view(), "▸ demo-model") {
		t.Fatalf("the list is not open:\n%s", s.model.view())
	}
	s.press("down", "enter")
	if all := s.all(); !strings.Contains(all, "> /model mock-large\n") || !strings.Contains(all, "> /retry") {
		t.Errorf("the message was not sent again:\n%s", all)
	}
	if all := s.all(); strings.Contains(all, "✗ no model") {
		t.Errorf("it is an error:\n%s", all)
	}
	// The next selection of a model sends nothing. A selection after the list was left sends
	// nothing either.
	left := newScreenplay(t, 80, 24)
	left.events(chat.TurnStarted{}, failed)
	left.press("esc")
	left.typed("/model")
	left.press("enter")
	left.press("down", "enter")
	if all := left.all(); strings.Contains(all, "/retry") {
		t.Errorf("the message was sent although the list was left:\n%s", all)
	}
	plain := newScreenplayFor(t, 80, 24, func(o *Options) { o.Plain = true })
	plain.events(chat.TurnStarted{}, failed)
	if all := plain.all(); !strings.Contains(all, "no model is set") {
		t.Errorf("plain lines do not say it:\n%s", all)
	}
}
