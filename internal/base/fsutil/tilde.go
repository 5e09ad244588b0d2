package fsutil

import (
	"path/filepath"
	"strings"
)

// Tilde returns a path with ~ in place of the home folder, and with slashes. It returns a path
// outside home unchanged, and every path if home is empty.
func Tilde(path, home string) string {
	if home == "" || !Within(path, home) {
		return path
	}
	return strings.TrimSuffix("~/"+strings.TrimLeft(filepath.ToSlash(path[len(home):]), "/"), "/")
}
