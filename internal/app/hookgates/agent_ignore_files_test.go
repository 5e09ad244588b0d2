package hookgates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/extend/setup/trustedfile"
)

// Other agents can't read files that an ignore file names. If an ignore file is too long, only its
// beginning counts, and a notice reports it.
func TestIgnored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		unread     int
	}{
		{"plain", "secret.txt\n", 0},
		{"with a byte order mark", "\uFEFFsecret.txt\n", 0},
		{"too long", "secret.txt\n" + strings.Repeat("#", trustedfile.MaxSettings), 1},
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, ".agentignore"), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		why, unread := findIgnored(root)
		if got := why(filepath.Join(root, "secret.txt")); got != ".agentignore hides it from coding agents" || why(filepath.Join(root, "a.go")) != "" {
			t.Errorf("%s: %q", tt.name, got)
		}
		if len(unread) != tt.unread {
			t.Errorf("%s: %q", tt.name, unread)
		}
	}
}
