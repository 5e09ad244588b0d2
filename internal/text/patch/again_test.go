package patch

import (
	"strings"
	"testing"
)

// A chunk may repeat the anchor of the previous chunk, for two positions in one function. If the
// lines could also be above the cursor, or the anchor has several lines, Apply does not guess.
func TestAnchorAgain(t *testing.T) {
	t.Parallel()
	const file = "func a() {\n\tx\n\tone\n\tx\n\ttwo\n}\n\nfunc b() {\n\ttwo\n}\n"
	for _, c := range []struct {
		name, file, chunks, want string
		class                    ErrorClass
	}{
		{"two places", file, "@@ func a() {\n-\tone\n+\t1\n@@ func a() {\n-\ttwo\n+\t2\n", strings.Replace(strings.Replace(file, "one", "1", 1), "two", "2", 1), ""},
		{"context shared with the chunk before", file, "@@ func a() {\n-\tone\n+\t1\n \tx\n@@ func a() {\n \tx\n-\ttwo\n+\t2\n", strings.Replace(strings.Replace(file, "one", "1", 1), "two", "2", 1), ""},
		{"also above", file, "@@ func a() {\n-\tone\n+\t1\n@@ func a() {\n-\tx\n+\ty\n", "", NoAnchor},
		{"without old lines", file, "@@ func a() {\n-\tone\n+\t1\n@@ func a() {\n+\ty\n", "", NoAnchor},
		{"several such lines", strings.Replace(file, "\tx\n\tone", "func a() {\n\tone", 1), "@@ func a() {\n-\tone\n+\t1\n@@ func a() {\n-\ttwo\n+\t2\n", "", NoAnchor},
	} {
		after, _, err := tree{"f": c.file}.patched("*** Begin Patch\n*** Update File: f\n" + c.chunks + "*** End Patch\n")
		if c.class != "" {
			if failed, ok := err.(*Error); !ok || failed.Class != c.class {
				t.Errorf("%s: %v, %v; want %s", c.name, after, err, c.class)
			}
			continue
		}
		if err != nil || after["f"] != c.want {
			t.Errorf("%s: %q, %v", c.name, after["f"], err)
		}
	}
}

// An anchor may be a part of one line, such as a declaration without its parameters. If several
// lines match, none is guessed, and the message lists them.
func TestAnchorIsAPartOfALine(t *testing.T) {
	t.Parallel()
	const file = "func walk(a int) {\n\tone\n}\n\nfunc walkAll() {\n\tone\n}\n\nfunc last(b int) {\n\tone\n}\n"
	for anchor, want := range map[string]string{
		"func last(":     strings.Replace(file, "func last(b int) {\n\tone", "func last(b int) {\n\ttwo", 1),
		"func walkAll":   strings.Replace(file, "func walkAll() {\n\tone", "func walkAll() {\n\ttwo", 1),
		"func walk(a":    strings.Replace(file, "one", "two", 1),
		"func walk":      "Nearest: 1|func walk(a int) {, 5|func walkAll() {",
		"func missing()": "no line in the file is",
	} {
		after, _, err := tree{"f": file}.patched("*** Begin Patch\n*** Update File: f\n@@ " + anchor + "\n-\tone\n+\ttwo\n*** End Patch\n")
		if err == nil && after["f"] != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", anchor, after["f"], err)
		}
	}
}
