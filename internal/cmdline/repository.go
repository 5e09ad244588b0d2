package cmdline

import (
	"os"
	"path/filepath"
)

// InBareRepository reports whether git would treat dir, or a folder above it, as a repository only
// because of its content. Such a folder can be part of a checked-out project, with a configuration
// that makes git run programs.
func InBareRepository(dir string) bool {
	for {
		if exists(dir, "HEAD") && (exists(dir, "objects") || exists(dir, "commondir")) {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// exists reports whether a name exists in a folder. A dangling link counts, as it does for git.
func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
