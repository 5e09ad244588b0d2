package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/protect"
	"agent/internal/tools"
)

func askedFor(preview tools.Preview) chat.ApprovalRequested {
	return chat.ApprovalRequested{Approval: chat.Approval{ID: 7, Always: "edits of *.sh files", Preview: preview}}
}

// withoutBreaks removes the line breaks that the width of a window adds.
func withoutBreaks(text string) string { return strings.Join(strings.Fields(text), "") }

// The question and "view all" show the complete title, however long. The end of a path or an
// address can be important, and a line feed in a name hides no text.
func TestTheCompleteTitleIsShown(t *testing.T) {
	t.Parallel()
	const diff = "--- a.sh\n+++ a.sh\n@@ -0,0 +1,1 @@\n+x\n"
	long := strings.Repeat("a", 300)
	for name, tt := range map[string]struct {
		preview tools.Preview
		want    string
		always  bool
	}{
		"address":             {tools.Preview{Title: "fetch https://example.com/" + long + "?key=END"}, long + "?key=END", true},
		"path":                {tools.Preview{Title: "create docs/" + long + "/END.sh", Diff: diff}, long + "/END.sh", true},
		"line feed in a path": {tools.Preview{Title: "create README.md\nEND.sh", Diff: diff}, "README.md␊END.sh", false},
		"folder":              {tools.Preview{Title: "run make in vendor/evil", Command: "make", Directory: "vendor/evil"}, "runthiscommandinvendor/evil", true},
		"long folder":         {tools.Preview{Title: "run make in x", Command: "make", Directory: long + "/END"}, long + "/END", true},
		"background":          {tools.Preview{Title: "run make", Command: "make", Background: true}, "runthiscommandinthebackground", true},
		"unwatched":           {tools.Preview{Title: "run make", Command: "make", Unwatched: "and agent watches only that many"}, "!andagentwatchesonlythatmany", true},
		"a rule":              {tools.Preview{Title: "run make (ask Bash(make:*) of END)", Command: "make", Because: "ask Bash(make:*) of END"}, "!askBash(make:*)ofEND", true},
		"line feed, no diff":  {tools.Preview{Title: "remove README.md\nEND.sh"}, "README.md␊END.sh", false},
	} {
		for _, width := range []int{30, 60, 120} {
			s := newScreenplay(t, width, 40)
			s.events(chat.TurnStarted{}, askedFor(tt.preview))
			s.wait(time.Second)
			view := s.model.view()
			s.typed("v")
			s.wait(300 * time.Millisecond)
			all := strings.Join(s.model.frame().Full, "\n")
			for where, text := range map[string]string{"question": view, "view all": all} {
				if !strings.Contains(withoutBreaks(text), tt.want) {
					t.Errorf("%s at %d: the %s does not show its end:\n%s", name, width, where, text)
				}
			}
			if always := strings.Contains(withoutBreaks(view), "forthissession"); always != tt.always {
				t.Errorf("%s at %d: always is offered: %t\n%s", name, width, always, view)
			}
		}
	}
}

// In a window that is too small for a question, an answer first opens the whole question. Only a
// single approval is offered.
func TestNothingIsApprovedUnseenInATinyWindow(t *testing.T) {
	t.Parallel()
	var many []protect.File
	for range 40 {
		many = append(many, protect.File{Path: ".env", Why: "may hold keys"})
	}
	for name, preview := range map[string]tools.Preview{
		"command":       {Title: "run touch a", Command: "touch a; rm -rf important; echo a rather long command line END"},
		"edit":          {Title: "create some/longer/path/END.sh", Diff: "--- a\n+++ a\n@@ -0,0 +1,1 @@\n+END\n"},
		"many cautions": {Title: "run touch a", Command: "touch a; echo END", Protected: many},
	} {
		for _, size := range [][2]int{{12, 4}, {20, 6}, {30, 6}, {40, 5}} {
			s := newScreenplay(t, size[0], size[1])
			s.events(chat.TurnStarted{}, askedFor(preview))
			s.wait(time.Second)
			if view := s.model.view(); !strings.Contains(view, "? ") {
				t.Errorf("%s at %v does not say that something is asked:\n%s", name, size, view)
			}
			seen := withoutBreaks(s.model.view())
			for range 2 {
				s.typed("y")
				s.wait(300 * time.Millisecond)
				if len(s.driver.calls) > 0 {
					break
				}
				seen += withoutBreaks(s.model.view() + strings.Join(s.model.frame().Full, "\n"))
				s.press("q")
				s.wait(time.Second)
			}
			if len(s.driver.calls) != 1 || !strings.Contains(seen, "END") && !strings.Contains(seen, "ND") {
				t.Errorf("%s at %v: calls %v, seen: %s", name, size, s.driver.calls, seen)
			}
		}
	}
	s := newScreenplay(t, 20, 6)
	s.events(chat.TurnStarted{}, askedFor(tools.Preview{Title: "create END.sh", Diff: "--- a\n+++ a\n@@ -0,0 +1,1 @@\n+x\n"}))
	s.wait(time.Second)
	s.typed("a")
	s.wait(time.Second)
	if len(s.driver.calls) != 0 {
		t.Errorf("what always would allow was not shown, and yet %v", s.driver.calls)
	}
}

