// Package layout finds the folders in which git stores the data of a work tree. It reads a few
// small files and runs no program.
package layout

import (
	"os"
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
)

// TopFolder returns dir or the nearest folder above it that contains a .git. It returns the empty
// string if there is none.
func TopFolder(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// GitDir returns the git folder of the work tree at dir: its folder .git or, in a linked work
// tree or a submodule, the folder that the file .git names. It returns the empty string if there
// is neither.
func GitDir(dir string) string {
	path := filepath.Join(dir, ".git")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return ReadPath(path, "gitdir:", dir)
}

// CommonDir returns the git folder that all work trees of the repository around dir share. It
// returns the empty string outside of a repository.
func CommonDir(dir string) string {
	folder, _ := FindRepository(dir)
	if folder == "" {
		return ""
	}
	if common := CommonDirOf(folder); common != "" {
		return Real(common)
	}
	return Real(folder)
}

// CommonDirOf returns the shared git folder that the git folder of a linked work tree names. It
// returns the empty string for other git folders.
func CommonDirOf(folder string) string {
	return ReadPath(filepath.Join(folder, "commondir"), "", folder)
}

// FindRepository finds the repository that contains dir. folder is its git folder, as [GitDir] returns
// it. prefix is the path of dir in the work tree with a slash at the end, or the empty string for
// the top. folder is empty outside a repository, and if the repository is configured for another
// work tree.
func FindRepository(dir string) (folder, prefix string) {
	top := TopFolder(dir)
	if top == "" {
		return "", ""
	}
	if below, err := filepath.Rel(top, dir); err == nil && below != "." {
		prefix = filepath.ToSlash(below) + "/"
	}
	folder = GitDir(top)
	if folder == "" {
		return "", prefix
	}
	if tree := WorkTree(folder); tree != "" && Real(tree) != Real(top) {
		return "", prefix
	}
	return folder, prefix
}

// MainFolder returns the folder that corresponds to dir in the main work tree of its repository. It
// returns dir itself outside a linked work tree. It also returns dir if the repository does not
// list the work tree, because anybody can write a .git file that names another repository.
func MainFolder(dir string) string {
	top := TopFolder(dir)
	if top == "" {
		return dir
	}
	folder := Real(GitDir(top))
	common := Real(CommonDirOf(folder))
	if folder == "" || common == "" || filepath.Dir(folder) != filepath.Join(common, "worktrees") ||
		Real(ReadPath(filepath.Join(folder, "gitdir"), "", folder)) != Real(filepath.Join(top, ".git")) {
		return dir
	}
	below, err := filepath.Rel(top, dir)
	if err != nil {
		return dir
	}
	return filepath.Join(strings.TrimSuffix(common, string(filepath.Separator)+".git"), below)
}

// WorkTree returns the work tree that the configuration in a git folder names, as for a submodule.
// It returns the empty string if the configuration names none.
func WorkTree(folder string) string {
	content, _ := fsutil.Read(filepath.Join(folder, "config"))
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(line, "=")
		if strings.EqualFold(strings.TrimSpace(name), "worktree") {
			return fsutil.ResolveIn(folder, strings.TrimSpace(value))
		}
	}
	return ""
}

// Branch returns the branch that is checked out in a folder, or the empty string if there is
// none.
func Branch(dir string) string {
	for top := TopFolder(dir); top != ""; top = TopFolder(filepath.Dir(top)) {
		folder := GitDir(top)
		head, err := fsutil.ReadBeginning(filepath.Join(folder, "HEAD"), longest)
		if err == nil && folder != "" {
			name, onBranch := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
			if !onBranch || strings.HasPrefix(name, ".") { // no branch, or the placeholder of a reftable repository
				return ""
			}
			return name
		}
		if top == filepath.Dir(top) {
			break
		}
	}
	return ""
}

// longest is the size in bytes of the largest one-line file that is read. No path is longer.
const longest = 8 << 10

// ReadPath returns the path that a file contains after prefix, relative to dir. It returns the
// empty string if there is none.
func ReadPath(file, prefix, dir string) string {
	content, err := fsutil.ReadBeginning(file, longest)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(content)), prefix)
	path = strings.TrimSpace(path)
	if err != nil || !ok || path == "" {
		return ""
	}
	return fsutil.ResolveIn(dir, path)
}

// Real returns a path with links resolved, or the empty string if it does not exist.
func Real(path string) string {
	if _, err := os.Lstat(path); err != nil {
		return "" // the common case, so it must be fast
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return path
}
