package sensitive_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/protect/sensitive"
)

// newWorkspace creates a workspace with files.
func newWorkspace(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, files...)
	return root
}

func write(t *testing.T, root string, files ...string) {
	t.Helper()
	for _, name := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// comparePaths compares the found paths, relative to root, with the wanted paths.
func comparePaths(t *testing.T, what, root string, got []string, want ...string) {
	t.Helper()
	var below []string
	for _, path := range got {
		below = append(below, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root)+"/"))
	}
	if diff := cmp.Diff(want, below, cmpopts.SortSlices(strings.Compare), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// ScanBefore finds auto-executed files, secret files and repositories at any depth (D-60). It skips
// the folders of package managers.
func TestScanBefore_D60(t *testing.T) {
	t.Parallel()
	root := newWorkspace(t, "main.go", ".envrc", "a/b/.vscode/tasks.json", "a/.vscode/b/.envrc", "a/.github/workflows/x.yml", "a/.github/CODEOWNERS", "c/.VSCode/x", "node_modules/x/.vscode/x", "a/AGENTS.md",
		".git/HEAD", "sub/.git/HEAD", "linked/.git", "bare/HEAD", "bare/objects/x", "odd/HEAD", "odd/commondir", "no/HEAD",
		"a/.env", ".env.example", "k/id_rsa", "k/.ssh/x", ".venv/lib/ca.pem", "a/server.key", "a/id_rsa.pub")
	found := sensitive.New(root, sensitive.MaxFolders).ScanBefore()
	comparePaths(t, "runs later", root, found.RunLater, ".envrc", "a/b/.vscode", "a/.vscode", "c/.VSCode", "a/.github/workflows", "a/AGENTS.md", "linked/.git")
	comparePaths(t, "keys", root, found.KeyFiles, "a/.env", "k/id_rsa", "k/.ssh", "a/server.key")
	comparePaths(t, "repositories", root, found.Repositories, "sub/.git", "bare", "odd")
}

func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	root := newWorkspace(t, "a/b/x", "c/x")
	s := sensitive.New(root, sensitive.MaxFolders)
	comparePaths(t, "before", root, s.ScanBefore().RunLater)
	write(t, root, "a/b/.envrc", "new/deep/.vscode/x")
	comparePaths(t, "new", root, s.ScanAfter().RunLater, "a/b/.envrc", "new/deep/.vscode")
	if err := os.Rename(root+"/a", root+"/c/a"); err != nil {
		t.Fatal(err)
	}
	comparePaths(t, "moved", root, s.ScanBefore().RunLater, "c/a/b/.envrc", "new/deep/.vscode")
	// A restored modification time does not hide the change of a folder.
	info, err := os.Stat(root + "/c")
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "c/.envrc")
	if err := os.Chtimes(root+"/c", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	comparePaths(t, "hidden", root, s.ScanAfter().RunLater, "c/.envrc", "c/a/b/.envrc", "new/deep/.vscode")
}

// A folder is scanned again if it was scanned at the time of a change, because a second change at
// the same time has the same timestamp.
func TestSimultaneousChangesAreDetected(t *testing.T) {
	t.Parallel()
	root := newWorkspace(t, "a/x")
	s := sensitive.New(root, sensitive.MaxFolders)
	for i := range 100 {
		write(t, root, fmt.Sprint("a/", i))
		s.ScanDuring()
		write(t, root, "a/.envrc")
		comparePaths(t, fmt.Sprint(i), root, s.ScanDuring().RunLater, "a/.envrc")
		if err := os.Remove(root + "/a/.envrc"); err != nil {
			t.Fatal(err)
		}
	}
}

// The scan reports that it is incomplete if it reaches the limit of folders.
func TestMoreFoldersThanAreLookedInto(t *testing.T) {
	t.Parallel()
	root := newWorkspace(t, "a/b/c/.envrc")
	s := sensitive.New(root, 4)
	if found := s.ScanBefore(); found.Partial || s.IsPartial() || len(found.RunLater) != 1 {
		t.Errorf("%+v", found)
	}
	write(t, root, "0/x")
	if found := s.ScanAfter(); !found.Partial || !s.IsPartial() {
		t.Errorf("%+v", found)
	}
	if err := os.RemoveAll(root + "/0"); err != nil {
		t.Fatal(err)
	}
	if found := s.ScanAfter(); found.Partial || s.IsPartial() || len(found.RunLater) != 1 {
		t.Errorf("%+v", found)
	}
}

