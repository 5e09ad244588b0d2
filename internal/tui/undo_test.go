package tui

import (
	"strings"
	"testing"
	"time"
)

// D-85: /undo shows the diff in a question. One key applies it, and n or Esc keeps the files
// unchanged. No answer is sent to the model.
func TestUndoIsAQuestion(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]struct{ ran, left bool }{"y": {ran: true}, "esc": {left: true}, "n": {left: true}} {
		s := newScreenplay(t, 80, 30)
		s.typed("/undo")
		s.press("enter")
		asked := s.all()
		for _, part := range []string{"? undo the changes of “make x” to 2 files", "change  internal/a.go", "delete  made.txt", "not restored: .env"} {
			if !strings.Contains(asked, part) {
				t.Errorf("the question lacks %q:\n%s", part, asked)
			}
		}
		s.wait(time.Second)
		if key == "esc" {
			s.press(key)
		} else {
			s.typed(key)
		}
		s.wait(time.Second)
		all := s.all()
		if strings.Contains(all, "Undone: 2 files.") != want.ran || len(s.driver.calls) > 0 && s.driver.calls[0] != "refresh" {
			t.Errorf("%s: %q, the model was told %q", key, all, s.driver.calls)
		}
		if said := strings.Contains(all, "· left unchanged"); said != want.left {
			t.Errorf("%s: it says that all is left unchanged: %v", key, said)
		}
		if open := s.model.questions.IsAsking(); open == (want.ran || want.left) {
			t.Errorf("%s: the question is open: %v", key, open)
		}
	}
}

// The finished part of a command is reported before its question.
func TestQuestionFollowsTheFinishedPart(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 30)
	s.typed("/rewind 1")
	s.press("enter")
	all := s.all()
	done, asked := strings.Index(all, "before “make x”"), strings.Index(all, "? put 1 file back too")
	if done < 0 || asked < done || strings.Contains(all, "files stay") {
		t.Errorf("the screen shows\n%s", all)
	}
}
