package ignore

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"slices"

	"agent/internal/git"
	"agent/internal/git/index"
	"agent/internal/git/layout"
)

// gitFiles has git list the files of a folder, sorted: the slow way, for what an index and
// a look at the folders do not show. There are none when git cannot answer: not installed, no
// repository, or a repository it refuses.
func gitFiles(ctx context.Context, dir folder) (files []string) {
	var listed []string
	entries := &git.Entries{Each: func(name []byte) {
		listed = append(listed, string(bytes.TrimSuffix(name, []byte("/")))) // a slash is at the end of a repository
	}}
	err := git.Run(ctx, dir.abs("."), nil, entries, "--literal-pathspecs", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return nil
	}
	for _, name := range listed {
		info, err := dir.lstat(name)
		switch {
		case err != nil: // deleted
		case listable(info.Mode()):
			files = append(files, name)
		case info.IsDir():
			files = append(files, repositoryFiles(ctx, dir, name)...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// repositoryFiles are the files of a repository inside, as slash paths in dir.
func repositoryFiles(ctx context.Context, dir folder, name string) (files []string) {
	dir.below(name).walk(ctx, ".", Visitor{
		File:  func(file []byte, _ *index.Entry) { files = append(files, path.Join(name, string(file))) },
		Again: func() { files = nil },
	})
	return files
}

// inRepository reports whether a .git is in a folder or above it. Git does not learn of a
// repository in another way, and takes no bare one for it.
func inRepository(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	return err != nil || layout.Top(dir) != "" // after an error git may know better
}
