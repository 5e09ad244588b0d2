package fsutil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/testing/require"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	name := "a[b].json"
	if require.Unix {
		name = "a[b]*.json"
	}
	path := filepath.Join(folder, name)
	for _, content := range []string{"one", "", strings.Repeat("long", 1<<16)} {
		if err := Replace(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := content; read(t, path) != got {
			t.Fatalf("the file does not hold what was written")
		}
	}
	info, err := os.Stat(path)
	if err != nil || require.Unix && info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	wantNames(t, folder, name)
}

func TestReplaceKeepsALink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	must(t, os.WriteFile(target, []byte("old"), 0o600))
	require.Link(t, "target", link)
	must(t, Replace(link, []byte("new"), 0o600))
	if read(t, target) != "new" {
		t.Error("the file that the link leads to was not replaced")
	}
	if to, err := os.Readlink(link); err != nil || to != "target" {
		t.Errorf("the link became %q, %v", to, err)
	}
}

func TestReplaceThatFailsLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "full")
	must(t, os.MkdirAll(filepath.Join(path, "below"), 0o700))
	if err := Replace(path, []byte("new"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := Replace(filepath.Join(folder, "missing", "file"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing folder: %v", err)
	}
	wantNames(t, folder, "full")
}

func TestReplaceSweepsFilesOfKilledWriters(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{".f.AAAAAAAA.tmp", ".f.BBBBBBBB.tmp", ".g.AAAAAAAA.tmp", "f.AAAAAAAA.tmp"} {
		must(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{".f.AAAAAAAA.tmp", ".g.AAAAAAAA.tmp", "f.AAAAAAAA.tmp"} {
		must(t, os.Chtimes(filepath.Join(folder, name), old, old))
	}
	must(t, Replace(filepath.Join(folder, "f"), []byte("x"), 0o600))
	// The temporary files of active writers and of other files stay.
	wantNames(t, folder, ".f.BBBBBBBB.tmp", ".g.AAAAAAAA.tmp", "f", "f.AAAAAAAA.tmp")
}

// With concurrent readers and writers, every read returns a complete file.
func TestReplaceIsAtomic(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	whole := func(i int) string { return strings.Repeat(fmt.Sprint(i), 10_000) }
	must(t, Replace(path, []byte(whole(0)), 0o600))
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for range 5 {
				if err := Replace(path, []byte(whole(i)), 0o600); err != nil {
					t.Error(err)
				}
				data, err := Read(path)
				if err != nil || len(data) != 10_000 || strings.Trim(string(data), string(data[:1])) != "" {
					t.Errorf("read %d bytes, %v", len(data), err)
				}
			}
		})
	}
	group.Wait()
}

func TestCreateNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	must(t, CreateNew(path, []byte("mine"), 0o600))
	if err := CreateNew(path, []byte("yours"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an existing file: %v", err)
	}
	if read(t, path) != "mine" {
		t.Error("an existing file was changed")
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	_, missing := os.Open("/no/such")
	link := os.Link("/no/such", "/no/other")
	for _, err := range []error{missing, fmt.Errorf("reading: %w", missing), link, os.NewSyscallError("open", fs.ErrNotExist)} {
		got := Reason(err)
		if !errors.Is(got, fs.ErrNotExist) || strings.Contains(got.Error(), "/no/") || strings.Contains(got.Error(), "open") {
			t.Errorf("Reason(%v) = %v", err, got)
		}
	}
	other := errors.New("other")
	if got := Reason(other); got != other {
		t.Errorf("Reason(other) = %v", got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantNames(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

// If the caller holds the lock of all writers, files of killed writers are removed at once.
func TestLockedSweepsAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	left := filepath.Join(folder, ".f.AAAAAAAA.tmp")
	if err := os.WriteFile(left, []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	target := Target{Path: filepath.Join(folder, "f"), Mode: 0o600}
	if err := target.Replace([]byte("x")); err != nil {
		t.Fatal(err)
	}
	wantNames(t, folder, ".f.AAAAAAAA.tmp", "f")
	target.Locked = true
	if err := target.Replace([]byte("y")); err != nil {
		t.Fatal(err)
	}
	wantNames(t, folder, "f")
}

// No link leads a writer out of the root: in the last element or before it, with or without a
// target. Links within the root are followed.
func TestTargetStaysBelowItsRoot(t *testing.T) {
	t.Parallel()
	base := ResolveLinks(t.TempDir())
	root, outside := filepath.Join(base, "root"), filepath.Join(base, "outside")
	for _, folder := range []string{filepath.Join(root, "in"), outside} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(outside, "f"), filepath.Join(root, "in", "f")} {
		if err := os.WriteFile(file, []byte("old"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"absolute": filepath.Join(outside, "f"), "relative": "../outside/f", "folder": outside, "nowhere": "none", "away": "../outside/none",
		"inside": "in/f", "near": "in",
	} {
		require.Link(t, to, filepath.Join(root, name))
	}
	for path, follows := range map[string]bool{
		"absolute": false, "relative": false, "folder/f": false, "folder/new": false, "nowhere": false, "away": false, "../outside/f": false,
		"inside": true, "near/f": true, "near/new": true, "in/new": true, "f": true,
	} {
		target := Target{Path: filepath.Join(root, path), Root: root, Mode: 0o600}
		err := target.Replace([]byte("new"))
		if checked := target.Check(); (err == nil) != follows || (checked == nil) != follows {
			t.Errorf("%s: %v, %v", path, err, checked)
		}
		if data, _ := os.ReadFile(target.Path); follows && string(data) != "new" {
			t.Errorf("%s holds %q", path, data)
		}
	}
	wantNames(t, outside, "f")
	if info, err := os.Stat(filepath.Join(outside, "f")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if data, _ := os.ReadFile(filepath.Join(outside, "f")); string(data) != "old" {
		t.Errorf("outside is %q", data)
	}
}
