package ignore

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"agent/internal/git"
)

// gitFiles asks git for the files below the slash path below of root. It
// reports false when git cannot answer: not installed, no repository, or a
// repository it refuses.
func gitFiles(ctx context.Context, root, below string) ([]string, bool) {
	if !inRepository(root) {
		return nil, false // git would say so too, after it was started
	}
	out, err := git.Output(ctx, root, "--literal-pathspecs", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", below)
	if err != nil {
		return nil, false
	}
	files := make([]string, 0, bytes.Count(out, []byte{0}))
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		files = append(files, listed(ctx, root, strings.TrimSuffix(name, "/"))...)
	}
	return files, true
}

// listed turns one name of git's answer into files: none when it was deleted
// from disk, and the files of its own when it is a repository inside this one.
func listed(ctx context.Context, root, name string) []string {
	full := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	switch {
	case err != nil:
		return nil
	case listable(info.Mode()):
		return []string{name}
	case !info.IsDir():
		return nil
	}
	inner, ok := gitFiles(ctx, full, ".")
	if !ok {
		inner = walkedFiles(ctx, full, ".")
	}
	for i := range inner {
		inner[i] = path.Join(name, inner[i])
	}
	return inner
}

// inRepository reports whether a .git is in a folder or above it. Git is not told of a
// repository in another way, and takes no bare one for it.
func inRepository(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Lstat(filepath.Join(dir, ".git")); missing == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
	return true // git may know better
}
