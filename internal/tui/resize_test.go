package tui

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agent/internal/chat"
	"agent/internal/testing/vt"
	"agent/internal/tui/term"
)

// window runs a model on a terminal that is resized, to check the final content of the terminal.
type window struct {
	*screenplay
	terminal *vt.Terminal
	screen   *term.Screen
	width    atomic.Int64
	height   atomic.Int64
}

func newWindow(t testing.TB, width, height int) *window {
	w := &window{screenplay: newScreenplay(t, width, height), terminal: vt.New(width, height)}
	w.width.Store(int64(width))
	w.height.Store(int64(height))
	w.screen = term.NewScreen(w.terminal, func() (int, int) { return int(w.width.Load()), int(w.height.Load()) })
	t.Cleanup(w.screen.Close)
	w.paint()
	return w
}

// paint shows the model's frame, unless a resize is in progress.
func (w *window) paint() {
	if !w.model.resize.settling() {
		w.screen.Post(w.model.frame())
		w.screen.Flush()
	}
}

// say sends a part of the reply.
func (w *window) say(text string) {
	w.model.update(eventsMsg{chat.TextDelta{Delta: text}})
	w.paint()
}

// resize changes the window. The program is notified when the returned function runs.
func (w *window) resize(width, height int) func() {
	w.terminal.Resize(width, height)
	w.width.Store(int64(width))
	w.height.Store(int64(height))
	return func() {
		w.model.update(resizedMsg{width, height, w.screen.MaxHeight(w.clock)})
		w.paint()
	}
}

// pass advances the clock.
func (w *window) pass(d time.Duration) {
	w.clock = w.clock.Add(d)
	w.model.update(wakeMsg{})
	w.paint()
}

// However the window is resized while a reply streams, the final screen equals an undisturbed run
// at the last width, line by line.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "Paragraph %d: words flow one after the other and fill the line until it wraps around at the edge of the window.\n\n- item one of %d\n- item **two**\n\n```go\nfunc f%d() {}\n```\n\n| a | b |\n|---|---|\n| %d | some words that are longer than a narrow window is wide |\n\n", i, i, i, i)
	}
	text.WriteString(strings.Repeat("A paragraph as long as this one leaves **while** it grows. ", 30) + "\n\n| a | b |\n|---|---|\n")
	for i := range 30 {
		fmt.Fprintf(&text, "| %d | a row of a table that is long |\n", i)
	}
	rapid.Check(t, func(rt *rapid.T) {
		height := rapid.IntRange(8, 40).Draw(rt, "height")
		storm := newWindow(t, 80, height)
		begin := func(w *window) {
			w.model.update(eventsMsg{chat.TurnStarted{}, chat.UserMessage{Text: "a question of the user that is long enough to be wrapped in a window that is narrow"}})
			w.paint()
		}
		begin(storm)
		width := 80
		var heard []func()
		for rest := text.String(); rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 200).Draw(rt, "delta"))
			storm.say(rest[:n])
			rest = rest[n:]
			switch rapid.IntRange(0, 5).Draw(rt, "event") {
			case 0:
				width, height = rapid.IntRange(30, 140).Draw(rt, "width"), rapid.IntRange(8, 40).Draw(rt, "height")
				heard = append(heard, storm.resize(width, height))
			case 1:
				if n := len(heard); n > 0 && rapid.Bool().Draw(rt, "only the last") {
					heard = heard[n-1:]
				}
				for _, hear := range heard {
					hear()
				}
				heard = nil
			case 2:
				storm.pass(time.Duration(rapid.IntRange(1, 300).Draw(rt, "ms")) * time.Millisecond)
			}
		}
		for _, hear := range heard {
			hear()
		}
		storm.pass(time.Second)
		quiet := newWindow(t, width, height)
		begin(quiet)
		quiet.say(text.String())
		for _, w := range []*window{storm, quiet} {
			w.model.update(eventsMsg{chat.ReplyEnded{}, chat.TurnEnded{}})
			w.paint()
		}
		if diff := cmp.Diff(quiet.terminal.Lines(), storm.terminal.Lines()); diff != "" {
			rt.Fatalf("(-undisturbed +storm):\n%s", diff)
		}
	})
}

// Ctrl+L redraws the screen.
func TestRepaint(t *testing.T) {
	t.Parallel()
	w := newWindow(t, 60, 20)
	w.say("One.\n\nTwo.\n\n")
	want := w.terminal.Lines()
	w.terminal.Scribble()
	w.model.update(inputMsg{term.Key{Name: "ctrl+l"}})
	w.paint()
	if diff := cmp.Diff(want, w.terminal.Lines()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}
