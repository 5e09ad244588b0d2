package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/tui/term"
)

// view returns the live area as a text. The terminal receives it as a frame.
func (m *Model) view() string { return strings.Join(m.live, "\n") }

// fakeDriver records the calls of the interface.
type fakeDriver struct {
	calls  []string
	sent   []atcmd.Message
	queued []string
}

func (d *fakeDriver) record(format string, args ...any) {
	d.calls = append(d.calls, fmt.Sprintf(format, args...))
}

func (d *fakeDriver) Send(m atcmd.Message) {
	d.sent = append(d.sent, m)
	d.record("send %q", m.Text())
}

func (d *fakeDriver) Shell(command string, private bool) {
	d.record("shell %q private=%v", command, private)
}
func (d *fakeDriver) Interrupt() { d.record("interrupt") }
func (d *fakeDriver) EndAside()  { d.record("end aside") }
func (d *fakeDriver) Refresh()   {}
func (d *fakeDriver) CycleMode() { d.record("cycle") }
func (d *fakeDriver) Answer(id int, c chat.Decision) {
	d.record("answer %d allow=%v always=%v reason=%q", id, c.Allow, c.Always, c.Reason)
}

func (d *fakeDriver) Unqueue(context.Context) (atcmd.Message, bool) {
	if len(d.queued) == 0 {
		return nil, false
	}
	last := d.queued[len(d.queued)-1]
	d.queued = d.queued[:len(d.queued)-1]
	return atcmd.TypedMessage(last), true
}

// fakeCommands has a few commands.
type fakeCommands struct{}

func (fakeCommands) Run(_ context.Context, line string) (command.Output, error) {
	if name, chosen := strings.CutPrefix(line, "/model "); chosen {
		return command.Output{Lines: []string{"model " + name + ", from the next message"}}, nil
	}
	switch strings.Fields(line)[0] {
	case "/help":
		return command.Output{Lines: []string{"/help  shows this"}}, nil
	case "/quit":
		return command.Output{Quit: true}, nil
	case "/model":
		return command.Output{Lines: []string{"demo-model"}, Pick: &command.ChoiceList{Title: "model", Choices: []command.Choice{
			{Name: "demo-model", Help: "context 128k", Line: "/model demo-model", InUse: true},
			{Name: "mock-large", Help: "context 1M", Line: "/model mock-large"},
			{Name: "mock-larger", Line: "/model mock-larger"},
		}}}, nil
	case "/rewind":
		if line != "/rewind" {
			return command.Output{Lines: []string{"before “make x”", "files stay"}, Ask: &command.Question{
				Done: []string{"before “make x”"}, Title: "put 1 file back too", YesEffect: "yes, restore", YesCommand: "/rewind r2 files",
				Parts: []command.QuestionPart{{Title: "delete  made.txt"}},
			}}, nil
		}
		return command.Output{Lines: []string{"1  10:30  make x"}, Pick: &command.ChoiceList{Title: "Return to before this message", Choices: []command.Choice{
			{Name: "and now the tests", Help: "10:42", Line: "/rewind 2", Preview: func() string { return "and now the tests\nof all of it" }},
			{Name: "make x", Help: "10:30", Line: "/rewind 1", Preview: func() string { return "make x" }},
			{Name: "the branch that you left", Help: "10:41", Line: "/rewind r12"},
		}}}, nil
	case "/undo":
		if line == "/undo yes" {
			return command.Output{Lines: []string{"Undone: 2 files."}}, nil
		}
		return command.Output{Lines: []string{"undo 2 files"}, Diff: editDiff, Ask: &command.Question{
			Title: "undo the changes of “make x” to 2 files", YesEffect: "yes, undo", YesCommand: "/undo yes",
			Parts: []command.QuestionPart{{Title: "change  internal/a.go", Diff: editDiff}, {Title: "delete  made.txt"}, {Title: "not restored: .env: it may hold secrets"}},
		}}, nil
	case "/init":
		return command.Output{Submit: "write AGENTS.md"}, nil
	case "/context":
		return command.Output{Lines: []string{"61k of 128k tokens"}, Bar: &command.Bar{Mark: 108800, Segments: []command.BarSegment{
			{Label: "system", Tokens: 4000, Letter: "s"},
			{Label: "tools", Tokens: 6000, Letter: "t"},
			{Label: "tool results", Tokens: 51000, Letter: "r"},
			{Label: "free", Tokens: 67000, Free: true, Letter: "."},
		}}}, nil
	}
	return command.Output{}, errors.New("there is no command " + line + "; did you mean /help?")
}

func (fakeCommands) SendsMessage(line string) bool { return strings.HasPrefix(line, "/review") }

