package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A text that is too long for a message is refused completely.
func TestALongDraftIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prompt.md")
	for _, tt := range []struct {
		size int
		fits bool
	}{{outputBytes, true}, {outputBytes + 1, false}} {
		if err := os.WriteFile(path, []byte(strings.Repeat("x", tt.size)), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := readDraft(path)
		if (err == nil) != tt.fits || tt.fits && len(text) != tt.size || !tt.fits && text != "" {
			t.Errorf("%d bytes: %d were read, %v", tt.size, len(text), err)
		}
	}
}
