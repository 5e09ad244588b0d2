package git

import (
	"os"
	"path/filepath"
)

// Enclosing finds the repository whose work tree a folder is in: where git keeps what
// belongs to it, as [Folder] has it, and the path of the folder in the work tree with a slash
// at the end, empty for its top. Folder is empty outside of a repository, and when that one
// is configured to be of another work tree. It runs nothing.
func Enclosing(dir string) (folder, prefix string) {
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			if below, err := filepath.Rel(top, dir); err == nil && below != "." {
				prefix = filepath.ToSlash(below) + "/"
			}
			folder = Folder(top)
			if folder == "" {
				return "", prefix
			}
			if tree := configuredTree(folder); tree != "" && real(tree) != real(top) {
				return "", prefix
			}
			return folder, prefix
		}
		if top == filepath.Dir(top) {
			return "", ""
		}
	}
}
