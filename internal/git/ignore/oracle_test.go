package ignore

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agent/internal/gitfiles/index"
	"agent/internal/sandbox"
)

// TestMain limits the work trees of the property test, because git lists each several times.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "50") // -rapid.checks sets a higher number
	os.Exit(m.Run())
}

// filesByGit returns the existing files below a folder that git lists. It is slow and serves as the
// oracle. It runs git in nested repositories too.
func filesByGit(t *rapid.T, dir string) []string {
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ".")
	cmd.Dir = dir
	cmd.Env = append(sandbox.PlainEnviron(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range strings.Split(string(out), "\x00") {
		name = strings.TrimSuffix(name, "/")
		info, err := os.Lstat(filepath.Join(dir, name))
		switch {
		case name == "" || err != nil || behindLink(dir, filepath.Dir(name)):
		case listable(info.Mode()):
			files = append(files, name)
		case info.IsDir():
			for _, inner := range filesByGit(t, filepath.Join(dir, name)) {
				files = append(files, name+"/"+inner)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// behindLink reports whether a folder below dir, or one of its parents, is a symbolic link. For
// git, a tracked file at such a path is deleted.
func behindLink(dir, folder string) bool {
	if folder == "." {
		return false
	}
	info, err := os.Lstat(filepath.Join(dir, folder))
	return err == nil && info.Mode()&os.ModeSymlink != 0 || behindLink(dir, filepath.Dir(folder))
}

// changeWorkTree applies a random change to a work tree, as a user could.
func changeWorkTree(t *rapid.T, root string) {
	names := rapid.SampledFrom([]string{"a", "a-b", "a.b", "a0", "build", "x.log", ".hidden", "sub", "é b", ":(glob)*", "-n"})
	path := func() string {
		parts := rapid.SliceOfN(names, 1, 3).Draw(t, "path")
		return filepath.Join(parts...)
	}
	file, other := path(), path()
	abs := filepath.Join(root, file)
	run := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "advice.addEmbeddedRepo=false", "--literal-pathspecs"}, args...)...)
		cmd.Dir = root
		cmd.Env = append(sandbox.PlainEnviron(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		_ = cmd.Run() // some steps are not possible
	}
	switch rapid.SampledFrom([]string{"write", "write", "write", "write", "ignore", "ignore", "remove", "move", "link", "add", "force", "all", "forget", "repository", "exclude"}).Draw(t, "work") {
	case "write":
		if os.MkdirAll(filepath.Dir(abs), 0o755) == nil {
			_ = os.WriteFile(abs, []byte(file), 0o600)
		}
	case "ignore":
		if os.MkdirAll(filepath.Dir(abs), 0o755) == nil {
			patterns := rapid.SliceOfN(rapid.SampledFrom([]string{"*.log", "build/", "/a", "!x.log", "sub/a*", "**/a.b", "a/**", "!/sub", ".hidden", "*", "!*/"}), 1, 3).Draw(t, "patterns")
			_ = os.WriteFile(filepath.Join(filepath.Dir(abs), ".gitignore"), []byte(strings.Join(patterns, "\n")+"\n"), 0o600)
		}
	case "exclude":
		_ = os.WriteFile(filepath.Join(root, ".git", "info", "exclude"), []byte("a0\n*.tmp\n"), 0o600)
	case "remove":
		_ = os.RemoveAll(abs)
	case "move":
		_ = os.Rename(abs, filepath.Join(root, other))
	case "link":
		_ = os.Symlink("a", abs)
	case "add":
		run("add", "--", file)
	case "force":
		run("add", "-f", "--", file)
	case "all":
		run("add", "-A")
	case "forget":
		run("rm", "-rq", "--cached", "--", file)
	case "repository":
		repository(abs)
	}
}

// repository makes a folder a repository, as git init does.
func repository(dir string) {
	git := filepath.Join(dir, ".git")
	for _, folder := range []string{"info", "objects", "refs"} {
		if os.MkdirAll(filepath.Join(git, folder), 0o755) != nil {
			return
		}
	}
	_ = os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
}

// Whatever happened in a work tree, listing returns the files that git lists, from the root and
// from a subfolder, and also if it runs git itself.
func TestListingEqualsGits(t *testing.T) {
	t.Parallel()
	runGit(t, t.TempDir(), "--version")
	base := t.TempDir()
	trees, looks, quick := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		trees++
		root := filepath.Join(base, fmt.Sprint(trees))
		repository(root)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			changeWorkTree(t, root)
		}
		below := "sub"
		if info, err := os.Lstat(filepath.Join(root, below)); err != nil || !info.IsDir() || rapid.Bool().Draw(t, "from the top") {
			below = "."
		}
		dir := filepath.Join(root, below)
		want := filesByGit(t, dir)
		if len(want) == 0 {
			return // git applies other rules there
		}
		for i := range want {
			want[i] = filepath.Join(below, want[i])
		}
		got, err := Files(t.Context(), root, dir)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("below %s: %v (-want +got):\n%s", below, err, diff)
		}
		if rapid.IntRange(0, 3).Draw(t, "looked at further") != 0 {
			return // each of these starts git again
		}
		if below == "." {
			all, err := FilesAndFolders(t.Context(), root)
			if diff := cmp.Diff(withFolders(want), slices.Collect(all.all())); diff != "" || err != nil {
				t.Fatalf("with folders: %v (-want +got):\n%s", err, diff)
			}
		}
		top, err := openFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer top.close()
		looks++
		if _, ok := walkFolders(t.Context(), top, "", Visitor{File: func([]byte, *index.Entry) {}}); ok {
			quick++
		}
		slow := gitFiles(t.Context(), top)
		for i := range slow {
			slow[i] = filepath.Join(below, slow[i])
		}
		if diff := cmp.Diff(want, slow); diff != "" {
			t.Fatalf("by git below %s (-want +got):\n%s", below, diff)
		}
	})
	if quick < looks/2 { // nearly all are
		t.Errorf("of %d listings %d were made without asking git for all files", looks, quick)
	}
}

// withFolders returns files and all folders that contain them.
func withFolders(files []string) []string {
	all := slices.Clone(files)
	for _, file := range files {
		for at, c := range file {
			if c == '/' {
				all = append(all, file[:at+1])
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (p *Paths) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range p.Len() {
			if !yield(p.At(i)) {
				return
			}
		}
	}
}
