package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/base/fsutil"
	"agent/internal/testing/fifo"
	"agent/internal/testing/require"
)

// newWorkspace returns a workspace with these files.
func newWorkspace(t testing.TB, files map[string]string) *Workspace {
	t.Helper()
	w, err := New(t.TempDir(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		full := filepath.Join(w.Root(), name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// link creates a symbolic link in a workspace.
func link(t testing.TB, w *Workspace, target, name string) {
	t.Helper()
	require.Link(t, target, filepath.Join(w.Root(), name))
}

func TestResolveStaysInside(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a.go": "", "dir/b.go": ""})
	link(t, w, "dir", "relative")
	link(t, w, filepath.Join(w.Root(), "dir"), "absolute")
	link(t, w, "../dir/new", "dir/dangling")
	link(t, w, w.TempDir(), "temp")
	for path, want := range map[string]string{
		"a.go":                              "a.go",
		"./dir/../a.go":                     "a.go",
		"none/of/these/exist":               "none/of/these/exist",
		"none/../a.go":                      "a.go",
		".":                                 ".",
		w.Root():                            ".",
		filepath.Join(w.Root(), "dir/b.go"): "dir/b.go",
		"relative/b.go":                     "dir/b.go",
		"absolute/b.go":                     "dir/b.go",
		"absolute/new/file":                 "dir/new/file",
		"dir/dangling":                      "dir/new",
		"..data":                            "..data",
		"temp/out":                          filepath.Join(w.TempDir(), "out"),
		filepath.Join(w.TempDir(), "spool"): filepath.Join(w.TempDir(), "spool"),
	} {
		abs, err := w.Resolve(path)
		if err != nil || w.Rel(abs) != want {
			t.Errorf("Resolve(%q) leads to %q, %v; want %q", path, w.Rel(abs), err, want)
		}
	}
}

func TestResolveRefusesPathsOutside(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"dir/b.go": ""})
	outside := t.TempDir()
	link(t, w, outside, "out")
	link(t, w, "../..", "dir/up")
	link(t, w, filepath.Join(outside, "missing"), "dangling")
	link(t, w, "dangling", "chain")
	for _, path := range []string{
		"..", "../x", "/", "/etc/passwd", "dir/../../x", w.Root() + "-sibling/x",
		"out", "out/x", "out/new/x", "dir/up/x", "dangling", "dangling/x", "chain",
	} {
		_, err := w.Resolve(path)
		var refusal *OutsideError
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), w.Root()) {
			t.Errorf("Resolve(%q): %v, want an *OutsideError", path, err)
		}
	}
}

func TestResolveRefusesInvalidPaths(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"file": ""})
	paths := []string{"", "a\x00b", "file/below", strings.Repeat("x", 300)}
	if require.TryLink(t, "loop2", filepath.Join(w.Root(), "loop1")) {
		link(t, w, "loop1", "loop2")
		paths = append(paths, "loop1")
	}
	for _, path := range paths {
		if abs, err := w.Resolve(path); err == nil {
			t.Errorf("Resolve(%q) gave %s", path, abs)
		}
	}
}

func TestNewRefusesFilesAndMissingFolders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{file, ""}, {file + "-missing", ""}, {t.TempDir(), file}} {
		if _, err := New(c[0], c[1]); err == nil {
			t.Errorf("New(%q) gave no error", c)
		}
	}
}

// A link that is created between the check of a path and its use is not followed out of the
// workspace.
func TestLinkMadeAfterTheCheckLeadsNowhere(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	abs, err := w.Resolve("dir/victim")
	if err != nil {
		t.Fatal(err)
	}
	link(t, w, outside, "dir")
	if f, err := w.Open(abs); err == nil {
		f.Close()
		t.Error("the file outside was opened")
	}
	if err := w.Replace(abs, nil, []byte("ours")); err == nil {
		t.Error("the file outside was written")
	}
	if got := content(t, victim); got != "theirs" {
		t.Errorf("the file outside holds %q", got)
	}
}

// Such a link is not followed within the workspace either, because it could lead to a protected
// file. Only the approved path counts.
func TestLinkMadeAfterTheCheckLeadsNowhereInsideEither(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"docs", "docs/below", "docs/below/f"} {
		w := newWorkspace(t, map[string]string{"docs/below/f": "f", "kept/below/f": "theirs"})
		abs, err := w.Resolve("docs/below/f")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(w.Root(), way)); err != nil {
			t.Fatal(err)
		}
		link(t, w, filepath.Join(w.Root(), strings.Replace(way, "docs", "kept", 1)), way)
		if f, err := w.Open(abs); !errors.Is(err, fsutil.ErrLink) {
			t.Errorf("%s: opened %v, %v", way, f, err)
		}
		tree, _, err := w.Tree(w.Root())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tree.ReadFile("docs/below/f", 100, nil); !errors.Is(err, fsutil.ErrLink) {
			t.Errorf("%s: read %q, %v", way, got, err)
		}
		tree.Close()
		if way == "docs/below/f" {
			continue // replacing and removing a link does not change its target
		}
		for what, err := range map[string]error{
			"replaced": w.Replace(abs, []byte("theirs"), []byte("ours")),
			"made":     w.Replace(filepath.Join(filepath.Dir(abs), "new"), nil, []byte("ours")),
			"linked":   w.Link(filepath.Join(filepath.Dir(abs), "link"), "x"),
			"removed":  w.Remove(abs, func(*os.File) bool { return true }),
		} {
			if err == nil {
				t.Errorf("%s: it was %s behind a link", way, what)
			}
		}
		if entries, _ := os.ReadDir(filepath.Join(w.Root(), "kept/below")); len(entries) != 1 || content(t, filepath.Join(w.Root(), "kept/below/f")) != "theirs" {
			t.Errorf("%s: the folder behind the link holds %v", way, entries)
		}
	}
}

func TestOpenDoesNotWaitForPipes(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	pipe := filepath.Join(w.Root(), "pipe")
	if err := fifo.Make(t, pipe); err != nil {
		t.Fatal(err)
	}
	if f, err := w.Open(pipe); err == nil {
		f.Close()
		t.Error("a pipe was opened")
	}
	if _, err := w.Open(filepath.Join(w.Root(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"a", "../a", "in/../../a", "out/x", "/etc", "./in/./b", "up/up/up", "in\x00"} {
		f.Add(seed)
	}
	w := newWorkspace(f, map[string]string{"in/b": ""})
	outside := f.TempDir()
	link(f, w, outside, "out")
	link(f, w, "..", "in/up")
	link(f, w, "../../..", "in/far")
	f.Fuzz(func(t *testing.T, path string) {
		abs, err := w.Resolve(path)
		if err != nil {
			return
		}
		if !fsutil.Within(abs, w.Root()) && !fsutil.Within(abs, w.TempDir()) {
			t.Fatalf("Resolve(%q) leads to %s", path, abs)
		}
		// An existing path must be the same file that the system resolves, without links.
		if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
			t.Fatalf("Resolve(%q) gave %s, which still leads to %s", path, abs, real)
		}
	})
}
