package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/chat"
)

// Each queued message can be edited separately, and the messages after it keep their order.
func TestQueuedMessagesAreEditedSingly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		do    func(s *screenplay)
		calls []string
		input string
	}{
		{"the second of three", func(s *screenplay) {
			s.press("up", "up")
			s.typed("!")
			s.press("enter")
		}, []string{`send "two!"`, `send "three"`}, ""},
		{"an interrupt drops nothing", func(s *screenplay) {
			s.press("up", "up", "up", "ctrl+c")
		}, []string{"interrupt"}, "one"},
		{"the last is emptied", func(s *screenplay) {
			s.press("up", "up", "ctrl+u")
		}, []string{`send "three"`}, ""},
		{"Down loses nothing", func(s *screenplay) {
			s.press("up", "up", "down", "down")
		}, nil, "two"},
		{"a stash gives the others back", func(s *screenplay) {
			s.press("up", "up", "ctrl+s")
		}, []string{`send "three"`}, ""},
		{"what was typed meanwhile stays", func(s *screenplay) {
			s.press("up")
			s.typed("x")
			s.press("up")
		}, nil, "threex"},
	} {
		s := newScreenplay(t, 60, 24)
		s.driver.queued = []string{"one", "two", "three"}
		s.events(chat.TurnStarted{}, chat.QueueChanged{Messages: slices.Clone(s.driver.queued)})
		tt.do(s)
		if !slices.Equal(s.driver.calls, tt.calls) || s.model.input.Editor.Text != tt.input {
			t.Errorf("%s: it did %q and the prompt is %q, want %q and %q", tt.name, s.driver.calls, s.model.input.Editor.Text, tt.calls, tt.input)
		}
	}
	s := newScreenplay(t, 60, 24)
	s.driver.queued = []string{"one", "two", "three"}
	s.events(chat.TurnStarted{}, chat.QueueChanged{Messages: slices.Clone(s.driver.queued)})
	s.press("up", "up")
	s.events(chat.QueueChanged{Messages: []string{"one"}})
	if view := s.model.view(); !strings.Contains(view, "queued: one\n  queued: three\n") || !strings.Contains(view, "> two") {
		t.Errorf("what waits is not all shown:\n%s", view)
	}
}

// If there is room, a question shows the current task and how long it has waited.
func TestQuestionShowsTheWaitingTask(t *testing.T) {
	t.Parallel()
	const doing = "todo 1/8 · fix the parser"
	for height, shown := range map[int]bool{30: true, 14: false} {
		s := newScreenplay(t, 60, height)
		s.events(chat.TurnStarted{}, chat.StatusChanged{Status: chat.Status{Model: "m", Todo: doing}}, askedForCommand("make"))
		if view := s.model.view(); strings.Contains(view, doing) != shown || strings.Contains(view, "ago") {
			t.Errorf("%d rows:\n%s", height, view)
		}
		s.wait(2*time.Minute + 10*time.Second)
		view := ansi.Strip(s.model.view())
		if strings.Contains(view, "  "+doing+" · asked 2 minutes ago\n\n? run") != shown {
			t.Errorf("%d rows, 2 minutes later:\n%s", height, view)
		}
	}
}

// A hint is not cut in a narrow window.
func TestHintsAreWhole(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 40, 24)
	s.events(chat.TurnStarted{}, askedForCommand("make"))
	s.press("ctrl+d")
	view := strings.Join(strings.Fields(ansi.Strip(s.model.view())), " ")
	if !strings.HasSuffix(view, "a question is open: press Esc to refuse it and stop, then Ctrl+D quits") {
		t.Errorf("the hint is cut:\n%s", s.model.view())
	}
}

// Text has a maximum width in a wide window, and a setting raises it.
func TestProseHasItsColumns(t *testing.T) {
	t.Parallel()
	columns := 100
	s := newScreenplayFor(t, 200, 30, func(o *Options) { o.Settings = func() Settings { return Settings{Columns: columns} } })
	widest := func() (most int) {
		for _, row := range s.printed {
			most = max(most, ansi.StringWidth(row))
		}
		return most
	}
	s.reply(strings.Repeat("words ", 60))
	if w := widest(); w > 100 || w < 90 {
		t.Errorf("prose is %d wide, want 100 at most", w)
	}
	columns = 160
	s.typed("/help")
	s.press("enter")
	s.reply(strings.Repeat("words ", 60))
	if w := widest(); w > 160 || w < 150 {
		t.Errorf("prose is %d wide, want 160 at most", w)
	}
}

// The hint about a stashed draft disappears when the draft is restored.
func TestRestoredDraftHasNoHint(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.typed("half a")
	s.press("ctrl+s")
	if !strings.Contains(s.all(), "draft stashed") {
		t.Fatalf("nothing says that draft stashed:\n%s", s.all())
	}
	s.press("ctrl+s")
	if strings.Contains(s.all(), "draft stashed") {
		t.Errorf("it is back and said to be put aside:\n%s", s.all())
	}
}
