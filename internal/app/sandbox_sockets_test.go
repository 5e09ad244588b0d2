package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"agent/internal/base/fsutil"
)

// No confined command can reach the sockets of sessions. Their folders are hidden, and exist before
// any command runs.
func TestSocketsOfSessionsAreHidden(t *testing.T) {
	t.Parallel()
	home, runtime := t.TempDir(), t.TempDir()
	p := &Process{Environ: []string{"XDG_RUNTIME_DIR=" + runtime}, Home: home, Dir: home, Now: time.Now}
	s, err := p.Settings(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Folders()
	if err != nil {
		t.Fatal(err)
	}
	hidden := p.ownFiles(f, s)
	for _, folder := range []string{filepath.Join(runtime, "agent"), filepath.Join(f.State, "sockets")} {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", folder, err)
		}
		if !slices.Contains(hidden, fsutil.ResolveLinks(folder)) {
			t.Errorf("%s is not hidden: %q", folder, hidden)
		}
	}
}
