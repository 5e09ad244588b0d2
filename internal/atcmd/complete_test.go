package atcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestUnfinished(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		start int
		typed string
		ok    bool
	}{
		{"@", 0, "", true},
		{"look at @src/ma", 8, "src/ma", true},
		{"@a.go and @b", 10, "b", true},
		{"请看@主", len("请看"), "主", true},
		{`@"with sp`, 0, "with sp", true},
		{`@with\ sp`, 0, "with sp", true},
		{"nothing here", 0, "", false},
		{"@a.go is done", 0, "", false},
		{`@"with space" `, 0, "", false},
		{"mail a@b", 0, "", false},
		{`\@a`, 0, "", false},
	} {
		start, typed, ok := FindIncomplete(tt.text)
		if ok != tt.ok || ok && (start != tt.start || typed != tt.typed) {
			t.Errorf("%q: %d, %q, %v", tt.text, start, typed, ok)
		}
	}
}

// completionWorkspace returns a folder with the named empty files.
func completionWorkspace(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// insertedTexts returns the texts that the proposals insert.
func insertedTexts(proposals []Mention, _ bool) (all []string) {
	for _, m := range proposals {
		all = append(all, m.Text)
	}
	return all
}

// Each proposal has a kind.
func TestCompleterKinds(t *testing.T) {
	t.Parallel()
	c := NewCompleter(t.Context(), completionWorkspace(t, "shot.PNG", "shop.go", "shops/a.go"), time.Now)
	c.Others = func() []string { return []string{"shore:file:///x", "other:x"} }
	c.Complete("")
	c.WaitListed(t.Context())
	got, _ := c.Complete("sho")
	want := []Mention{{`@"shore:file:///x"`, "resource"}, {"@shot.PNG", "image"}, {"@shops/", "folder"}, {"@shops/a.go", "file"}, {"@shop.go", "file"}}
	byText := func(a, b Mention) int { return strings.Compare(a.Text, b.Text) }
	if got[0] != want[0] {
		t.Errorf("first is %v", got[0])
	}
	slices.SortFunc(got, byText)
	slices.SortFunc(want, byText)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompleter(t *testing.T) {
	t.Parallel()
	root := completionWorkspace(t, "main.go", "internal/tui/model.go", "internal/tui/main_test.go", "with space.md", "noise.log", ".gitignore", ".git/HEAD")
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte("*.log\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(1_000_000, 0)
	c := NewCompleter(t.Context(), root, func() time.Time { return clock })
	c.Complete("")
	c.WaitListed(t.Context())
	for _, tt := range []struct {
		typed string
		want  []string
	}{
		{"", []string{"@.gitignore", "@internal/", "@main.go", `@"with space.md"`}},
		{"ma", []string{"@main.go", "@internal/tui/main_test.go"}},
		{"internal/", []string{"@internal/tui/"}},
		{"model", []string{"@internal/tui/model.go"}},
		{"wi", []string{`@"with space.md"`}},
		{"noise", nil},
	} {
		got := insertedTexts(c.Complete(tt.typed))
		if diff := cmp.Diff(tt.want, got); diff != "" && len(tt.want)+len(got) > 0 {
			t.Errorf("%q (-want +got):\n%s", tt.typed, diff)
		}
	}

	if err := os.WriteFile(filepath.Join(root, "later.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := c.Complete("later"); len(got) > 0 {
		t.Errorf("the workspace was listed again at once: %v", got)
	}
	clock = clock.Add(completionsAge)
	c.Complete("later")
	c.WaitListed(t.Context())
	if got, whole := c.Complete("later"); len(got) != 1 || !whole {
		t.Errorf("a new file is not proposed: %v", got)
	}
}

// Among equal matches, files of earlier messages come first, then recently changed files.
func TestCompleterRanksByRecency(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("src/file%02d.go", i))
	}
	root, now := completionWorkspace(t, names...), time.Now()
	for i, name := range names {
		age := 48 * time.Hour
		switch i {
		case 7:
			age = 2 * time.Hour
		case 9:
			age = time.Hour
		}
		if err := os.Chtimes(filepath.Join(root, name), now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	c := NewCompleter(t.Context(), root, func() time.Time { return now })
	c.MarkUsed("src/file30.go")
	c.MarkUsed("src/file20.go")
	c.MarkUsed("src/file30.go")
	for typed, want := range map[string][]string{
		"":     {"@src/file30.go", "@src/file20.go", "@src/file09.go", "@src/file07.go", "@src/"},
		"file": {"@src/file30.go", "@src/file20.go", "@src/file09.go", "@src/file07.go", "@src/file00.go"},
	} {
		c.Complete(typed)
		c.WaitListed(t.Context())
		got := insertedTexts(c.Complete(typed))
		if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
	}
	for _, name := range names { // a fresh copy, where no file is older than another
		if err := os.Chtimes(filepath.Join(root, name), now, now); err != nil {
			t.Fatal(err)
		}
	}
	fresh := NewCompleter(t.Context(), root, func() time.Time { return now })
	fresh.Complete("")
	fresh.WaitListed(t.Context())
	if got, _ := fresh.Complete(""); len(got) != 1 {
		t.Errorf("a fresh copy proposes %v", got)
	}
}

// While a large workspace is being listed, the entries of the typed folder are proposed at once.
func TestCompleterAnswersAtOnce(t *testing.T) {
	t.Parallel()
	root := completionWorkspace(t, "main.go", "src/a.go", "src/deep/b.go", ".git/HEAD")
	for typed, want := range map[string][]string{"": {"@main.go", "@src/"}, "src/": {"@src/a.go", "@src/deep/"}, "src/b": nil, "../": nil} {
		c := NewCompleter(t.Context(), root, time.Now)
		c.made = make(chan struct{}) // a listing that never ends
		found, whole := c.Complete(typed)
		got := insertedTexts(found, whole)
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 || whole {
			t.Errorf("%q: whole = %v (-want +got):\n%s", typed, whole, diff)
		}
	}
}

// BenchmarkCompleter measures the first @ in a workspace of 50 000 files, and an @ after the
// workspace was listed.
func BenchmarkCompleter(b *testing.B) {
	root := b.TempDir()
	for i := range 50_000 {
		name := filepath.Join(root, fmt.Sprintf("pkg%03d/sub%d/file%d.go", i%500, i%7, i))
		if i < 3500 {
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			c := NewCompleter(b.Context(), root, time.Now)
			if found, _ := c.Complete(""); len(found) == 0 {
				b.Fatal("nothing is proposed")
			}
			b.StopTimer()
			c.WaitListed(b.Context())
			b.StartTimer()
		}
	})
	c := NewCompleter(b.Context(), root, time.Now)
	c.Complete("")
	c.WaitListed(b.Context())
	for _, typed := range []string{"", "file49", "pkg1", "qqqx"} {
		b.Run("listed "+typed, func(b *testing.B) {
			for b.Loop() {
				if found, _ := c.Complete(typed); len(found) == 0 && typed != "qqqx" {
					b.Fatal("nothing is proposed")
				}
			}
		})
	}
}

// An inserted proposal names the same file when the message is sent.
func TestCompletionsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z "'\\,;()主#\[\]]{1,12}`).Draw(t, "name")
		if strings.TrimSpace(name) == "" {
			t.Skip("nobody names a file so")
		}
		found := parse("see @"+quoteIfNeeded(name)+" please", nil, listed{name})
		if len(found) != 1 || found[0].path != name {
			t.Fatalf("%q is proposed as %q and read as %v", name, quoteIfNeeded(name), found)
		}
	})
}
