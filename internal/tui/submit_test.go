package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// D-46: pasted text is sent as data. It is not a command or a shell command, and includes no file,
// even after the message was edited and sent again.
func TestPastedTextIsData(t *testing.T) {
	t.Parallel()
	typed := func(text string) atcmd.Part { return atcmd.Part{Text: text} }
	pasted := func(text string) atcmd.Part { return atcmd.Part{Text: text, Source: history.SourcePasted} }
	for _, test := range []struct {
		name string
		do   func(*screenplay)
		want atcmd.Message
	}{
		{"a decorator", func(s *screenplay) { s.typed("why? "); s.paste("@app.route(1)\ndef x(): ...") }, atcmd.Message{typed("why? "), pasted("@app.route(1)\ndef x(): ...")}},
		{"a command", func(s *screenplay) { s.paste("/set approval-mode full-auto") }, atcmd.Message{pasted("/"), typed("set approval-mode full-auto")}},
		{"a shell line", func(s *screenplay) { s.paste("!rm -rf x") }, atcmd.Message{pasted("!"), typed("rm -rf x")}},
		{"a path after an @ that was typed", func(s *screenplay) { s.typed("see @"); s.paste("a.go") }, atcmd.Message{typed("see @a.go")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, kept := newScreenplay(t, 60, 24), &keptHistory{}
			s.model.opts.History = kept
			test.do(s)
			s.press("enter")
			if diff := cmp.Diff([]atcmd.Message{test.want}, s.driver.sent); diff != "" {
				t.Fatalf("sent (-want +got):\n%s", diff)
			}
			s.events(chat.MessageReturned{Message: s.driver.sent[0]})
			s.press("enter")
			if diff := cmp.Diff([]atcmd.Message{test.want, test.want}, s.driver.sent); diff != "" {
				t.Errorf("sent again (-want +got):\n%s", diff)
			}
			s.press("up", "enter")
			if diff := cmp.Diff([]atcmd.Message{test.want, test.want, test.want}, s.driver.sent); diff != "" {
				t.Errorf("recalled and sent (-want +got):\n%s", diff)
			}
			later := newScreenplay(t, 60, 24)
			later.model.opts.History = kept
			later.run(later.model.begin())
			later.press("up", "enter")
			if diff := cmp.Diff([]atcmd.Message{test.want}, later.driver.sent); diff != "" {
				t.Errorf("recalled by a later session and sent (-want +got):\n%s", diff)
			}
		})
	}
}

// keptHistory is the prompt history of consecutive sessions.
type keptHistory []atcmd.Message

func (h *keptHistory) Load() ([]atcmd.Message, error) { return *h, nil }

func (h *keptHistory) Add(prompt atcmd.Message) { *h = append(*h, prompt) }

func (h *keptHistory) Write() error { return nil }

// A sent message prints pasted text as it was shown in the input.
func TestSentPastesStayPlaceholders(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.typed("fix this: ")
	s.paste(numbered(500))
	s.press("enter")
	s.events(chat.UserMessage{Text: s.driver.sent[0].Text()})
	if all := s.all(); !strings.Contains(all, "> fix this: [pasted 500 lines]") || strings.Contains(all, "line 7") {
		t.Errorf("printed:\n%s", all)
	}
}

// The output of a user's command is printed up to a higher limit than the output of the model's
// commands.
func TestShellModeShowsFortyLines(t *testing.T) {
	t.Parallel()
	zero := 0
	for typed, want := range map[bool]int{true: typedLines, false: resultLines} {
		s := newScreenplay(t, 60, 24)
		s.events(chat.ToolEnded{Name: "run_shell_command", Label: labelOf("! seq 100"), Typed: typed, Answer: tools.Answer{Text: numbered(100), ExitCode: &zero}})
		if got := strings.Count(s.all(), "line "); got != want {
			t.Errorf("typed = %v: %d lines are printed, want %d", typed, got, want)
		}
	}
}

// A proposal that the user declined has no tick, and is not reported as done.
func TestADeclinedProposalHasNoTick(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	label := toolspec.Label{Verbs: toolspec.Verbs{Done: "remembered", Do: "remember", Declined: "not kept"}, Subject: "it is slow"}
	s.events(chat.ToolEnded{Name: "remember", Label: label, Answer: tools.Answer{Text: "no", Summary: "not kept", Declined: true}})
	if all := s.all(); !strings.Contains(all, "· not kept: it is slow") || strings.Contains(all, "✓") || strings.Contains(all, "remember") {
		t.Errorf("printed:\n%s", all)
	}
}

