package fsutil

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// eachWay opens a folder as a Tree, with and without openat2.
func eachWay(t *testing.T, folder string, test func(t *testing.T, tree *Tree)) {
	t.Helper()
	for name, fast := range map[string]bool{"fast": true, "by os.Root": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, err := OpenTree(folder)
			if err != nil {
				t.Fatal(err)
			}
			if !fast {
				withoutOpenat2(tree)
			}
			t.Cleanup(func() {
				if err := tree.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, tree)
		})
	}
}

func withoutOpenat2(tree *Tree) {
	_ = tree.fast.close()
	tree.fast = -1
}

// looks are the operations that read a path. Each returns its result.
var looks = map[string]func(tree *Tree, path string) (string, error){
	"open": func(tree *Tree, path string) (string, error) {
		f, err := tree.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		content, err := io.ReadAll(f)
		return string(content), err
	},
	"read": func(tree *Tree, path string) (string, error) {
		content, err := tree.ReadFile(path, 100, nil)
		return string(content), err
	},
	"list": func(tree *Tree, path string) (string, error) {
		seen := ""
		err := tree.ReadFolder(filepath.Dir(path), func(name string, _ fs.FileMode) { seen += name })
		return seen, err
	},
	"look": func(tree *Tree, path string) (string, error) {
		info, err := tree.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return "", err
		}
		return string(make([]byte, info.Size())), nil
	},
	"root": func(tree *Tree, path string) (string, error) {
		root, err := tree.Root(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		defer root.Close()
		content, err := root.ReadFile(filepath.Base(path))
		return string(content), err
	},
}

func TestTreeReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "a/b"), 0o700), os.WriteFile(filepath.Join(dir, "a/b/f"), []byte("f"), 0o600),
		os.WriteFile(filepath.Join(dir, "large"), make([]byte, 101), 0o600), unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	eachWay(t, dir, func(t *testing.T, tree *Tree) {
		for name, look := range looks {
			if got, err := look(tree, "a/b/f"); len(got) != 1 || err != nil {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			if _, err := look(tree, "a/none/f"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s of what is not there: %v", name, err)
			}
			if got, err := look(tree, "../"+filepath.Base(dir)+"/a/b/f"); err == nil {
				t.Errorf("%s outside: %q", name, got)
			}
		}
		if _, err := tree.ReadFile("large", 100, nil); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a large file: %v", err)
		}
		for _, path := range []string{"pipe", "a"} {
			if _, err := tree.ReadFile(path, 100, nil); !errors.Is(err, ErrNoFile) {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
}

// Tree follows no link in any element of a path, whatever its target.
func TestTreeFollowsNoLink(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"a", "a/b", "a/b/f"} {
		dir := t.TempDir()
		for _, folder := range []string{"a/b", "z/b"} {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, folder), 0o700), os.WriteFile(filepath.Join(dir, folder, "f"), []byte("f"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		at := filepath.Join(dir, way)
		if err := errors.Join(os.RemoveAll(at), os.Symlink(filepath.Join(dir, "z"+way[1:]), at)); err != nil {
			t.Fatal(err)
		}
		eachWay(t, dir, func(t *testing.T, tree *Tree) {
			for name, look := range looks {
				got, err := look(tree, "a/b/f")
				if way == "a/b/f" && slices.Contains([]string{"list", "look", "root"}, name) {
					continue // these operations return the folder or the link itself, or behave like os.Root
				}
				if got != "" || !errors.Is(err, ErrLink) && !errors.Is(err, unix.ENOTDIR) {
					t.Errorf("%s behind %s: %q, %v", name, way, got, err)
				}
			}
		})
	}
}

// The same is true if the link appears and disappears.
func TestTreeFollowsNoLinkThatComesAndGoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for folder, name := range map[string]string{"a": "f", "z": "ff"} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, folder), 0o700), os.WriteFile(filepath.Join(dir, folder, name), []byte(name), 0o600), os.WriteFile(filepath.Join(dir, folder, "same"), []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("z", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, "a"), unix.AT_FDCWD, filepath.Join(dir, "link"), unix.RENAME_EXCHANGE)
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
	eachWay(t, dir, func(t *testing.T, tree *Tree) {
		seen := map[string]int{}
		const enough, patience = 500, 30 * time.Second
		begun := time.Now()
		for n := 0; n < enough || len(seen) < len(looks) && time.Since(begun) < patience; n++ {
			for name, look := range looks {
				got, err := look(tree, "a/same")
				if err == nil {
					seen[name]++
				}
				if got != "" && (name == "list" && len(got) != len("fsame") || name != "list" && len(got) != 1) {
					t.Fatalf("%s: %q", name, got)
				}
			}
		}
		for name := range looks {
			if seen[name] == 0 {
				t.Errorf("%s never saw the folder", name)
			}
		}
	})
}
