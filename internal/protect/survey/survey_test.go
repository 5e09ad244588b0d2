package survey_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/protect/survey"
)

// place is a workspace with files.
func place(t *testing.T, files ...string) string {
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

// same compares what was found, below root, with what was wanted.
func same(t *testing.T, what, root string, got []string, want ...string) {
	t.Helper()
	var below []string
	for _, path := range got {
		below = append(below, strings.TrimPrefix(path, root+"/"))
	}
	if diff := cmp.Diff(want, below, cmpopts.SortSlices(strings.Compare), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// What runs later, keys and repositories are found at any depth (D-60), but not in
// what package managers fill.
func TestWhatIsFound_D60(t *testing.T) {
	t.Parallel()
	root := place(t, "main.go", ".envrc", "a/b/.vscode/tasks.json", "a/.vscode/b/.envrc", "a/.github/workflows/x.yml", "a/.github/CODEOWNERS", "a/.VSCode/x", "node_modules/x/.vscode/x", "a/AGENTS.md",
		".git/HEAD", "sub/.git/HEAD", "linked/.git", "bare/HEAD", "bare/objects/x", "odd/HEAD", "odd/commondir", "no/HEAD",
		"a/.env", ".env.example", "k/id_rsa", "k/.ssh/x", ".venv/lib/ca.pem", "a/server.key", "a/id_rsa.pub")
	found := survey.New(root, survey.MaxFolders).Before()
	same(t, "runs later", root, found.Later, ".envrc", "a/b/.vscode", "a/.vscode", "a/.VSCode", "a/.github/workflows", "a/AGENTS.md", "linked/.git")
	same(t, "keys", root, found.Keys, "a/.env", "k/id_rsa", "k/.ssh", "a/server.key")
	same(t, "repositories", root, found.Repositories, "sub/.git", "bare", "odd")
}

func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	root := place(t, "a/b/x", "c/x")
	s := survey.New(root, survey.MaxFolders)
	same(t, "before", root, s.Before().Later)
	write(t, root, "a/b/.envrc", "new/deep/.vscode/x")
	same(t, "new", root, s.After().Later, "a/b/.envrc", "new/deep/.vscode")
	if err := os.Rename(root+"/a", root+"/c/a"); err != nil {
		t.Fatal(err)
	}
	same(t, "moved", root, s.Before().Later, "c/a/b/.envrc", "new/deep/.vscode")
	// Putting its time back does not hide that a folder changed.
	info, err := os.Stat(root + "/c")
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "c/.envrc")
	if err := os.Chtimes(root+"/c", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	same(t, "hidden", root, s.After().Later, "c/.envrc", "c/a/b/.envrc", "new/deep/.vscode")
}

// A folder that was looked into in the moment of a change is looked into again: another
// change in the same moment has the same time.
func TestChangesOfAMomentAreSeen(t *testing.T) {
	t.Parallel()
	root := place(t, "a/x")
	s := survey.New(root, survey.MaxFolders)
	for i := range 100 {
		write(t, root, fmt.Sprint("a/", i))
		s.Meanwhile()
		write(t, root, "a/.envrc")
		same(t, fmt.Sprint(i), root, s.Meanwhile().Later, "a/.envrc")
		if err := os.Remove(root + "/a/.envrc"); err != nil {
			t.Fatal(err)
		}
	}
}

// Of what is beyond the bound it is said.
func TestMoreFoldersThanAreLookedInto(t *testing.T) {
	t.Parallel()
	root := place(t, "a/b/c/.envrc")
	s := survey.New(root, 4)
	if found := s.Before(); found.Partial || s.Partial() || len(found.Later) != 1 {
		t.Errorf("%+v", found)
	}
	write(t, root, "0/x")
	if found := s.After(); !found.Partial || !s.Partial() {
		t.Errorf("%+v", found)
	}
	if err := os.RemoveAll(root + "/0"); err != nil {
		t.Fatal(err)
	}
	if found := s.After(); found.Partial || s.Partial() || len(found.Later) != 1 {
		t.Errorf("%+v", found)
	}
}

// What git knew from the start and what commands made is no secret; what was one stays
// one, wherever it is moved.
func TestWhoseKeys(t *testing.T) {
	t.Parallel()
	root := place(t, "testdata/a.key", "b.key", "aa/testdata/a.key", "x/.env", "y/.env")
	for _, line := range []string{"git init -q", "git add testdata/a.key y/.env"} {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	s := survey.New(root, survey.MaxFolders)
	same(t, "at first", root, s.Before().Keys, "b.key", "aa/testdata/a.key", "x/.env")
	write(t, root, "made.key")
	same(t, "meanwhile", root, s.Meanwhile().Keys)
	same(t, "after a command", root, s.After().Keys, "b.key", "aa/testdata/a.key", "x/.env")
	write(t, root, "put.key")
	same(t, "put there between", root, s.Before().Keys, "b.key", "aa/testdata/a.key", "x/.env", "put.key")

	for _, move := range [][2]string{{"y", "z"}, {"x", "y"}} {
		if err := os.Rename(filepath.Join(root, move[0]), filepath.Join(root, move[1])); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "in the place of one that git knows", root, s.After().Keys, "b.key", "aa/testdata/a.key", "y/.env", "put.key")
	// Nor does it help to tell git of a file.
	cmd := exec.Command("git", "add", "b.key")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	same(t, "added later", root, s.Before().Keys, "b.key", "aa/testdata/a.key", "y/.env", "put.key")
}

func BenchmarkLookAgain(b *testing.B) {
	root := b.TempDir()
	for i := range 300 {
		if err := os.MkdirAll(filepath.Join(root, string(rune('a'+i%20)), string(rune('a'+i/20)), "x"), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	s := survey.New(root, survey.MaxFolders)
	for b.Loop() {
		s.Before()
	}
}
