package ignore

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agent/internal/gitfiles/index"
	"agent/internal/sandbox"
	"agent/internal/testing/fifo"

	"github.com/google/go-cmp/cmp"
)

// write creates files with their own names as content.
func write(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func runGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(sandbox.PlainEnviron(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func wantFiles(t *testing.T, root, dir string, want ...string) {
	t.Helper()
	got, err := Files(t.Context(), root, filepath.Join(root, dir))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files below %q (-want +got):\n%s", dir, diff)
	}
}

var tree = map[string]string{
	".gitignore":         "# comment\n\n*.log\n/build/\n!keep.log\n",
	"main.go":            "",
	"a.log":              "",
	"keep.log":           "",
	"build/out":          "",
	"sub/.gitignore":     "secret\r\n",
	"sub/secret":         "",
	"sub/build/shown":    "",
	"sub/deep/secret/in": "",
	"sub/deep/x y":       "",
	"secret":             "",
	"weird[1]/*":         "",
}

func TestFilesObeyGitignore(t *testing.T) {
	t.Parallel()
	for _, inRepository := range []bool{true, false} {
		name := "folder"
		if inRepository {
			name = "repository"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, tree)
			if inRepository {
				runGit(t, root, "init", "-q")
			}
			wantFiles(t, root, ".", ".gitignore", "keep.log", "main.go", "secret",
				"sub/.gitignore", "sub/build/shown", "sub/deep/x y", "weird[1]/*")
			wantFiles(t, root, "sub/deep", "sub/deep/x y")
			wantFiles(t, root, "weird[1]", "weird[1]/*")
			wantFiles(t, root, "build")
		})
	}
}

func TestTrackedFilesAreListedThoughIgnoredAndDeletedOnesAreNot(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"a": "", "b": "", "c.log": ""})
	runGit(t, root, "init", "-q")
	runGit(t, root, "add", "-A")
	write(t, root, map[string]string{".gitignore": "*.log\n", "d.log": ""})
	if err := os.Remove(filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, root, ".", ".gitignore", "a", "c.log")
}

// A folder in place of a tracked file is not a nested repository: the ignore rules of the folders
// above apply to its files.
func TestFolderInPlaceOfATrackedFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"a": ""})
	runGit(t, root, "init", "-q")
	runGit(t, root, "add", "-A")
	if err := os.Remove(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	write(t, root, map[string]string{".gitignore": "*.log\n", "a/c.log": ""})
	want := []string{".gitignore"}
	wantFiles(t, root, ".", want...)
	top, err := openFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	defer top.close()
	if diff := cmp.Diff(want, gitFiles(t.Context(), top)); diff != "" {
		t.Errorf("by git (-want +got):\n%s", diff)
	}
}

func TestRepositoryInsideARepository(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"a": "", "inner/b": "", "inner/c.log": "", "inner/.gitignore": "*.log\n"})
	runGit(t, root, "init", "-q")
	runGit(t, filepath.Join(root, "inner"), "init", "-q")
	wantFiles(t, root, ".", "a", "inner/.gitignore", "inner/b")
}

func TestWorkspaceThatAnOuterRepositoryIgnores(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	write(t, outer, map[string]string{".gitignore": "scratch/\n", "scratch/a": "", "scratch/b.log": "", "scratch/.gitignore": "*.log\n"})
	runGit(t, outer, "init", "-q")
	wantFiles(t, filepath.Join(outer, "scratch"), ".", ".gitignore", "a")
}

func TestLinksAreListedNotFollowedAndPipesLeftOut(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"a": ""})
	if err := os.Symlink(root, filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := fifo.Make(t, filepath.Join(root, "pipe")); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, root, ".", "a", "loop")
}

func TestARepositoryCannotMakeTheListingRunPrograms(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"a": "", "hook": "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\n"})
	if err := os.Chmod(filepath.Join(root, "hook"), 0o700); err != nil {
		t.Fatal(err)
	}
	runGit(t, root, "init", "-q")
	runGit(t, root, "add", "-A")
	runGit(t, root, "config", "core.fsmonitor", filepath.Join(root, "hook"))
	wantFiles(t, root, ".", "a", "hook")
}

func TestFilesReportsUnlistedFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"a": ""})
	for _, dir := range []string{"a", "missing", "..", "../elsewhere"} {
		if _, err := Files(t.Context(), root, filepath.Join(root, dir)); err == nil {
			t.Errorf("Files(%q) gave no error", dir)
		}
	}
}

func TestGitRunsInRepositoriesOnly(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"plain/f": "", "tree/.git/HEAD": "", "tree/below/f": "", "linked/.git": ""})
	for dir, want := range map[string]bool{"plain": false, "tree": true, "tree/below": true, "linked": true} {
		if got := inRepository(filepath.Join(root, dir)); got != want {
			t.Errorf("%s: %v, want %v", dir, got, want)
		}
	}
}

// BenchmarkRepository lists a repository of 5,000 files in 50 folders, of which 50 are not in the
// index and 50 are ignored, with the walk and with git alone.
func BenchmarkRepository(b *testing.B) {
	root := b.TempDir()
	files, others := map[string]string{".gitignore": "*.log\n"}, map[string]string{}
	for i := range 50 {
		folder := fmt.Sprintf("internal/base/package%02d/", i)
		others[folder+"new.go"], others[folder+"out.log"] = "", ""
		for j := range 100 {
			files[fmt.Sprintf("%sfile%02d.go", folder, j)] = ""
		}
	}
	write(b, root, files)
	runGit(b, root, "init", "-q")
	runGit(b, root, "add", "-A")
	write(b, root, others)
	dir, err := openFolder(root)
	if err != nil {
		b.Fatal(err)
	}
	defer dir.close()
	want := len(files) + len(others)/2
	for name, list := range map[string]func() int{
		"direct": func() (found int) {
			_, ok := walkFolders(b.Context(), dir, "", Visitor{File: func([]byte, *index.Entry) { found++ }})
			if !ok {
				return -1
			}
			return found
		},
		"plain": func() int { return len(gitFiles(b.Context(), dir)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if found := list(); found != want {
					b.Fatalf("%d files, want %d", found, want)
				}
			}
		})
	}
}
