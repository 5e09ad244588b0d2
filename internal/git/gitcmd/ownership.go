package gitcmd

import (
	"os"
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/layout"
)

// belongs reports whether a git folder belongs to the work tree top. It does if it contains its own
// objects, and is inside the work tree or names it. Anybody can create a file .git, a link or a
// folder that leads to another repository, and git would then show the history of that repository.
// own is the git folder of this work tree. common is the folder that all work trees of the
// repository share.
func belongs(own, common, top string) bool {
	own, common, top = layout.Real(own), layout.Real(common), layout.Real(top)
	if own == "" || common == "" || layout.Real(filepath.Join(common, "objects")) != filepath.Join(common, "objects") {
		return false
	}
	if info, err := os.Stat(filepath.Join(common, "objects", "info", "alternates")); err == nil && info.Size() > 0 {
		return false
	}
	switch {
	case fsutil.Within(common, top):
		return fsutil.Within(own, top)
	case fsutil.Within(own, filepath.Join(common, "worktrees")):
		content, err := fsutil.Read(filepath.Join(own, "gitdir"))
		return err == nil && layout.Real(filepath.Dir(strings.TrimSpace(string(content)))) == top
	}
	return own == common && layout.Real(layout.WorkTree(own)) == top
}
