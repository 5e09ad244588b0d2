package textdiff

import (
	"slices"
	"strings"
	"testing"
)

// Split divides a diff of several files into one diff for each, whatever the lines of the hunks
// contain.
func TestSplit(t *testing.T) {
	t.Parallel()
	sql := New("one\n-- two\n-- three\n", "one\n++ zwei\n-- three\n").Unified("a.sql", "a.sql")
	for name, files := range map[string][]string{
		"nothing":   nil,
		"one":       {sql},
		"our own":   {sql, New("", "x\n").Unified("/dev/null", "b/new.go"), New("--- a\n+++ b\n", "").Unified("c", "/dev/null"), sql},
		"git's":     {"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n", "diff --git a/y b/y\nold mode 100644\nnew mode 100755\n"},
		"no end":    {"--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", "--- b\n+++ b\n@@ -1,1 +0,0 @@\n-b\n"},
		"two hunks": {"--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n+b\n@@ -9,1 +9,2 @@\n \n+\n", "--- b\n+++ b\n@@ -1 +1 @@\n-a\n+b"},
	} {
		if got := Split(strings.Join(files, "")); !slices.Equal(got, files) {
			t.Errorf("%s: %q, want %q", name, got, files)
		}
	}
}

// FuzzSplit checks that no part of a text is lost.
func FuzzSplit(f *testing.F) {
	f.Add("--- a\n+++ a\n@@ -1,2 +1 @@\n--- x\n")
	f.Add("diff --git a b\n@@ \n@@ -, +9999999999 @@\n\n")
	f.Fuzz(func(t *testing.T, diff string) {
		if got := strings.Join(Split(diff), ""); got != diff {
			t.Errorf("%q became %q", diff, got)
		}
	})
}

// The numbers of a hunk come from its header, and not from the text after the header.
func TestExtents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		head     string
		old, now Extent
	}{
		{"@@ -12,3 +14,5 @@", Extent{Start: 12, Lines: 3}, Extent{Start: 14, Lines: 5}},
		{"@@ -1 +0,0 @@ f(-7 +9)", Extent{Start: 1, Lines: 1}, Extent{}},
		{"@@ -x,y +2,z @@", Extent{}, Extent{Start: 2}},
		{"@@ ...", Extent{}, Extent{}},
	} {
		if old, now := Extents(tt.head); old != tt.old || now != tt.now {
			t.Errorf("%s: %v, %v", tt.head, old, now)
		}
	}
}
