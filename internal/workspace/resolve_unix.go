//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"agent/internal/base/fsutil"
)

// follow returns the absolute target of a path from the model, as commands see it.
func (w *Workspace) follow(path string) (string, error) {
	return w.followLinks(fsutil.ResolveIn(w.root, path))
}

// followLinks replaces every symbolic link in a clean absolute path, as commands see it, by the
// link's target. Unlike filepath.EvalSymlinks it also follows links whose target does not exist,
// because a write would create that target.
func (w *Workspace) followLinks(path string) (string, error) {
	real, rest := "/", strings.Split(path, "/")
	links := 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			real = filepath.Dir(real)
			continue
		}
		next := filepath.Join(real, name)
		if w.holdsShown(next) {
			real = next
			continue
		}
		info, err := os.Lstat(w.DiskPath(next))
		switch {
		case os.IsNotExist(err):
			real = next
			continue
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			real = next
			continue
		}
		if links++; links > maxLinks {
			return "", syscall.ELOOP
		}
		target, err := os.Readlink(w.DiskPath(next))
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			real = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return real, nil
}
