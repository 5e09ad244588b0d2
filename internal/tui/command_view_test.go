package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// Issue 4: /diff shows what changed, each file under its name.
func TestDiffOutputIsShown(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.update(commandMsg{line: "/diff", output: command.Output{Diff: patchOfFour}})
	want := []string{
		"> /diff",
		"new.go — renamed, +1 −1",
		"  1  package x",
		"  2 -var a = 1",
		"  2 +var a = 2",
		"gone.txt — deleted, +0 −1",
		"  1 -bye",
		"a.png — new, binary",
		"empty — new",
	}
	if diff := cmp.Diff(want, s.texts()); diff != "" {
		t.Error(diff)
	}
}

func TestDiffOutputIsBounded(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	diff := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,9000 @@\n" + strings.Repeat("+line\n", 9000)
	s.update(commandMsg{line: "/diff", output: command.Output{Diff: diff}})
	if lines := s.texts(); len(lines) > outputBound+2 || lines[len(lines)-1] != "… 4001 more lines" {
		t.Errorf("%d lines were printed, the last is %q", len(lines), lines[len(lines)-1])
	}
}

// Issue 4: /copy reaches the terminal's clipboard, and says so.
func TestCopyOutputReachesTheClipboard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, term, sequence, said string }{
		{"a terminal", "xterm-256color", "\x1b]52;c;b25lCnR3bw==\a", "gave 2 lines to the terminal for its clipboard"},
		{"inside screen", "screen", "\x1bP\x1b]52;c;b25lCnR3bw==\a\x1b\\", "gave 2 lines to the terminal for its clipboard"},
		{"a terminal without one", "dumb", "", "✗ nothing was copied: this terminal has no clipboard; /export writes the"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 80, 24)
			s.model.opts.Environ = []string{"TERM=" + tt.term}
			s.model.update(commandMsg{line: "/copy", output: command.Output{Copy: "one\ntwo"}})
			f := s.model.frame()
			if f.Sequence != tt.sequence {
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
		{"without columns", "  model stays as it is: set by /set", []string{"  model stays as it is:", "  set by /set"}},
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
