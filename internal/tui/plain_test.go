package tui

import (
	"context"
	"fmt"
	"reflect"
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

// changedOne returns the end of a turn that changed one file.
func changedOne(file string, added, removed int) chat.TurnEnded {
	ended := chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopDone}}
	ended.Changes.Files, ended.Changes.Added, ended.Changes.Removed = []string{file}, added, removed
	return ended
}

// The frames of the plain mode, which has no width: a turn, a question and its end.
func TestPlainFrame(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(1_000_000, 0)
	p := &plain{
		model: newModel(t.Context(), Options{Driver: &fakeDriver{}, Now: func() time.Time { return now }, Environ: []string{"TERM=dumb"}, Plain: true, Greeting: []string{"hello"}}, 80, 1000),
		out:   &out,
	}
	p.show()
	p.take(eventsMsg{chat.TurnStarted{}, chat.UserMessage{Text: "explain"}, chat.TextDelta{Delta: answer}, chat.ReplyEnded{Text: answer}})
	p.take(eventsMsg{chat.ToolEnded{Name: "replace", Label: labelOf("replace internal/a.go"), Answer: tools.Answer{Text: "changed", Diff: editDiff}}})
	p.take(eventsMsg{askedForCommand("rm -r build")})
	p.take(eventsMsg{chat.ApprovalSettled{ID: 7}, changedOne("internal/a.go", 2, 1)})
	golden.RequireEqual(t, []byte(out.String()))
}

// Every state of the screen as plain lines, for users without a full screen.
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

