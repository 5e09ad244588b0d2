package textdiff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/text/lines"
)

// numbered returns n lines that contain their numbers, some of them changed.
func numbered(n int, change map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if text, ok := change[i]; ok {
			b.WriteString(text)
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// A hunk has three context lines around a change. Changes share a hunk if at most six lines are
// between them. The line numbers of the new text include added lines.
func TestHunks(t *testing.T) {
	t.Parallel()
	before := numbered(25, nil)
	for _, tc := range []struct {
		name, after string
		heads       []string
		changed     int
	}{
		{"equal", before, nil, 0},
		{"two places", numbered(25, map[int]string{2: "line 2\nnew\n", 10: "", 18: "a\nb\n"}), []string{"@@ -1,5 +1,6 @@", "@@ -7,7 +8,6 @@", "@@ -15,7 +15,8 @@"}, 4},
		{"near ones share a hunk", numbered(25, map[int]string{10: "a\n", 17: "b\n"}), []string{"@@ -7,14 +7,14 @@"}, 2},
		{"with seven between not", numbered(25, map[int]string{10: "a\n", 18: "b\n"}), []string{"@@ -7,7 +7,7 @@", "@@ -15,7 +15,7 @@"}, 2},
		{"emptied", "", []string{"@@ -1,25 +0,0 @@"}, 25},
	} {
		d := New(before, tc.after)
		var heads []string
		for line := range strings.Lines(d.Unified("a", "b")) {
			if strings.HasPrefix(line, "@@") {
				heads = append(heads, strings.TrimSuffix(line, "\n"))
			}
		}
		if !slices.Equal(heads, tc.heads) || d.ChangedCount() != tc.changed {
			t.Errorf("%s: %q, %d changed", tc.name, heads, d.ChangedCount())
		}
	}
	if text := New("a\n", "a\n").Unified("a", "b"); text != "" {
		t.Errorf("equal texts differ by %q", text)
	}
}

func TestRegions(t *testing.T) {
	t.Parallel()
	before := numbered(25, nil)
	after := numbered(25, map[int]string{2: "x\n", 20: strings.Repeat("y", maxLineBytes+1) + "\n"})
	want := "1|line 1\n2|x\n3|line 3\n4|line 4\n5|line 5\n…\n17|line 17\n18|line 18\n19|line 19\n20|" + strings.Repeat("y", maxLineBytes) +
		"… [1 more bytes of this line]\n21|line 21\n22|line 22\n23|line 23\n"
	if got := New(before, after).Regions(""); got != want {
		t.Errorf("%q", got)
	}
	for n, rest := range map[int]string{maxRegionLines: "", maxRegionLines + 7: "[also changed: 101-107]\n"} {
		got := New("", numbered(n, nil)).Regions("")
		if strings.Count(got, "|line ") != maxRegionLines || !strings.HasSuffix(got, "|line 100\n"+rest) {
			t.Errorf("of %d lines: %q", n, got)
		}
	}
	full := strings.ReplaceAll(numbered(maxRegionLines-3, nil), "line", "new")
	if got := New(before, full+before+"z\n").Regions(""); !strings.HasSuffix(got, "[also changed: 120-123]\n") || strings.Contains(got, "z") {
		t.Errorf("where the first place takes all the room: %q", got)
	}
}

// If many new lines in a row are exactly the given lines, the middle ones are omitted.
func TestRegionsOmitGivenLines(t *testing.T) {
	t.Parallel()
	before := numbered(9, nil)
	block := func(n int) string { return strings.ReplaceAll(numbered(n, nil), "line", "new") }
	const edges = "4|line 4\n 5|new 1\n 6|new 2\n 7|new 3\n… 2 lines as you gave them\n10|new 6\n11|new 7\n12|line 5\n"
	for name, tc := range map[string]struct {
		added, given, want string
	}{
		"few lines":       {block(maxRun), block(maxRun), "4|line 4\n5|new 1\n6|new 2\n7|new 3\n8|new 4\n9|new 5\n10|new 6\n11|line 5\n"},
		"many":            {block(maxRun + 1), block(maxRun + 1), edges},
		"within a text":   {block(maxRun + 1), "before\n" + block(maxRun+1) + "after", edges},
		"otherwise given": {block(maxRun + 1), strings.ReplaceAll(block(maxRun+1), "new 5", "new  5"), "2|line 2\n3|line 3\n4|line 4\n5|new 1\n6|new 2\n7|new 3\n8|new 4\n9|new 5\n10|new 6\n11|new 7\n12|line 5\n13|line 6\n14|line 7\n"},
	} {
		got := "\n" + New(before, numbered(9, map[int]string{4: "line 4\n" + tc.added})).Regions(tc.given)
		if plain := strings.NewReplacer("\n ", "\n"); !strings.HasSuffix(plain.Replace(got), plain.Replace("\n"+tc.want)) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// DescribeNearest shows the closest lines with their numbers, and the position of the first difference.
func TestNear(t *testing.T) {
	t.Parallel()
	text := "func one() {\n\treturn alpha\n}\nfunc two() {\n\treturn beta\n}\n"
	for wanted, want := range map[string]string{
		"func two() {\n\treturn bete\n}\n":                 "4|func two() {\n5|\treturn beta\n6|}\n…\n1|func one() {\n2|\treturn alpha\n3|}\nLine 5 differs: the file has \"\\treturn beta\", Q has \"\\treturn bete\"",
		"  return beta\n":                                  "5|\treturn beta\n…\n2|\treturn alpha\nLine 5 differs in indentation:",
		"\treturn beta  \n":                                "5|\treturn beta\n…\n2|\treturn alpha\nLine 5 differs in whitespace at its end:",
		"\treturn  beta\n":                                 "Line 5 differs in whitespace only:",
		"func two() {\n\treturn beta\n}\nmore\n":           "The file ends at line 6, but Q continues",
		"\treturn beta\n}":                                 "The lines differ only in their line ends",
		"nothing of the kind":                              "",
		strings.Repeat("a long line of another kind\n", 3): "",
	} {
		got := DescribeNearest(lines.Split(text), lines.Split(wanted), "Q")
		if want == "" && got != "" || want != "" && (!strings.HasPrefix(got, "The closest lines, as NUMBER|TEXT:\n") || !strings.Contains(got, want)) {
			t.Errorf("%q: %q", wanted, got)
		}
	}
	if Closest(nil, []string{"a"}) != nil || Closest([]string{"a"}, nil) != nil {
		t.Error("something is close to nothing")
	}
}

// If lines were only removed, the next line that is not blank is shown on each side.
func TestRegionsOfADeletion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"a\nb\n\ngone\n\nc\nd\n", "a\nb\n\n\nc\nd\n", "2|b\n3|\n4|\n5|c\n"},
		{"a\nb\ngone\nc\nd\n", "a\nb\nc\nd\n", "2|b\n3|c\n"},
		{"a\n\n\n\ngone\n", "a\n\n\n\n", "2|\n3|\n4|\n"},
		{"gone\n", "", ""},
	} {
		if got := New(c.before, c.after).Regions(""); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
