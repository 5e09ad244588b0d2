package consent

import (
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/gitfiles/layout"
	"agent/internal/protect"
)

// userPlace is the place of consent to items in the user's own folders.
const userPlace = "user"

// root returns the root of the workspace's repository, or the workspace if there is none. A
// repository that contains the home folder is ignored.
func root(w trustedfile.Locations) string {
	top := trustedfile.FoldersAbove(w.Home, w.Workspace)[0]
	if layout.GitDir(top) == "" || protect.ContainsHome(top, w.Home) {
		return w.Workspace
	}
	return top
}

// place returns the place under which consent to a repository is stored. It is the root of the
// repository or, for a linked work tree, the root of the main repository. It returns "" if nothing
// is stored.
func place(root, home string) string {
	if protect.ContainsHome(root, home) {
		return ""
	}
	folder, common := layout.GitDir(root), layout.CommonDir(root)
	switch {
	case folder == filepath.Join(root, ".git") || !linked(real(folder), common, root): // no other work tree uses a .git folder
		return root
	case filepath.Base(common) == ".git":
		return filepath.Dir(common)
	}
	return common
}

// linked reports whether the repository of common has a work tree at root whose git data is in
// folder. Each must name the other, because anybody can distribute files that name a repository
// with existing consent.
func linked(folder, common, root string) bool {
	if filepath.Dir(folder) != filepath.Join(common, "worktrees") {
		return false
	}
	data, _ := fsutil.ReadBeginning(filepath.Join(folder, "gitdir"), 4<<10) // if the file is missing, no work tree matches
	return real(fsutil.ResolveIn(folder, strings.TrimSpace(string(data)))) == filepath.Join(root, ".git")
}

// real returns a path with links resolved, or the path itself if it does not exist.
func real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return path
}
