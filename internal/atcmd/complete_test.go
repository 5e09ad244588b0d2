package atcmd

import (
	"os"
	"path/filepath"
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
		start, typed, ok := Unfinished(tt.text)
		if ok != tt.ok || ok && (start != tt.start || typed != tt.typed) {
			t.Errorf("%q: %d, %q, %v", tt.text, start, typed, ok)
		}
	}
}

// completionWorkspace is a folder with the named empty files.
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

func TestCompleter(t *testing.T) {
	t.Parallel()
	root := completionWorkspace(t, "main.go", "internal/tui/model.go", "internal/tui/main_test.go", "with space.md", "noise.log", ".gitignore", ".git/HEAD")
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte("*.log\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(1_000_000, 0)
	c := NewCompleter(root, func() time.Time { return clock })
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
		got := c.Complete(t.Context(), tt.typed)
		if diff := cmp.Diff(tt.want, got); diff != "" && len(tt.want)+len(got) > 0 {
			t.Errorf("%q (-want +got):\n%s", tt.typed, diff)
		}
	}

	if err := os.WriteFile(filepath.Join(root, "later.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.Complete(t.Context(), "later"); len(got) > 0 {
		t.Errorf("the workspace was listed again at once: %v", got)
	}
	clock = clock.Add(completionsAge)
	if got := c.Complete(t.Context(), "later"); len(got) != 1 {
		t.Errorf("a new file is not proposed: %v", got)
	}
}

// What is proposed names what it says when the message is sent.
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
