package git

import (
	"os"
	"path/filepath"
	"strings"

	"agent/internal/disk"
	"agent/internal/git/layout"
)

// belongs reports whether a repository is that of a work tree: it is in there, or names
// it in turn, and has its objects itself. A file .git, a link or a folder can come from
// anybody and lead to the repository of something else, whose history git would show.
// own is the repository's folder for the work tree, common that for all of its.
func belongs(own, common, top string) bool {
	own, common, top = layout.Real(own), layout.Real(common), layout.Real(top)
	if own == "" || common == "" || layout.Real(filepath.Join(common, "objects")) != filepath.Join(common, "objects") {
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
		return err == nil && layout.Real(filepath.Dir(strings.TrimSpace(string(content)))) == top
	}
	return own == common && layout.Real(layout.WorkTree(own)) == top
}
