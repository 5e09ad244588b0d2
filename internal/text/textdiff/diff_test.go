package textdiff

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/text/lines"
)

func lineText(t *rapid.T, name string) string {
	drawn := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "d\n", "e\n"}), 0, 60).Draw(t, name)
	return strings.Join(drawn, "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, name+" end")
}

// patch applies a unified diff and checks every line of it.
func patch(before string, d Diff) (string, error) {
	old, out := lines.Split(before), ""
	at, number := 0, 1
	copyOld := func() {
		out += old[at]
		at++
		number++
	}
	for _, h := range d {
		for at < h.from-1 {
			copyOld()
		}
		if number != h.to {
			return "", fmt.Errorf("the hunk says line %d of the new text, it is %d", h.to, number)
		}
		for _, line := range h.lines {
			if line.op != '+' && (at >= len(old) || old[at] != line.text) {
				return "", fmt.Errorf("line %d of the old text is not %q", at+1, line.text)
			}
			switch line.op {
			case ' ':
				copyOld()
			case '-':
				at++
			case '+':
				out += line.text
				number++
			}
		}
	}
	for at < len(old) {
		copyOld()
	}
	return out, nil
}

func TestDiffLeadsFromOneTextToTheOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, after := lineText(t, "before"), lineText(t, "after")
		got, err := patch(before, New(before, after))
		if err != nil || got != after {
			t.Fatalf("from %q the diff leads to %q (%v), not to %q\n%s", before, got, err, after, New(before, after).Unified("a", "b"))
		}
	})
}

func TestGitAppliesDiffs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	numbered := func(n int, change func(i int) string) string {
		var out strings.Builder
		for i := range n {
			out.WriteString(change(i))
		}
		return out.String()
	}
	plain := func(i int) string { return fmt.Sprintf("line %d\n", i) }
	scattered := func(i int) string {
		if i%50 == 7 || i%50 == 11 {
			return "changed\n"
		}
		return plain(i)
	}
	for name, c := range map[string][2]string{
		"scattered":        {numbered(3000, plain), numbered(3000, scattered)},
		"no final newline": {"a\nb", "a\nc"},
		"newline added":    {"a\nb", "a\nb\n"},
		"newline removed":  {"a\nb\n", "a\nb"},
		"emptied":          {"a\n", ""},
		"appended":         {"a", "a\nb"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "f")
		if err := os.WriteFile(file, []byte(c[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "apply", "--unidiff-zero", "-p0", "-")
		cmd.Dir = dir
		cmd.Stdin = strings.NewReader(New(c[0], c[1]).Unified("f", "f"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: git: %s", name, out)
			continue
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != c[1] {
			t.Errorf("%s: git made %q, %v", name, got, err)
		}
	}
}

func TestDiffOfScatteredEditsShowsOnlyThem(t *testing.T) {
	t.Parallel()
	before := make([]string, 10_000)
	for i := range before {
		before[i] = fmt.Sprintf("line %d\n", i)
	}
	after := append([]string{}, before...)
	for i := 0; i < len(after); i += 100 {
		after[i] = "changed\n"
	}
	removed := 0
	for _, h := range New(strings.Join(before, ""), strings.Join(after, "")) {
		for _, line := range h.lines {
			if line.op == '-' {
				removed++
			}
		}
	}
	if removed != 100 {
		t.Errorf("100 changed lines became %d", removed)
	}
}

func BenchmarkDiffOfAnotherFile(b *testing.B) {
	var before, after strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&before, "old %d\n", i)
		fmt.Fprintf(&after, "new %d\n", i)
	}
	for b.Loop() {
		New(before.String(), after.String())
	}
}

// For a side without lines, the start is the line before, as in diff and patch.
func TestEmptySides(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{{"", "a\n", "@@ -0,0 +1,1 @@"}, {"a\n", "", "@@ -1,1 +0,0 @@"}, {"a\n", "b\n", "@@ -1,1 +1,1 @@"}} {
		if got := New(tt[0], tt[1]).Unified("", ""); !strings.Contains(got, tt[2]) {
			t.Errorf("%q to %q: %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
}
