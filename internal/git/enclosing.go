package git

import (
	"os"
	"path/filepath"
)

// Enclosing finds the repository whose work tree a folder is in: where git keeps what
// belongs to it, as [Folder] has it, and the path of the folder in the work tree with a slash
// at the end, empty for its top. Both are empty outside of a repository. It runs nothing.
func Enclosing(dir string) (folder, prefix string) {
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			if below, err := filepath.Rel(top, dir); err == nil && below != "." {
				prefix = filepath.ToSlash(below) + "/"
			}
			return Folder(top), prefix
		}
		if top == filepath.Dir(top) {
			return "", ""
		}
	}
}
