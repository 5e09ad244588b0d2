package ignore

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"agent/internal/git/gitcmd"
	"agent/internal/gitfiles/index"
	"agent/internal/gitfiles/layout"
)

// gitFiles lists the files of a folder with git and returns them sorted. This is slow, so it is
// used only if reading the index and the folders was not enough. It returns none if git fails,
// because git is not installed, there is no repository, or git refuses the repository.
func gitFiles(ctx context.Context, dir folder) (files []string) {
	var listed []string
	entries := &gitcmd.Entries{Each: func(name []byte) {
		listed = append(listed, string(bytes.TrimSuffix(name, []byte("/")))) // the name of a repository ends with a slash
	}}
	err := gitcmd.Run(ctx, dir.abs("."), nil, entries, "--literal-pathspecs", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return nil
	}
	links := map[string]bool{}
	for _, name := range listed {
		info, err := dir.lstat(name)
		switch {
		case err != nil || dir.behindLink(name, links): // the file was deleted
		case listable(info.Mode()):
			files = append(files, name)
		case info.IsDir():
			// Without .git, the folder replaced a tracked file, and git lists its files itself.
			if _, err := dir.lstat(path.Join(name, ".git")); err == nil {
				files = append(files, repositoryFiles(ctx, dir, name)...)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// behindLink reports whether a folder in the path of a name is a link. Such a path names another
// file, and git counts the tracked file as deleted. links caches the results by folder.
func (f folder) behindLink(name string, links map[string]bool) bool {
	above := path.Dir(name)
	if above == "." {
		return false
	}
	is, known := links[above]
	if !known {
		info, err := f.lstat(above)
		is = err == nil && info.Mode()&fs.ModeSymlink != 0 || f.behindLink(above, links)
		links[above] = is
	}
	return is
}

// repositoryFiles returns the files of a repository inside dir, as slash paths in dir.
func repositoryFiles(ctx context.Context, dir folder, name string) (files []string) {
	dir.below(name).walk(ctx, ".", Visitor{
		File:  func(file []byte, _ *index.Entry) { files = append(files, path.Join(name, string(file))) },
		Again: func() { files = nil },
	})
	return files
}

// inRepository reports whether a folder or a folder above it contains .git. Other cases need no
// check: this program sets no variables that name another repository, and git must not use bare
// repositories.
func inRepository(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	return err != nil || layout.TopFolder(dir) != "" // after an error, leave the decision to git
}