// A file that git tracked at the start, or that a command created, is not a secret file. A secret
// file stays secret wherever it is moved.
func TestWhoseKeys(t *testing.T) {
	t.Parallel()
	root := newWorkspace(t, "testdata/a.key", "b.key", "aa/testdata/a.key", "x/.env", "y/.env")
	for _, line := range []string{"git init -q", "git add testdata/a.key y/.env"} {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	s := sensitive.New(root, sensitive.MaxFolders)
	comparePaths(t, "at first", root, s.ScanBefore().KeyFiles, "b.key", "aa/testdata/a.key", "x/.env")
	write(t, root, "made.key")
	comparePaths(t, "meanwhile", root, s.ScanDuring().KeyFiles)
	comparePaths(t, "after a command", root, s.ScanAfter().KeyFiles, "b.key", "aa/testdata/a.key", "x/.env")
	write(t, root, "put.key")
	comparePaths(t, "put there between", root, s.ScanBefore().KeyFiles, "b.key", "aa/testdata/a.key", "x/.env", "put.key")

	for _, move := range [][2]string{{"y", "z"}, {"x", "y"}} {
		if err := os.Rename(filepath.Join(root, move[0]), filepath.Join(root, move[1])); err != nil {
			t.Fatal(err)
		}
	}
	comparePaths(t, "in the place of one that git knows", root, s.ScanAfter().KeyFiles, "b.key", "aa/testdata/a.key", "y/.env", "put.key")
	// Adding a file to git later does not change this.
	cmd := exec.Command("git", "add", "b.key")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	comparePaths(t, "added later", root, s.ScanBefore().KeyFiles, "b.key", "aa/testdata/a.key", "y/.env", "put.key")
}

func BenchmarkLookAgain(b *testing.B) {
	root := b.TempDir()
	for i := range 300 {
		if err := os.MkdirAll(filepath.Join(root, string(rune('a'+i%20)), string(rune('a'+i/20)), "x"), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	s := sensitive.New(root, sensitive.MaxFolders)
	for b.Loop() {
		s.ScanBefore()
	}
}

// A file that a command created becomes secret as soon as another program changes its content in
// any way, and stays secret (B3).
func TestKeysThatCommandsMadeAreKnownAgain(t *testing.T) {
	t.Parallel()
	put := func(content string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(content), 0o644) }
	}
	for what, c := range map[string]struct {
		file   string
		change func(path string) error
		secret bool
	}{
		"nothing":         {".env", func(string) error { return nil }, false},
		"touched":         {".env", func(path string) error { return os.Chtimes(path, time.Now(), time.Unix(1, 0)) }, false},
		"same size":       {".env", put("K"), true},
		"longer":          {".env", put("x\nKEY=secret"), true},
		"appended":        {"server.key", func(path string) error { return appendTo(path, "secret") }, true},
		"emptied":         {".env", put(""), true},
		"replaced":        {".env", func(path string) error { return errors.Join(os.Remove(path), put("K")(path)) }, true},
		"a link":          {".env", func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/etc/hostname", path)) }, true},
		"into a folder":   {".ssh/config", func(path string) error { return put("key")(filepath.Dir(path) + "/id_rsa") }, true},
		"within a folder": {".ssh/config", put("key"), true},
		"too large":       {".env", put(strings.Repeat("x", 2<<20)), true},
		"by its time only": {".env", func(path string) error {
			return errors.Join(put("K")(path), os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		}, true},
	} {
		root := newWorkspace(t)
		s := sensitive.New(root, 100)
		comparePaths(t, what, root, s.ScanBefore().KeyFiles)
		write(t, root, c.file)
		key := strings.TrimSuffix(c.file, "/config")
		comparePaths(t, what, root, s.ScanAfter().KeyFiles)
		comparePaths(t, what, root, s.ScanBefore().KeyFiles)
		if err := c.change(filepath.Join(root, c.file)); err != nil {
			t.Fatal(err)
		}
		var want []string
		if c.secret {
			want = []string{key}
		}
		comparePaths(t, what, root, s.ScanBefore().KeyFiles, want...)
		if err := os.Rename(filepath.Join(root, key), filepath.Join(root, "moved"+filepath.Base(key))); err != nil {
			t.Fatal(err)
		}
		if c.secret && strings.HasPrefix(key, ".ssh") {
			continue // no longer the name of a key
		}
		write(t, root, "other.pem")
		comparePaths(t, what, root, s.ScanAfter().KeyFiles, moved(want)...)
	}
	// A file or folder that is too large for a digest is secret at once. Otherwise a key that
	// another program adds beyond the digest would be missed.
	large, many := newWorkspace(t), newWorkspace(t)
	for what, root := range map[string]string{"a large file": large, "a large folder": many} {
		s := sensitive.New(root, 100)
		s.ScanBefore()
		want := ".env"
		if root == large {
			if err := put(strings.Repeat("x", 2<<20))(root + "/.env"); err != nil {
				t.Fatal(err)
			}
		} else {
			want = ".ssh"
			for i := range 300 {
				write(t, root, fmt.Sprintf(".ssh/%d", i))
			}
		}
		comparePaths(t, what, root, s.ScanAfter().KeyFiles, want)
		comparePaths(t, what, root, s.ScanBefore().KeyFiles, want)
	}
	// A command may change a file that it created.
	root := newWorkspace(t)
	s := sensitive.New(root, 100)
	s.ScanBefore()
	for _, content := range []string{"a", "b", "c"} {
		if err := put(content)(root + "/.env"); err != nil {
			t.Fatal(err)
		}
		comparePaths(t, "its own", root, s.ScanAfter().KeyFiles)
		comparePaths(t, "its own", root, s.ScanBefore().KeyFiles)
	}
}

func moved(keys []string) []string {
	var all []string
	for _, key := range keys {
		if name := "moved" + key; strings.HasSuffix(name, ".env") || strings.HasSuffix(name, ".key") {
			all = append(all, name)
		}
	}
	return all
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
