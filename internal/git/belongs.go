package git

import (
	"os"
	"path/filepath"
	"strings"

	"agent/internal/disk"
)

// belongs reports whether a repository is that of a work tree: it is in there, or names
// it in turn, and has its objects itself. A file .git, a link or a folder can come from
// anybody and lead to the repository of something else, whose history git would show.
// own is the repository's folder for the work tree, common that for all of its.
func belongs(own, common, top string) bool {
	own, common, top = real(own), real(common), real(top)
	if own == "" || common == "" || real(filepath.Join(common, "objects")) != filepath.Join(common, "objects") {
		return false
	}
	if info, err := os.Stat(filepath.Join(common, "objects", "info", "alternates")); err == nil && info.Size() > 0 {
		return false
	}
	switch {
	case disk.Within(common, top):
		return disk.Within(own, top)
	case disk.Within(own, filepath.Join(common, "worktrees")):
		content, err := disk.Read(filepath.Join(own, "gitdir"))
		return err == nil && real(filepath.Dir(strings.TrimSpace(string(content)))) == top
	}
	return own == common && real(configuredTree(own)) == top
}

// configuredTree is the work tree that the configuration of a repository names, as that
// of a submodule does.
func configuredTree(folder string) string {
	content, _ := disk.Read(filepath.Join(folder, "config"))
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(line, "=")
		if strings.EqualFold(strings.TrimSpace(name), "worktree") {
			return disk.At(folder, strings.TrimSpace(value))
		}
	}
	return ""
}

// real is a path without links, empty when there is nothing.
func real(path string) string {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return path
}
