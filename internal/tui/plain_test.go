package tui

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tools"
)

// The frames of plain lines, which know no width: a turn, a question, its end.
func TestPlainFrame(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(1_000_000, 0)
	p := &plain{
		model: newModel(t.Context(), Options{Driver: &fakeDriver{}, Now: func() time.Time { return now }, Environ: []string{"TERM=dumb"}, Greeting: []string{"hello"}}, 80, 1000),
		out:   &out, inbox: make(chan tea.Msg, 8), ended: make(chan struct{}),
	}
	p.show()
	p.take(eventsMsg{chat.TurnStarted{}, chat.UserMessage{Text: "explain"}, chat.TextDelta{Delta: answer}, chat.ReplyEnded{Text: answer}})
	p.take(eventsMsg{chat.ToolEnded{Name: "replace", Said: said("replace internal/a.go"), Answer: tools.Answer{Text: "changed", Diff: editDiff}}})
	p.take(eventsMsg{askedForCommand("rm -r build")})
	p.take(eventsMsg{chat.ApprovalSettled{ID: 7}, chat.TurnEnded{}})
	golden.RequireEqual(t, []byte(out.String()))
}

// Every state of the screen as plain lines: what a person reads who has no screen.
func TestPlainFrames(t *testing.T) {
	t.Parallel()
	for name, play := range states {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplayFor(t, 80, 1000, func(o *Options) { o.Plain = true })
			play(s)
			var out strings.Builder
			(&plain{model: s.model, out: &out}).show()
			got := strings.Join(append(s.printed, out.String()), "\n")
			if strings.ContainsAny(got, "\x1b\r\a") {
				t.Errorf("it holds a sequence: %q", got)
			}
			golden.RequireEqual(t, []byte(got))
		})
	}
}

// Lines in, lines out, and not one escape sequence: what a screen reader reads.
func TestPlain(t *testing.T) {
	t.Parallel()
	driver := &fakeDriver{}
	var out strings.Builder
	p := &plain{
		model: newModel(t.Context(), Options{Driver: driver, Commands: fakeCommands{}, Now: time.Now, Environ: []string{"TERM=dumb"}, Greeting: []string{"hello"}}, 80, 1000),
		out:   &out, inbox: make(chan tea.Msg, 8), ended: make(chan struct{}),
	}
	p.show()
	p.take(typedLineMsg{"why?", true})
	p.take(eventsMsg{chat.TurnStarted{}, chat.UserMessage{Text: "why?"}, chat.TextDelta{Delta: "**Because.**\n\n"}, askedForCommand("touch X #\rls")})
	p.take(typedLineMsg{"wait", true})
	p.take(typedLineMsg{"n too late", true})
	p.take(eventsMsg{chat.ApprovalSettled{ID: 7}, chat.TurnEnded{}})
	p.take(commandMsg{line: "/help", output: command.Output{Lines: strings.Split(numbered(900), "\n")}})
	if diff := cmp.Diff([]string{`send "why?"`, `send "wait"`, `answer 7 allow=false always=false reason="too late"`}, driver.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	got := out.String()
	for _, want := range []string{"hello\n", "> why?\n", "Because.\n", "touch X #␍ls\n", "would not be seen", "y for yes", "line 900\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got[:min(len(got), 2000)])
		}
	}
	if strings.ContainsAny(got, "\x1b\r\a") {
		t.Errorf("it holds a sequence: %q", got)
	}
	if !p.take(typedLineMsg{}) {
		t.Error("the end of the input does not end it")
	}
}
