package tui

import (
	"io"
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/term"
)

// countingWriter counts the written bytes.
type countingWriter struct{ bytes int }

func (c *countingWriter) Write(b []byte) (int, error) { c.bytes += len(b); return len(b), nil }

// Without changes no timer runs, and a frame without changes writes nothing.
func TestIdleCostsNothing(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 100, 30)
	s.events(chat.TurnStarted{}, chat.UserMessage{Text: "go"}, chat.ReplyEnded{Text: answer}, chat.TurnEnded{})
	if at := s.model.wake(); !at.IsZero() {
		t.Errorf("the idle screen wants to be woken at %s", at)
	}
	var out countingWriter
	screen := term.NewScreen(&out, nil)
	t.Cleanup(screen.Close)
	screen.Post(s.model.frame())
	screen.Flush()
	before := out.bytes
	for _, message := range []any{wakeMsg{}, eventsMsg{chat.StatusChanged{Status: s.model.surface.status}}, branchMsg(""), resizedMsg{100, 30, 0}} {
		s.model.update(message)
		screen.Post(s.model.frame())
		screen.Flush()
	}
	if out.bytes != before {
		t.Errorf("%d bytes were written for nothing", out.bytes-before)
	}
}

// The memory of the screen does not depend on the length of the session.
func TestScreenForgets(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 100, 30)
	held := func(messages int) int {
		for range messages {
			s.events(chat.TurnStarted{}, chat.UserMessage{Text: "again"}, chat.ReplyEnded{Text: answer},
				chat.ToolEnded{Label: labelOf("run_shell_command x"), Name: "run_shell_command", Answer: tools.Answer{Text: "output"}}, chat.TurnEnded{})
			s.printed = nil
		}
		return s.model.surface.transcript.Len() + len(s.model.activity.outputs)
	}
	early := held(300)
	if late := held(300); late > early+100 {
		t.Errorf("%d rows and outputs are held after 600 turns, %d after 300", late, early)
	}
}

// BenchmarkPaste measures a paste of 2 MiB, from the bytes to the frame.
func BenchmarkPaste(b *testing.B) {
	text := strings.Repeat("a line of what is pasted, as long as lines are\n", (2<<20)/47)
	for b.Loop() {
		s := newScreenplay(b, 120, 40)
		out := term.NewScreen(io.Discard, nil)
		began := time.Now()
		s.model.update(inputMsg{term.Paste(text)})
		out.Post(s.model.frame())
		out.Flush()
		if took := time.Since(began); took > time.Second {
			b.Fatalf("it took %s", took)
		}
		out.Close()
	}
}
