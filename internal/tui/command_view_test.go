package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tui/style"
)

const patchOfFour = `diff --git a/old.go b/new.go
similarity index 90%
rename from old.go
rename to new.go
--- a/old.go
+++ b/new.go
@@ -1,2 +1,2 @@
 package x
-var a = 1
+var a = 2
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/a.png b/a.png
new file mode 100644
Binary files /dev/null and b/a.png differ
diff --git a/empty b/empty
new file mode 100644
`

// /diff opens the changes: a page for each file with its name, and a list of all files with their
// numbers at the end. The transcript has one line about it.
func TestDiffOutputIsOpened(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.update(commandMsg{line: "/diff", output: command.Output{Diff: patchOfFour}})
	if diff := cmp.Diff([]string{"> /diff", "4 changed files shown"}, s.texts()); diff != "" {
		t.Error(diff)
	}
	page := func() string { return strings.Join(filled(strings.Join(s.model.frame().Full, "\n")), "\n") }
	if want := "new.go — renamed, +1 −1\n1  package x\n2 -var a = 1\n2 +var a = 2\n new.go · all · ←→ 1 of 5"; !strings.HasPrefix(page(), want) {
		t.Errorf("a file:\n%s", page())
	}
	s.press("right", "right", "right", "right")
	if want := "4 files changed\n  new.go — renamed, +1 −1\n  gone.txt — deleted, +0 −1\n  a.png — new, binary\n  empty — new\n"; !strings.HasPrefix(page(), want) {
		t.Errorf("the files:\n%s", page())
	}
}

// A single changed file is shown at once.
func TestDiffOfOneFile(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	one, _, _ := strings.Cut(patchOfFour, "diff --git a/gone.txt")
	s.update(commandMsg{line: "/diff", output: command.Output{Diff: one}})
	page := strings.Join(filled(strings.Join(s.model.frame().Full, "\n")), "\n")
	if want := "new.go — renamed, +1 −1\n1  package x\n2 -var a = 1\n2 +var a = 2\n new.go · all · q back"; !strings.HasPrefix(page, want) {
		t.Errorf("the file:\n%s", page)
	}
}

// Output that would fill the window is opened in the pager.
func TestLongOutputIsOpened(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.update(commandMsg{line: "/short", output: command.Output{Lines: []string{"one", "two"}}})
	s.update(commandMsg{line: "/help", output: command.Output{Lines: strings.Split(numbered(40), "\n")}})
	if diff := cmp.Diff([]string{"> /short", "one", "two", "> /help"}, s.texts()); diff != "" {
		t.Error(diff)
	}
	if page := s.model.frame().Full; len(page) != 24 || page[0] != "line 1" {
		t.Errorf("the page: %q", page)
	}
}

// /copy writes to the terminal's clipboard and reports it.
func TestCopyOutputReachesTheClipboard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, term, sequence, said string }{
		{"a terminal", "xterm-256color", "\x1b]52;c;b25lCnR3bw==\a", "copied 2 lines, if the terminal allows it"},
		{"inside screen", "screen", "\x1bP\x1b]52;c;b25lCnR3bw==\a\x1b\\", "copied 2 lines, if the terminal allows it"},
		{"a terminal without one", "dumb", "", "✗ can't copy: this terminal has no clipboard. To write to a file, type /export"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 80, 24)
			s.model.surface.environ = []string{"TERM=" + tt.term}
			s.model.update(commandMsg{line: "/copy", output: command.Output{Copy: "one\ntwo"}})
			f := s.model.frame()
			if got, _, _ := strings.Cut(f.Sequence, "\x1b]2;"); got != tt.sequence {
				t.Errorf("the clipboard got %q", f.Sequence)
			}
			if said := filled(strings.Join(f.Printed, "\n")); said[1] != tt.said {
				t.Errorf("it said %q", said)
			}
			if again := s.model.frame().Sequence; again != "" {
				t.Errorf("the clipboard was set again: %q", again)
			}
		})
	}
}

func TestHangingWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		want       []string
	}{
		{"short", "glob  finds", []string{"glob  finds"}},
		{"in the last column", "glob  read  finds files by their name", []string{"glob  read  finds files", "            by their", "            name"}},
		{"without columns", "  model is unchanged: set by /set", []string{"  model is unchanged:", "  set by /set"}},
		{"a wide gap", "a  name               and more", []string{"a  name  and more"}},
		{"a last column far right", "a name that is quite long  and more", []string{"a name that is quite", "long  and more"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, style.HangingWrap(tt.line, 24)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A rule separates the content after /clear from earlier content.
func TestClearDrawsARule(t *testing.T) {
	t.Parallel()
	rows := commandRows(command.Output{Lines: []string{"The context is empty."}, NewConversation: true})(style.NewTheme(style.NoColors, style.Palettes[0]), 30)
	if want := "── new context ───────────────"; len(rows) != 2 || rows[1] != want {
		t.Errorf("%q, want the rule %q", rows, want)
	}
}

// The share of cached tokens belongs to the current conversation and the current model.
func TestTheShareOfTheCacheIsNotStale(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		message any
		stays   bool
	}{
		"a new context": {commandMsg{line: "/clear", output: command.Output{Lines: []string{"The context is empty."}, NewConversation: true}}, false},
		"another model": {eventsMsg{chat.StatusChanged{Status: chat.Status{Model: "other"}}}, false},
		"other figures": {eventsMsg{chat.StatusChanged{Status: chat.Status{Model: "demo-model", Tokens: 1}}}, true},
		"a command":     {commandMsg{line: "/stats", output: command.Output{Lines: []string{"requests 1"}}}, true},
	} {
		s := newScreenplay(t, 100, 20)
		s.events(chat.UsageReported{PromptTokens: 1000, CachedTokens: 900})
		s.model.update(tt.message)
		if stays := strings.Contains(s.all(), "cache 90%"); stays != tt.stays {
			t.Errorf("%s: the share stays %v, want %v:\n%s", name, stays, tt.stays, s.all())
		}
	}
}

// Esc ends a side question before it interrupts the turn, and the screen shows this. The answer
// looks like other answers.
func TestSideQuestionOnTheScreen(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.activity.commands = []string{"/btw " + strings.Repeat("why ", 20)}
	s.events(chat.TurnStarted{}, chat.AsideChanged{Running: true})
	if view := ansi.Strip(s.model.view()); !strings.Contains(view, "… · Esc ends it\n") {
		t.Errorf("the key is not told:\n%s", view)
	}
	s.press("esc")
	s.events(askedForCommand("make"))
	s.press("esc")
	s.events(chat.ApprovalSettled{ID: 7}, chat.AsideChanged{})
	s.press("esc")
	if !slices.Equal(s.driver.calls, []string{"end aside", "end aside", "interrupt"}) {
		t.Errorf("did %q", s.driver.calls)
	}
	s.update(commandMsg{line: "/btw why", output: command.Output{Answer: "**So** it\x1b[2J is."}})
	if shown := ansi.Strip(strings.Join(s.printed, "\n")); !strings.Contains(shown, "So it") || strings.Contains(shown, "**") {
		t.Errorf("printed\n%s", shown)
	}
}
