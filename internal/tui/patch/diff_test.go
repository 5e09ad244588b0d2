package patch

import (
	"strings"
	"testing"

	"agent/internal/tui/style"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	diff := "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n--- two\n+++ zwei\n@@ -98,2 +98,3 @@\n x\n+y\n z\n\\ No newline at end of file\n"
	if stat := StatText(diff); stat != "+2 −1" {
		t.Errorf("stat %s, want +2 −1", stat)
	}
	want := "  1  one\n  2 --- two\n  2 +++ zwei\n    ⋮\n 98  x\n 99 +y\n100  z\n    \\ No newline at end of file"
	if got := strings.Join(Render(theme, diff, 40), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// If the theme has backgrounds, code in a diff has syntax colors, whatever form the header has.
func TestDiffHasSyntaxColors(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.Colors256, style.Palettes[0])
	for name, headers := range map[string]string{
		"git's":      "--- a/x.go\n+++ b/x.go\n",
		"our tools'": "--- x.go\n+++ x.go\n",
		"a new file": "--- /dev/null\n+++ x.go\n",
		"gone":       "--- x.go\n+++ /dev/null\n",
	} {
		if got := strings.Join(Render(theme, headers+"@@ -1,1 +1,1 @@\n-return a\n+return b\n", 40), "\n"); strings.Count(got, theme.Keyword.On) != 2 {
			t.Errorf("%s headers: %q", name, got)
		}
	}
}

// In a diff of several files, each file has its name and its own numbers, and only changed lines
// count. A header of the next file is not a line of the previous one.
func TestDiffOfSeveralFiles(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	diff := "--- a.sql\n+++ a.sql\n@@ -1,2 +1,1 @@\n one\n--- old\n" +
		"--- /dev/null\n+++ b/new.go\n@@ -0,0 +1,1 @@\n+x\n" +
		"--- c\u202e.go\n+++ d.go\n@@ -7,1 +9,1 @@\n-y\n+z\n" +
		"--- gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-z\n"
	want := "a.sql — +0 −1\n1  one\n2 --- old\n\nb/new.go — new, +1 −0\n1 +x\n\nd.go — renamed, +1 −1\n7 -y\n9 +z\n\ngone — deleted, +0 −1\n1 -z"
	if got := strings.Join(Render(theme, diff, 40), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := StatText(diff); got != "+2 −3" {
		t.Errorf("stat %s", got)
	}
	if got := CountHidden(strings.ReplaceAll(diff, "d.go", "d\u202e.go")); got != 1 {
		t.Errorf("%d hidden, want that of the name that is shown", got)
	}
	long := strings.ReplaceAll(diff, "b/new.go", strings.Repeat("folder/", 9)+"new.go")
	if got := strings.ReplaceAll(strings.Join(Render(theme, long, 40), ""), " ", ""); !strings.Contains(got, strings.Repeat("folder/", 9)+"new.go") {
		t.Errorf("a long name is cut: %s", got)
	}
}

// Git quotes a file name with line breaks or tabs, and the quoted name stands for the same file.
// Only a rename in git's header counts as a rename, because a copy has two names too.
func TestNamesOfGit(t *testing.T) {
	t.Parallel()
	hunk := "@@ -1,1 +1,1 @@\n-y\n+z\n"
	for diff, want := range map[string]File{
		"diff --git \"a/l\\n\\303\\244\" \"b/l\\n\\303\\244\"\n--- \"a/l\\n\\303\\244\"\n+++ \"b/l\\n\\303\\244\"\n":    {Name: `"l\nä"`},
		"diff --git \"a/\\\"q\\\"\" \"b/\\\"q\\\"\"\n--- \"a/\\\"q\\\"\"\n+++ \"b/\\\"q\\\"\"\n":                        {Name: `"q"`},
		"diff --git \"a/g\\t\" \"b/g\\t\"\ndeleted file mode 100644\n--- \"a/g\\t\"\n+++ /dev/null\n":                   {Name: `"g\t"`, What: "deleted"},
		"diff --git a/b/x y b/b/x y\n--- a/b/x y\t\n+++ b/b/x y\t\n":                                                    {Name: "b/x y"},
		"diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\n--- a/x\n+++ b/y\n":                          {Name: "y"},
		"diff --git a/x \"b/y\\t\"\nsimilarity index 90%\nrename from x\nrename to \"y\\t\"\n--- a/x\n+++ \"b/y\\t\"\n": {Name: `"y\t"`, What: "renamed"},
	} {
		want.Diff = diff + hunk
		if got := Files(diff + hunk); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