// The plain mode reads and prints lines without escape sequences, for screen readers.
func TestPlain(t *testing.T) {
	t.Parallel()
	driver := &fakeDriver{}
	var out strings.Builder
	p := &plain{
		model: newModel(t.Context(), Options{Driver: driver, Commands: fakeCommands{}, Now: time.Now, Environ: []string{"TERM=dumb"}, Plain: true, Greeting: []string{"hello"}}, 80, 1000),
		out:   &out,
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
	for _, want := range []string{"hello\n", "Because.\n", "touch X #␍ls\n", "1 invisible character, shown", "Type y: yes; ", "line 900\n"} {
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

// take sends a message to the interface, and reports whether it quits.
func (p *plain) take(message tea.Msg) (quits bool) {
	_, next := p.Update(message)
	return reflect.ValueOf(next).Pointer() == reflect.ValueOf(tea.Quit).Pointer()
}

// plainScene is the plain mode with a separate clock.
type plainScene struct {
	*plain
	driver *fakeDriver
	out    *strings.Builder
	now    time.Time
}

func newPlainScene(t *testing.T) *plainScene {
	s := &plainScene{driver: &fakeDriver{}, out: &strings.Builder{}, now: time.Unix(1_000_000, 0)}
	opts := Options{Driver: s.driver, Commands: fakeCommands{}, Now: func() time.Time { return s.now }, Environ: []string{"TERM=dumb"}, Plain: true}
	s.plain = &plain{model: newModel(t.Context(), opts, 80, 1000), out: s.out}
	return s
}

func (s *plainScene) wait(d time.Duration) { s.now = s.now.Add(d) }

// The first Ctrl+C interrupts the turn. A second one within two seconds quits.
func TestPlainInterrupts(t *testing.T) {
	t.Parallel()
	s := newPlainScene(t)
	s.take(eventsMsg{chat.TurnStarted{}})
	if s.take(stopMsg{}) {
		t.Fatal("the first Ctrl+C ends the program")
	}
	if diff := cmp.Diff([]string{"interrupt"}, s.driver.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if !strings.Contains(s.out.String(), "Ctrl+C again quits\n") {
		t.Errorf("it is not said how to quit:\n%s", s.out)
	}
	s.wait(3 * time.Second)
	if s.take(stopMsg{}) {
		t.Error("a Ctrl+C much later ends the program")
	}
	s.wait(time.Second)
	if !s.take(stopMsg{}) {
		t.Error("the second Ctrl+C does not quit")
	}
	asked := newPlainScene(t)
	asked.take(eventsMsg{chat.TurnStarted{}, askedForCommand("make")})
	if asked.take(stopMsg{}) {
		t.Error("Ctrl+C at a question ends the program")
	}
	if diff := cmp.Diff([]string{`answer 7 allow=false always=false reason=""`, "interrupt"}, asked.driver.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A question has the same answers as on the screen.
func TestPlainAnswers(t *testing.T) {
	t.Parallel()
	const no = `answer 7 allow=false always=false reason=""`
	for line, want := range map[string][]string{
		"y": {`answer 7 allow=true always=false reason=""`}, "Y": {`answer 7 allow=true always=false reason=""`},
		"a": {`answer 7 allow=true always=true reason=""`}, "n": {no}, "n use make": {`answer 7 allow=false always=false reason="use make"`},
		"stop": {no, "interrupt"}, "esc": {no, "interrupt"}, "v": nil, "yes please": {`send "yes please"`}, "yy": nil,
	} {
		s := newPlainScene(t)
		s.take(eventsMsg{chat.TurnStarted{}, askedForCommand("make")})
		s.wait(time.Second)
		s.take(typedLineMsg{line, true})
		if diff := cmp.Diff(want, s.driver.calls); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", line, diff)
		}
		if n := strings.Count(s.out.String(), "Question: run make"); (line == "v") != (n == 2) {
			t.Errorf("%s: the question is read %d times", line, n)
		}
	}
	for line, want := range map[string][]string{
		"y": {`answer 7 allow=true always=false reason=""`}, "a": {`answer 7 allow=true always=true reason=""`}, "n": {no},
		"rather look first": {`answer 7 allow=false always=false reason="rather look first"`}, "yes please": {`answer 7 allow=false always=false reason="yes please"`},
		"n use make": {`answer 7 allow=false always=false reason="use make"`}, "": nil, "stop": {no, "interrupt"},
	} {
		s := newPlainScene(t)
		s.take(eventsMsg{chat.TurnStarted{}, chat.ApprovalRequested{Approval: chat.Approval{ID: 7, Tool: "present_plan", Always: "edit files", Preview: tools.Preview{Title: "a plan", Plan: "1. write it"}}}})
		s.wait(time.Second)
		s.take(typedLineMsg{line, true})
		if diff := cmp.Diff(want, s.driver.calls); diff != "" || !strings.Contains(s.out.String(), "1. write it") || !strings.Contains(s.out.String(), "describes the changes.") {
			t.Errorf("a plan, %s: calls (-want +got):\n%s\n%s", line, diff, s.out)
		}
	}
	own := newPlainScene(t)
	own.take(commandMsg{line: "/undo", output: command.Output{Ask: &command.Question{Title: "undo 1 file", YesEffect: "yes, undo", YesCommand: "/undo yes"}}})
	if !strings.Contains(own.out.String(), "Type y: yes, undo; n: no, leave it unchanged; v: ") {
		t.Errorf("the answers to a command's question:\n%s", own.out)
	}
}

// Nothing is printed twice, and decoration is omitted: in a session, in a question, and in the
// output of a command.
func TestPlainHoldsNoDecoration(t *testing.T) {
	t.Parallel()
	s := newPlainScene(t)
	s.take(typedLineMsg{"explain", true})
	s.take(eventsMsg{chat.TurnStarted{}, chat.UserMessage{Text: "explain"}})
	if strings.Contains(s.out.String(), "explain") {
		t.Errorf("what was typed is said again:\n%s", s.out)
	}
	s.take(eventsMsg{chat.UserMessage{Text: "/init asks for this"}})
	if !strings.Contains(s.out.String(), "You: /init asks for this\n") {
		t.Errorf("what was not typed is not said:\n%s", s.out)
	}
	s.take(eventsMsg{chat.TextDelta{Delta: answer}, chat.ReplyEnded{Text: answer}})
	for name, play := range states {
		scene := newScreenplayFor(t, 80, 1000, func(o *Options) { o.Plain = true })
		play(scene)
		(&plain{model: scene.model, out: s.out}).show()
		fmt.Fprintln(s.out, name+"\n"+strings.Join(scene.printed, "\n"))
	}
	for _, row := range strings.Split(s.out.String(), "\n") {
		if strings.ContainsAny(row, "│─┼✓✗·•…≈■↻↑↓→←▸❯█░▕▏⋮−×`#>*") {
			t.Errorf("decoration is read aloud: %q", row)
		}
	}
}

// The echo of the terminal is off exactly while the user enters an API key.
func TestPlainHidesAKey(t *testing.T) {
	t.Parallel()
	s := newPlainScene(t)
	hidden := false
	s.hide = func() (func() error, error) { hidden = true; return func() error { hidden = false; return nil }, nil }
	taken := ""
	s.take(commandMsg{line: "/login", output: command.Output{Ask: &command.Question{Title: "API key for a.example", Secret: func(_ context.Context, line string) (command.Output, error) {
		taken = line
		return command.Output{Lines: []string{"kept"}}, nil
	}}}})
	if !hidden || !strings.Contains(s.out.String(), "Type the key and press Enter;") {
		t.Fatalf("hidden %v:\n%s", hidden, s.out)
	}
	_, next := s.Update(typedLineMsg{"sk-1", true})
	s.take(next())
	if hidden || taken != "sk-1" || strings.Contains(s.out.String(), "sk-1") || !strings.Contains(s.out.String(), "kept") {
		t.Errorf("hidden %v, taken %q:\n%s", hidden, taken, s.out)
	}
}