// Keys in the pager do not answer a question that arrives behind it. The pause before an answer
// starts when the pager closes.
func TestAQuestionBehindThePagerIsNotAnsweredByItsKeys(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.events(chat.TurnStarted{}, chat.ToolEnded{Name: "glob", Label: labelOf("glob x"), Answer: tools.Answer{Text: numbered(50)}})
	s.press("ctrl+o")
	s.wait(time.Millisecond)
	s.events(askedForCommand("go test ./..."))
	s.wait(5 * time.Second)
	s.press("q")
	s.wait(100 * time.Millisecond)
	s.typed("y")
	s.wait(time.Second)
	if len(s.driver.calls) != 0 {
		t.Errorf("a key that followed the pager's answered: %v", s.driver.calls)
	}
}

// After the user has read a question in the pager, it can be answered at once.
func TestAQuestionThatWasReadIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.events(chat.TurnStarted{}, askedForCommand("go test ./..."))
	s.wait(time.Second)
	s.typed("v")
	s.wait(300 * time.Millisecond)
	s.press("q")
	s.typed("y")
	s.wait(300 * time.Millisecond)
	if len(s.driver.calls) != 1 {
		t.Errorf("calls %v", s.driver.calls)
	}
}

// If the user browses earlier prompts or a list, neither an arrow key nor Enter answers a question
// that arrives meanwhile.
func TestArrowsOfThePromptNeverAnswer(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"prompts":  {"up", "up", "down", "enter"},
		"cursor":   {"left", "down", "enter"},
		"emacs":    {"ctrl+p", "down", "enter"},
		"no pause": {"down", "down", "enter"},
	} {
		s := newScreenplay(t, 60, 24)
		s.events(chat.TurnStarted{})
		s.typed("one")
		s.wait(5 * time.Second)
		s.press(keys[0])
		s.wait(200 * time.Millisecond)
		s.events(askedForCommand("rm -r build"))
		for _, key := range keys[1:] {
			s.wait(300 * time.Millisecond)
			s.press(key)
		}
		for _, call := range s.driver.calls {
			if strings.HasPrefix(call, "answer") {
				t.Errorf("%s: %s", name, call)
			}
		}
	}
}

// A line that the user typed before the question was readable is not an approval.
func TestPlainTypedAheadIsNoAnswer(t *testing.T) {
	t.Parallel()
	driver, now := &fakeDriver{}, time.Unix(1_000_000, 0)
	var out strings.Builder
	p := &plain{
		model: newModel(t.Context(), Options{Driver: driver, Now: func() time.Time { return now }, Environ: []string{"TERM=dumb"}, Plain: true}, 80, 1000),
		out:   &out,
	}
	p.take(eventsMsg{chat.TurnStarted{}, askedForCommand("rm -r build")})
	now = now.Add(100 * time.Millisecond)
	p.take(typedLineMsg{"y", true})
	if len(driver.calls) != 0 || !strings.Contains(out.String(), "typed before the question") {
		t.Errorf("calls %v:\n%s", driver.calls, out.String())
	}
	now = now.Add(time.Second)
	p.take(typedLineMsg{"y", true})
	if len(driver.calls) != 1 {
		t.Errorf("the second y did not answer: %v", driver.calls)
	}
}
