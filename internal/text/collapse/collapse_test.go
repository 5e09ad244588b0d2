package collapse

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGroupsGiveBackTheLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, text, want string }{
		{"hits", "./a/b.go:4:  return 0\n./a/b.go:8:  return 1\n./a/c.go:1:x\n", "./a/b.go:\n4:  return 0\n8:  return 1\n./a/c.go:1:x\n"},
		{"lines near hits", "a/long.go-3-{\na/long.go:4:x\na/long.go-5-}\n--\nb", "a/long.go:\n3-{\n4:x\n5-}\n\n--\nb"},
		{"Windows", "C:\\src\\a.go:12:x\nC:\\src\\a.go:13:y\n", "C:\\src\\a.go:\n12:x\n13:y\n"},
		{"a name with blanks", "my docs/a b.md:1:x\nmy docs/a b.md:2:y\n", "my docs/a b.md:\n1:x\n2:y\n"},
		{"a name with a colon", "a/b:c.go:1:x\na/b:c.go:2:y\n", "a/b:c.go:\n1:x\n2:y\n"},
		{"interleaved", "a/long.go:1:x\nb/long.go:1:x\na/long.go:2:x\n", "a/long.go:1:x\nb/long.go:1:x\na/long.go:2:x\n"},
		{"without numbers", "a/long.go:x\na/long.go:y\n", "a/long.go:x\na/long.go:y\n"},
		{"times", "10:15:01 begun\n10:15:02 done\n", "10:15:01 begun\n10:15:02 done\n"},
		{"no end of line", "a/long.go:1:x\na/long.go:2:y", "a/long.go:\n1:x\n2:y"},
		{"listed files", "a/folder/x.go\na/folder/y.go\nend\n", "a/folder/:\nx.go\ny.go\n\nend\n"},
		{"listed, then a hit", "a/folder/x.go\na/folder/y.go\n4-a/b.go:1:x\n", "a/folder/:\nx.go\ny.go\n\n4-a/b.go:1:x\n"},
		{"a file like a line", "a/long.go:1:x\na/long.go:2:y\n4-a/b.go:1:x\n", "a/long.go:1:x\na/long.go:2:y\n4-a/b.go:1:x\n"},
		{"headings of its own", "a/long.go:\n1:x\nb/long.go:1:x\nb/long.go:2:x\n", "a/long.go:\n1:x\nb/long.go:1:x\nb/long.go:2:x\n"},
	} {
		got := group(c.text)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
		if back := Expand(got); got != c.text && back != c.text {
			t.Errorf("%s: gives back %q", c.id, back)
		}
	}
}

func lines(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format+"\n", i+1)
	}
	return out.String()
}

// words returns lines that all differ.
func words(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(strings.Repeat("word ", i%7+1) + string(rune('a'+i%26)) + "\n")
	}
	return out.String()
}

