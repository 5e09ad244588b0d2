// Package layout finds where git keeps what belongs to a work tree. It reads a few small
// files and runs nothing.
package layout

import (
	"os"
	"path/filepath"
	"strings"

	"agent/internal/disk"
)

// Top is dir or the nearest folder above it that holds a .git; empty when none does.
func Top(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// Folder is where git keeps what belongs to the work tree at dir: its .git, or where a
// file of that name leads, as in a linked work tree or a submodule. It is empty when
// there is neither.
func Folder(dir string) string {
	path := filepath.Join(dir, ".git")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return PathIn(path, "gitdir:", dir)
}

// Common is the folder that all work trees of a repository share, for the one that dir is
// in; empty outside of a repository.
func Common(dir string) string {
	folder, _ := Enclosing(dir)
	if folder == "" {
		return ""
	}
	if common := Shared(folder); common != "" {
		return Real(common)
	}
	return Real(folder)
}

// Shared is the folder of the repository that a folder of git's names as the one it belongs
// to, as that of a linked work tree does; empty for none.
func Shared(folder string) string { return PathIn(filepath.Join(folder, "commondir"), "", folder) }

// Enclosing finds the repository whose work tree a folder is in: where git keeps what
// belongs to it, as [Folder] has it, and the path of the folder in the work tree with a slash
// at the end, empty for its top. Folder is empty outside of a repository, and when that one
// is configured to be of another work tree.
func Enclosing(dir string) (folder, prefix string) {
	top := Top(dir)
	if top == "" {
		return "", ""
	}
	if below, err := filepath.Rel(top, dir); err == nil && below != "." {
		prefix = filepath.ToSlash(below) + "/"
	}
	folder = Folder(top)
	if folder == "" {
		return "", prefix
	}
	if tree := WorkTree(folder); tree != "" && Real(tree) != Real(top) {
		return "", prefix
	}
	return folder, prefix
}

// WorkTree is the work tree that the configuration of a repository names, as that of a
// submodule does; empty for none.
func WorkTree(folder string) string {
	content, _ := disk.Read(filepath.Join(folder, "config"))
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(line, "=")
		if strings.EqualFold(strings.TrimSpace(name), "worktree") {
			return disk.At(folder, strings.TrimSpace(value))
		}
	}
	return ""
}

// Branch is the branch that is checked out in a folder, "" when there is none.
func Branch(dir string) string {
	for top := Top(dir); top != ""; top = Top(filepath.Dir(top)) {
		folder := Folder(top)
		head, err := disk.Beginning(filepath.Join(folder, "HEAD"), longest)
		if err == nil && folder != "" {
			name, onBranch := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
			if !onBranch || strings.HasPrefix(name, ".") { // no branch, or kept elsewhere
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

// longest bounds a file that holds a line, in bytes: more than the longest path has.
const longest = 8 << 10

// PathIn is the path that a file holds after prefix, a relative one joined to dir; empty for
// none.
func PathIn(file, prefix, dir string) string {
	content, err := disk.Beginning(file, longest)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(content)), prefix)
	path = strings.TrimSpace(path)
	if err != nil || !ok || path == "" {
		return ""
	}
	return disk.At(dir, path)
}

// Real is a path without links, empty when there is nothing.
func Real(path string) string {
	if _, err := os.Lstat(path); err != nil {
		return "" // the common case, which should be quick
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return path
}
