package ignore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/testing/fifo"
)

// MatchingFiles returns exactly the files of the full list that match, also in nested repositories,
// whether untracked or tracked.
func TestMatchingIsFilesFiltered(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{
		"a.go": "", "b.txt": "", "sub/c.go": "", "sub/d.txt": "", "sub/deep/e.go": "", "gone.go": "", "x.log": "", ".gitignore": "*.log\n",
		"inner/f.go": "", "inner/g.txt": "", "linked/h.go": "", "linked/i.txt": "", "with\ttab.go": "", "line\nbreak.go": "",
	})
	for _, dir := range []string{"inner", "linked"} {
		runGit(t, filepath.Join(root, dir), "init", "-q")
		runGit(t, filepath.Join(root, dir), "add", "-A")
		runGit(t, filepath.Join(root, dir), "commit", "-q", "-m", "x")
	}
	runGit(t, root, "init", "-q")
	runGit(t, root, "add", "a.go", "b.txt", "sub", "gone.go")
	runGit(t, root, "-c", "advice.addEmbeddedRepo=false", "add", "linked")
	if err := os.Remove(filepath.Join(root, "gone.go")); err != nil {
		t.Fatal(err)
	}
	all, err := Files(t.Context(), root, root)
	if err != nil || len(all) != 12 {
		t.Fatalf("%q, %v", all, err)
	}
	for _, dir := range []string{".", "sub", "inner", "linked"} {
		for _, end := range []string{".go", ".txt", "c.go", ".none", ""} {
			var want []string
			for _, file := range all {
				if contains(dir, file) && strings.HasSuffix(file, end) {
					want = append(want, file)
				}
			}
			got, err := MatchingFiles(t.Context(), root, filepath.Join(root, dir), func(file string) bool {
				if strings.HasPrefix(file, dir+"/") {
					t.Errorf("%s: asked about %q, which is not its path in there", dir, file)
				}
				return strings.HasSuffix(file, end)
			})
			if diff := cmp.Diff(want, append([]string(nil), got...)); diff != "" || err != nil {
				t.Errorf("%s, *%s: %v (-want +got):\n%s", dir, end, err, diff)
			}
		}
	}
}

// A tracked folder may have become a file or a pipe. Listing it does not wait for a pipe.
func TestFoldersThatAreNoneAnyMore(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files := map[string]string{"kept": ""}
	for i := range 8 {
		for _, dir := range []string{"pipe", "file", "gone", "shut"} {
			files[fmt.Sprintf("%s/f%d", dir, i)] = ""
		}
	}
	write(t, root, files)
	runGit(t, root, "init", "-q")
	runGit(t, root, "add", "-A")
	for _, dir := range []string{"pipe", "file", "gone"} {
		if err := os.RemoveAll(filepath.Join(root, dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := fifo.Make(t, filepath.Join(root, "pipe")); err != nil {
		t.Fatal(err)
	}
	write(t, root, map[string]string{"file": ""})
	// In a folder that cannot be listed, each tracked name is looked up separately.
	if err := os.Chmod(filepath.Join(root, "shut"), 0o300); err != nil {
		t.Fatal(err)
	}
	want := []string{"file", "kept"}
	for i := range 8 {
		want = append(want, fmt.Sprintf("shut/f%d", i))
	}
	wantFiles(t, root, ".", want...)
	if err := os.Chmod(filepath.Join(root, "shut"), 0o700); err != nil {
		t.Fatal(err)
	}
}
