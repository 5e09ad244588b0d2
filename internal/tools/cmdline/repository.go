package cmdline

import (
	"os"
	"path/filepath"
)

// InBareRepository reports whether git would take dir, or a folder above it, for
// a repository by its content alone. Such a folder can be checked in as part of
// the project, with a configuration that makes git run programs.
func InBareRepository(dir string) bool {
	for {
		head, headErr := os.Stat(filepath.Join(dir, "HEAD"))
		objects, objectsErr := os.Stat(filepath.Join(dir, "objects"))
		if headErr == nil && objectsErr == nil && !head.IsDir() && objects.IsDir() {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}
