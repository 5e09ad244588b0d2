package tempdir

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"agent/internal/testing/require"
)

// The next run removes the temporary folder of a killed run. Folders in use, recent folders and
// foreign folders stay.
func TestTemporaryFoldersLeftBehindAreRemoved(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	later := time.Now().Add(time.Hour)
	held := New(parent, time.Now())
	if entries, _ := os.ReadDir(parent); len(entries) != 0 {
		t.Errorf("made before it is needed: %v", entries)
	}
	for range 2 {
		if err := held.Make(); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(parent, "agent-left")
	unlocked := filepath.Join(parent, Prefix+"ABCDEFGHIJKL")
	if err := os.Mkdir(unlocked, 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(parent, "agent-of-somebody")
	for _, file := range []string{left + "/" + inUse, left + "/spool", foreign + "/f"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_ = New(parent, time.Now())
	if _, err := os.Lstat(left); err != nil {
		t.Error("a young folder was removed")
	}
	_ = New(parent, later)
	for path, stays := range map[string]bool{held.path: true, foreign: true, left: false, unlocked: false} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s is there: %v, want %v", path, err == nil, stays)
		}
	}
	if err := held.Remove(); err != nil {
		t.Error(err)
	}
	if err := held.Make(); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("left are %v", entries)
	}
}

// Read-only folders that a command made are removed too. Targets of links in them stay unchanged.
func TestFoldersThatCannotBeEmptied(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	outside := filepath.Join(parent, "outside")
	dir := New(parent, time.Now()).Sibling()
	if err := dir.Make(); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{outside, dir.Path() + "/mod/cache/v1"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	require.TryLink(t, outside, dir.Path()+"/mod/link")
	for _, folder := range []string{outside, dir.Path() + "/mod/cache/v1", dir.Path() + "/mod/cache", dir.Path() + "/mod"} {
		if err := os.Chmod(folder, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	unlock(dir.Path(), "mod")
	for folder, want := range map[string]os.FileMode{outside: 0o500, dir.Path() + "/mod/cache/v1": 0o700} {
		if info, err := os.Stat(folder); err != nil || require.Unix && info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", folder, info, err)
		}
	}
	if err := dir.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir.Path()); err == nil {
		t.Error("it is left")
	}
}