func TestOutput(t *testing.T) {
	t.Parallel()
	downloads := lines(80, "Downloading package %d of the eighty")
	const shorter = "Downloading package 1 of the eighty\n[… 78 lines like this]\nDownloading package 80 of the eighty\n"
	failure := "--- FAIL: TestX\n" + lines(40, "    got line %d which is wrong here")
	for _, c := range []struct {
		id, text, want string
		omitted        bool
	}{
		{"similar lines", downloads, shorter, true},
		{"hashes", strings.ReplaceAll(downloads, "package ", "package deadbeef"), strings.ReplaceAll(shorter, "package ", "package deadbeef"), true},
		{"passes", strings.Repeat("=== RUN TestA\n--- PASS: TestA (0.00s)\n", 60), "=== RUN TestA\n[… 118 lines like this]\n--- PASS: TestA (0.00s)\n", true},
		{"hits", strings.Repeat("internal/a/long/name.go:4:x\n", 80), "internal/a/long/name.go:\n" + strings.Repeat("4:x\n", 80), false},
		{"hits that hold errors", strings.Repeat("internal/a/long/name.go:4:return error\n", 80), "internal/a/long/name.go:\n" + strings.Repeat("4:return error\n", 80), false},
		{"a failure stays", downloads + failure, shorter + failure, true},
		{"only a failure", failure + failure, failure + failure, false},
		{"short", lines(4, "Downloading %d"), lines(4, "Downloading %d"), false},
		{"a table of numbers", lines(100, "a %d 4711 0815 3.14 2.71 1.41"), lines(100, "a %d 4711 0815 3.14 2.71 1.41"), false},
		{"a dump", lines(100, "%08x: 7f45 4c46 0201 0100 0000"), lines(100, "%08x: 7f45 4c46 0201 0100 0000"), false},
		{"JSON", "[\n" + downloads, "[\n" + downloads, false},
		{"NUL", "\x00" + downloads, "\x00" + downloads, false},
		{"no UTF-8", "\xff" + downloads, "\xff" + downloads, false},
		{"one long line", strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20), false},
		{"many lines", strings.Repeat("x\n", 1<<20), "x\n[… 1048574 lines like this]\nx\n", true},
		{"saves too little", downloads[:300] + words(200), downloads[:300] + words(200), false},
	} {
		got, omitted := ShortenOutput(c.text)
		if got != c.want || omitted != c.omitted {
			t.Errorf("%s: %.300q %v, want %.300q %v", c.id, got, omitted, c.want, c.omitted)
		}
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	hits := lines(300, "internal/a/long/name.go:%d:x")
	failed := "--- FAIL: TestX\n" + words(400)
	for _, c := range []struct {
		id, text  string
		has       []string
		cut, more bool // more is set if the result is longer than the cut plain text
	}{
		{"short", "x\n", []string{"x\n"}, false, false},
		{"fits once it is shorter", hits[:5000], []string{"name.go:\n1:x\n"}, false, true},
		{"only its ends", hits, []string{"name.go:\n1:x\n", "name.go:\n", "300:x\n"}, true, true},
		{"its end is a failure", failed, []string{"--- FAIL: TestX\n", words(400)[len(words(400))-500:]}, true, false},
	} {
		head, tail, _ := Fit(c.text, 1000)
		if len(head)+len(tail) > 1000 || (tail != "") != c.cut {
			t.Errorf("%s: %d and %d bytes", c.id, len(head), len(tail))
		}
		for _, want := range c.has {
			if !strings.Contains(head+tail, want) {
				t.Errorf("%s: %q and %q lack %q", c.id, head, tail, want)
			}
		}
		if more := len(Expand(head)+Expand(tail)) > 1000; more != c.more {
			t.Errorf("%s: %d bytes are shown", c.id, len(Expand(head)+Expand(tail)))
		}
		for _, part := range []string{head, tail} {
			if !strings.Contains(c.text, Expand(part)) {
				t.Errorf("%s: the text has no %q", c.id, Expand(part))
			}
		}
	}
}

// output draws the output of a command. It has few kinds of lines, so that they form groups and
// runs.
var output = rapid.Custom(func(t *rapid.T) string {
	line := rapid.OneOf(
		rapid.Map(rapid.IntRange(1, 99), func(n int) string { return fmt.Sprintf("a/long/path.go:%d:text", n) }),
		rapid.Map(rapid.IntRange(1, 99), func(n int) string { return fmt.Sprintf("a/long/path.go-%d-", n) }),
		rapid.Map(rapid.IntRange(1, 99), func(n int) string { return fmt.Sprintf("building package %d", n) }),
		rapid.SampledFrom([]string{"", "4:x", "a/b.go:", "a/folder/x.go", "a/folder/y.go", "b/folder/", "4-a/b:1:x", "--- PASS: TestA", "ok  \tpkg", "FAIL", "--", "[… 3 lines like this]", "é", "a/b\r"}),
		rapid.String(),
	)
	return strings.Join(rapid.SliceOfN(line, 0, 200).Draw(t, "lines"), "\n")
})

// Grouped lines can be restored. A run whose middle is omitted has the number of its lines, which
// are all alike.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := output.Draw(t, "text")
		if back := Expand(group(text)); back != text && group(text) != text {
			t.Fatalf("%q was grouped and gives back %q", text, back)
		}
		short, _ := repeats(text)
		left := strings.SplitAfter(text, "\n")
		for line := range strings.Lines(short) {
			var n int
			if len(left) > 0 && left[0] == line {
				left = left[1:]
				continue
			}
			if _, err := fmt.Sscanf(line, "[… %d lines like this]\n", &n); err != nil || n > len(left) {
				t.Fatalf("%q has no place for %q", text, line)
			}
			for _, gone := range left[1:n] {
				if likeness(gone) != likeness(left[0]) {
					t.Fatalf("%q is left out beside %q", gone, left[0])
				}
			}
			left = left[n:]
		}
		if rest := strings.Join(left, ""); rest != "" {
			t.Fatalf("%q lacks %q", short, rest)
		}
	})
}

// FuzzGroup searches for lines that grouping loses.
func FuzzGroup(f *testing.F) {
	f.Add("a/long.go:1:x\na/long.go:2:y\n")
	f.Add("a.b-1-\na.b-2-\n\n")
	f.Add("a/folder/x\na/folder/y\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got := group(text); got != text && Expand(got) != text {
			t.Errorf("%q gives back %q", got, Expand(got))
		}
	})
}
