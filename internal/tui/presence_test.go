package tui

import (
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/tui/term"
)

// The title says what goes on; a question that waits while the window has not the
// focus asks for attention. A terminal of the textbook gets neither.
func TestPresence(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.model.opts.Environ = []string{"TERM=xterm-256color", "TERM_PROGRAM=ghostty"}
	take := func() string {
		sequence := s.model.presence.sequence
		s.model.presence.sequence = ""
		return sequence
	}
	s.model.update(eventsMsg{chat.TurnStarted{}})
	if got := take(); !strings.Contains(got, "\x1b]2;* agent: project\x1b\\") {
		t.Errorf("while a turn runs: %q", got)
	}
	s.model.update(inputMsg{term.Focus(false)})
	s.model.update(eventsMsg{askedForCommand("make\x1b\\\x1b]52;c;AAAA\a")})
	const asks = "\x1b]777;notify;agent: project;asks: run make␛\\␛]52,c,AAAA␇\x1b\\"
	if got := take(); got != "\x1b]2;? agent: project\x1b\\"+asks {
		t.Errorf("when it asks unseen: %q", got)
	}
	s.model.update(wakeMsg{})
	s.model.frame()
	s.model.update(wakeMsg{})
	if got := take(); got != "" {
		t.Errorf("it repeats: %q", got)
	}
	dumb := newScreenplay(t, 80, 24)
	dumb.events(chat.TurnStarted{})
	if dumb.model.presence.sequence != "" {
		t.Errorf("a terminal without a name got %q", dumb.model.presence.sequence)
	}
}
