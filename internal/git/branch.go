package git

import (
	"os"
	"path/filepath"
	"strings"

	"agent/internal/disk"
)

// Branch is the branch that is checked out in a folder, "" when there is none. It reads
// what git keeps and runs nothing.
func Branch(dir string) string {
	for {
		if folder := Folder(dir); folder != "" {
			if head, ok := readSmall(filepath.Join(folder, "HEAD")); ok {
				return branchOf(head)
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func branchOf(head string) string {
	name, onBranch := strings.CutPrefix(strings.TrimSpace(head), "ref: refs/heads/")
	if !onBranch || strings.HasPrefix(name, ".") { // no branch, or kept elsewhere
		return ""
	}
	return name
}

// Folder is where git keeps what belongs to the work tree at dir: its .git, or where a
// file of that name leads, as in a linked work tree or a submodule. It is empty when
// there is neither.
func Folder(dir string) string {
	path := filepath.Join(dir, ".git")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	link, _ := readSmall(path)
	target, linked := strings.CutPrefix(strings.TrimSpace(link), "gitdir: ")
	if !linked {
		return ""
	}
	return disk.At(dir, target)
}

// Common is the folder that all work trees of a repository share, for the one that dir is
// in; empty outside of a repository.
func Common(dir string) string {
	folder, _ := Enclosing(dir)
	if folder == "" {
		return ""
	}
	link, linked := readSmall(filepath.Join(folder, "commondir"))
	if common := strings.TrimSpace(link); linked && common != "" {
		folder = disk.At(folder, common)
	}
	return real(folder)
}

// readSmall reads a file that holds a line.
func readSmall(path string) (string, bool) {
	const most = 4 << 10
	data, err := disk.Beginning(path, most)
	return string(data), err == nil
}
