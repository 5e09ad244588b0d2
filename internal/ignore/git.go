package ignore

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"agent/internal/git"
)

// gitFiles asks git for those of the files below the slash path below of root for which
// keep is true. Listed is false when there are no files at all, and when git cannot
// answer: not installed, no repository, or a repository it refuses.
func gitFiles(ctx context.Context, root, below string, keep func(file string) bool) (files []string, listed bool) {
	if !inRepository(root) {
		return nil, false // git would say so too, after it was started
	}
	named := names{keep: keep}
	err := git.Run(ctx, root, nil, &named, "--literal-pathspecs", "ls-files", "--cached", "--others", "--exclude-standard", "-t", "-s", "-z", "--", below)
	if err != nil {
		return nil, false
	}
	files = present(ctx, root, named.kept, keep)
	return files, named.dropped || len(files) > 0
}

// names takes git's list apart as it comes, so that what is not to be kept is never held.
type names struct {
	keep func(file string) bool
	// kept are the names that keep is true of, and those of repositories inside this one.
	kept    []string
	dropped bool
	// begun is the beginning of an entry whose end has not come.
	begun []byte
}

func (n *names) Write(p []byte) (int, error) {
	rest := p
	for {
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			n.begun = append(n.begun, rest...)
			return len(p), nil
		}
		entry := rest[:end]
		if len(n.begun) > 0 {
			n.begun = append(n.begun, entry...)
			entry = n.begun
		}
		n.entry(entry)
		n.begun, rest = n.begun[:0], rest[end+1:]
	}
}

// entry takes one entry: "H 100644 SUM 0\tNAME" for what git tracks, "? NAME" for what it
// does not know, with a slash at the end of a repository.
func (n *names) entry(entry []byte) {
	tag, name, _ := bytes.Cut(entry, []byte(" "))
	repository := bytes.HasSuffix(name, []byte("/"))
	if string(tag) != "?" {
		repository = bytes.HasPrefix(name, []byte("160000 "))
		_, name, _ = bytes.Cut(name, []byte("\t"))
	}
	if name = bytes.TrimSuffix(name, []byte("/")); len(name) == 0 {
		return
	}
	if file := string(name); repository || n.keep(file) {
		n.kept = append(n.kept, file)
	} else {
		n.dropped = true
	}
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
