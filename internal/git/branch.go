package git

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Branch is the branch that is checked out in a folder, "" when there is none. It reads
// what git keeps and runs nothing.
func Branch(dir string) string {
	for {
		if head, ok := readSmall(filepath.Join(gitDir(dir), "HEAD")); ok {
			name, onBranch := strings.CutPrefix(strings.TrimSpace(head), "ref: refs/heads/")
			if !onBranch || strings.HasPrefix(name, ".") { // no branch, or kept elsewhere
				return ""
			}
			return name
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// gitDir is where git would keep what belongs to the work tree at dir.
func gitDir(dir string) string {
	path := filepath.Join(dir, ".git")
	link, ok := readSmall(path)
	target, linked := strings.CutPrefix(strings.TrimSpace(link), "gitdir: ")
	if !ok || !linked {
		return path
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return target
}

// readSmall reads a file that holds a line.
func readSmall(path string) (string, bool) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 4<<10))
	return string(data), err == nil
}
