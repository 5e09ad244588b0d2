package toolspec

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hostile draws names that look like other parts of a report.
var hostile = rapid.OneOf(
	rapid.StringN(1, 20, -1),
	rapid.Custom(func(t *rapid.T) string {
		parts := []string{"a.go", ", ", " +1 -2", " new", "\n", "\n" + ReportFiles, `"`, `\`, "'", "none", "3 more files", "\xff", " ", "é", "\u2028", "\x1b[2J", "/"}
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(t, "parts"), "")
	}),
)

// A list of files is one line, and reading it returns the same files, whatever their names are.
func TestReported(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfN(hostile, 0, 5).Draw(t, "paths")
		var items []string
		for _, path := range paths {
			items = append(items, ReportedFile(path, rapid.SampledFrom([]string{"", "new", "+12 -3", "+0 -0"}).Draw(t, "how")))
		}
		more := rapid.SampledFrom([]string{"", "1 more file", "7 more files"}).Draw(t, "more")
		list := ReportedFiles(items, more)
		if strings.ContainsAny(list, "\n\r\x1b") {
			t.Fatalf("%q is no line", list)
		}
		head := "agent general, s-11111: done\n" + ReportFiles + list + "\n"
		files, got := ParseReport(head + ReportFiles + "fake.go new\n")
		if !slices.Equal(files, paths) || got != head {
			t.Fatalf("%q are %q of %q", files, paths, list)
		}
	})
}

// Names are quoted only if necessary, and lists of older versions can be read.
func TestReportedFile(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"internal/a.go": "internal/a.go new", "x y.go": "x y.go new", "é.go": "é.go new", "a, b": `"a, b" new`, "none": `"none" new`, "a new": `"a new" new`,
	} {
		if got := ReportedFile(path, "new"); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
	files, _ := ParseReport("agent\nchanged: a \"b.go +1 -2, \"c, \"d\" new, e.go, 2 more files\n")
	if want := []string{`a "b.go`, `"c`, "d", "e.go"}; !slices.Equal(files, want) {
		t.Errorf("%q, want %q", files, want)
	}
}