// A hint explains the effect of !.
func TestShellModeIsExplained(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 100, 24)
	s.typed("!")
	if view := s.model.view(); !strings.Contains(view, "To hide it, use !!") {
		t.Errorf("shown:\n%s", view)
	}
	s.press("backspace")
	if view := s.model.view(); strings.Contains(view, "shell:") {
		t.Errorf("it stays:\n%s", view)
	}
}

// If an image file is dropped on the terminal, which writes its path, the message includes the
// image. Other paths are text.
func TestDroppedImage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a shot.png")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newScreenplay(t, 60, 24)
	s.typed("what is ")
	s.paste("'" + path + "'")
	if view := s.model.view(); !strings.Contains(view, "what is [image a shot.png]") {
		t.Errorf("it is shown as\n%s", view)
	}
	s.typed("this?")
	want := atcmd.Message{{Text: "what is "}, {Text: "[image a shot.png]", Image: path}, {Text: " this?"}}
	if diff := cmp.Diff(want, s.model.input.Editor.Message()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	s.model.input.Editor.Restore(want)
	if diff := cmp.Diff(want, s.model.input.Editor.Message()); diff != "" {
		t.Errorf("given back (-want +got):\n%s", diff)
	}
	s.model.input.Editor.Clear()
	s.paste(filepath.Join(dir, "none.png"))
	if got := s.model.input.Editor.Message(); len(got) == 0 || slices.ContainsFunc(got, func(p atcmd.Part) bool { return p.Image != "" }) {
		t.Errorf("a path of nothing is %+v", got)
	}
}

// Ctrl+V adds the image in the clipboard to the message, or reports why it cannot.
func TestClipboardImage(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	var problem error
	s.model.opts.Clipboard = func(context.Context) (string, error) { return "/t/clipboard-1.png", problem }
	s.typed("see ")
	s.press("ctrl+v")
	want := atcmd.Message{{Text: "see "}, {Text: "[image clipboard-1.png]", Image: "/t/clipboard-1.png"}, {Text: " "}}
	if diff := cmp.Diff(want, s.model.input.Editor.Message()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	problem = errors.New("the clipboard contains no image")
	s.press("ctrl+v")
	if diff := cmp.Diff(want, s.model.input.Editor.Message()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if shown := s.all(); !strings.Contains(shown, "can't paste: the clipboard contains no image") {
		t.Errorf("shown:\n%s", shown)
	}
}

// A shell command that the user types during a turn is queued with the messages. It can be removed,
// and runs after the turn.
func TestShellLinesWait(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.events(chat.TurnStarted{}, chat.QueueChanged{Messages: []string{"a message"}})
	for _, line := range []string{"!ls", "!!git status", "!rm x"} {
		s.typed(line)
		s.press("enter")
	}
	if view := s.model.view(); len(s.driver.calls) > 0 || !strings.Contains(view, "2 messages queued before") || !strings.Contains(view, "queued: !rm x (Up to edit it)") {
		t.Fatalf("calls %q, screen:\n%s", s.driver.calls, view)
	}
	s.press("up")
	if got := s.model.input.Editor.Value(); got != "!rm x" {
		t.Fatalf("Up brought %q", got)
	}
	s.press("ctrl+u")
	s.events(chat.TurnEnded{})
	s.events(chat.TurnStarted{}, chat.TurnEnded{})
	s.events(chat.TurnStarted{}, chat.TurnEnded{})
	if diff := cmp.Diff([]string{`shell "ls" private=false`, `shell "git status" private=true`}, s.driver.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// The sign of a shell command replaces the mark of the prompt.
func TestShellMark(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"!": "! ", "!ls -l": "! ls -l", "! ls": "! ls", "!!ls": "!! ls", "!! ls": "!! ls"} {
		s := newScreenplay(t, 80, 24)
		s.typed(text)
		rows, cursor := s.model.inputView(79, 5)
		if rows[0] != want || cursor.col != len(want) {
			t.Errorf("%q is shown as %q, the cursor in column %d", text, rows[0], cursor.col)
		}
	}
}

// A hint is printed for a shell command that cannot have its expected effect.
func TestShellHint(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cd src":       "cd affects only its own command. Use: cd DIR && COMMAND",
		"cd src && ls": "",
		"vi a.go":      "vi has no terminal here. Press Ctrl+Z for your shell; fg returns",
		"ls":           "",
		"":             "",
	} {
		if got := shellHint(line, "Ctrl+Z"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	s := newScreenplay(t, 80, 24)
	s.typed("!cd src")
	s.press("enter")
	if view := s.model.view(); !strings.Contains(view, "cd affects only its own command") {
		t.Errorf("the screen says\n%s", view)
	}
}