func (fakeCommands) Complete(line string) (int, []command.Completion) {
	var out []command.Completion
	for _, name := range []string{"/clear", "/compress", "/context", "/help", "/init", "/quit"} {
		if strings.HasPrefix(name, line) {
			out = append(out, command.Completion{Value: name, Help: "what " + name + " does", Loses: name == "/clear" || name == "/quit"})
		}
	}
	return 0, out
}

// fakeFiles is a workspace with three names.
type fakeFiles struct{}

func (fakeFiles) WaitListed(context.Context) {}
func (fakeFiles) MarkUsed(string)            {}

func (fakeFiles) Complete(typed string) (out []atcmd.Mention, whole bool) {
	for _, name := range []string{"main.go", "src/", "src/x.go"} {
		if strings.HasPrefix(name, typed) && name != typed {
			kind := "file"
			if strings.HasSuffix(name, "/") {
				kind = "folder"
			}
			out = append(out, atcmd.Mention{Text: "@" + name, Kind: kind})
		}
	}
	return out, true
}

// screenplay drives a model without a terminal. It sends keys and events, and records the frames.
type screenplay struct {
	t       testing.TB
	driver  *fakeDriver
	model   *Model
	clock   time.Time
	printed []string
	quit    bool
	outside int
}

func newScreenplay(t testing.TB, width, height int) *screenplay {
	return newScreenplayFor(t, width, height, func(*Options) {})
}

// newScreenplayFor returns a screenplay with changed options.
func newScreenplayFor(t testing.TB, width, height int, change func(*Options)) *screenplay {
	s := &screenplay{t: t, driver: &fakeDriver{}, clock: time.Unix(1_000_000, 0)}
	opts := Options{
		Driver: s.driver, Commands: fakeCommands{}, Workspace: "/home/u/work/project",
		Files:   fakeFiles{},
		Environ: []string{"HOME=/home/u"}, Now: func() time.Time { return s.clock },
		Status: chat.Status{Model: "demo-model", Tokens: 12_345, Limit: 128_000, Mode: gate.ModeAsk},
	}
	change(&opts)
	s.model = newModel(t.Context(), opts, width, height)
	return s
}

// update sends a message to the model and runs the commands that follow. The test controls the
// clock, so that no timer fires.
func (s *screenplay) update(message tea.Msg) {
	s.t.Helper()
	next := s.model.update(message)
	f := s.model.frame()
	if f.Reset {
		s.printed = nil
	}
	s.printed = append(s.printed, f.Printed...)
	s.check()
	s.run(next)
}

func (s *screenplay) run(c tea.Cmd) {
	if c == nil {
		return
	}
	switch message := c().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range message {
			s.run(c)
		}
	case tea.QuitMsg:
		s.quit = true
	case lendMsg:
		s.outside++
	default:
		s.update(message)
	}
}

// check verifies the invariants of a frame.
func (s *screenplay) check() {
	s.t.Helper()
	m := s.model
	if len(m.live) >= max(2, m.surface.height) {
		s.t.Fatalf("the live part has %d lines in a window of %d:\n%s", len(m.live), m.surface.height, m.view())
	}
	for _, line := range m.live {
		if w := ansi.StringWidth(line); w > max(8, m.surface.width-1) {
			s.t.Fatalf("a line of the live part is %d wide in a window of %d: %q", w, m.surface.width, line)
		}
	}
	if m.row < 0 || m.row >= len(m.live) || m.col < 0 || m.col >= max(1, m.surface.width) {
		s.t.Fatalf("the cursor is at %d, %d in:\n%s", m.row, m.col, m.view())
	}
}

func (s *screenplay) events(events ...chat.Event) {
	s.t.Helper()
	s.update(eventsMsg(events))
}

// typed types text.
func (s *screenplay) typed(text string) {
	for _, r := range text {
		s.update(inputMsg{term.Key{Name: string(r), Text: string(r)}})
	}
}

// press presses keys by name.
func (s *screenplay) press(names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.update(inputMsg{term.Key{Name: name}})
	}
}

func (s *screenplay) paste(text string) {
	s.update(inputMsg{term.Paste(text)})
}

// earlierPrompts returns typed prompts of earlier sessions.
func earlierPrompts(texts ...string) promptsMsg {
	var prompts promptsMsg
	for _, text := range texts {
		prompts = append(prompts, atcmd.TypedMessage(text))
	}
	return prompts
}

// wait advances the clock, and wakes the model at the times that it requested.
func (s *screenplay) wait(d time.Duration) {
	end := s.clock.Add(d)
	for at := s.model.wake(); !at.IsZero() && at.Before(end); at = s.model.wake() {
		s.clock = at
		s.update(wakeMsg{})
	}
	s.clock = end
	s.update(wakeMsg{})
}

// all returns the whole screen: the printed lines, a rule and the live area.
func (s *screenplay) all() string {
	return strings.Join(s.printed, "\n") + "\n────\n" + s.model.view() + "\n"
}
