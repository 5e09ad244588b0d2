package tui

import (
	"testing"
	"time"

	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

func TestBackgroundAnswerCountsOnlyInTime(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.colours = style.Colours16
	s.clock = s.clock.Add(50 * time.Millisecond)
	s.update(inputMsg{term.Background{Dark: false}})
	if s.model.dark {
		t.Error("an answer in time was not used")
	}
	s = newScreenplay(t, 60, 24)
	s.clock = s.clock.Add(time.Second)
	s.update(inputMsg{term.Background{Dark: false}})
	if !s.model.dark {
		t.Error("a late answer changed the colours")
	}
}

func TestThemeFollowsTheSetting(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	set := style.Dark
	s.model.opts.Theme = func() string { return set }
	s.model.chooseTheme()
	set = style.Light
	s.typed("/help")
	s.press("enter")
	if s.model.dark {
		t.Error("the theme set by a command is not used")
	}
}
