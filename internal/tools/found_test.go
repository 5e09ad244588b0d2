package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The output of commands and searches is limited to few tokens. The rest is available in a file or
// on a next page. The content of a file has a higher limit.
func TestFoundIsShort(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	env.Seen = NewSeenFiles()
	env.Limits.OutputTokens, env.Limits.FoundTokens = 4000, 500
	lines := numberedLines(1, 1000) // about 2,000 tokens
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(env.Workspace.Root(), name), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, short := range map[string]bool{
		"seq 3000":                      true,
		"cat a.txt; echo and more":      true,
		"cat a.txt b.txt > c; cat c":    true,
		"cat a.txt":                     false,
		"cd . && sed -n '1,900p' a.txt": false,
		"cat a.txt | head -n 900":       false,
		"tail -n 900 a.txt":             false,
	} {
		answer := command(t, env, line)
		if (len(answer.Text) <= 500*bytesPerToken) != short || (answer.Spool != "") != short {
			t.Errorf("%s: %d bytes, kept in %q", line, len(answer.Text), answer.Spool)
		}
		if short && !strings.Contains(answer.Text, answer.Spool) {
			t.Errorf("%s does not say where the rest is", line)
		}
	}
	// The content of a file may be longer, but not as long as for read_file. A cut result always
	// names a way to read the rest.
	env.Limits.OutputTokens = 16_000
	for count, short := range map[int]bool{1600: false, 1700: true, 1900: true, 20_000: true} {
		lines := numberedLines(1, count)
		if err := os.WriteFile(filepath.Join(env.Workspace.Root(), "long.txt"), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		answer := command(t, env, "cat long.txt")
		if shown := len(answer.ModelText()); shown > shownTokens*bytesPerToken || (answer.Text == lines) == short || strings.Contains(answer.Text, "left out here; the whole output is in "+answer.Spool) != short {
			t.Errorf("a file of %d bytes is shown with %d: %.100q", len(lines), shown, answer.Text)
		}
	}
	// The model can request more results.
	for most, short := range map[int]bool{0: true, 300: false} {
		found := call(t, env, searchFileContent(), params{"pattern": "[0-9]", "path": "a.txt", "max_results": most})
		if len(found.Text) <= 500*bytesPerToken != short || !strings.Contains(found.Text, "continue with offset") {
			t.Errorf("a search for %d results answers %d bytes", most, len(found.Text))
		}
	}
	if whole := call(t, env, readFile(), params{"file_path": "a.txt"}); len(whole.Text) != len(lines) {
		t.Errorf("a file of %d bytes is read as %d", len(lines), len(whole.Text))
	}
}
