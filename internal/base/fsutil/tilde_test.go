package fsutil

import (
	"path/filepath"
	"testing"
)

func TestTilde(t *testing.T) {
	t.Parallel()
	home := filepath.FromSlash("/home/u")
	for path, want := range map[string]string{"/home/u": "~", "/home/u/a/b": "~/a/b", "/home/us": "/home/us", "/srv": "/srv"} {
		got := Tilde(filepath.FromSlash(path), home)
		if filepath.ToSlash(got) != want {
			t.Errorf("Tilde(%q) = %q, want %q", path, got, want)
		}
	}
	if got := Tilde("/srv", ""); got != "/srv" {
		t.Errorf("without a home: %q", got)
	}
}
