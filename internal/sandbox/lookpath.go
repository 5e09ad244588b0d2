package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
	"agent/internal/git/layout"
)

// LookPath finds the program that a shell runs by a name with SafePath. It is an error
// when that program is a link into one of the folders inside.
func LookPath(name, path string, inside ...string) (string, error) {
	if filepath.Base(name) != name {
		return "", fmt.Errorf("%s is not the name of a program", name)
	}
	file := first(name, SafePath(path, inside...))
	if file == "" || IsInside(file, inside) {
		return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
	}
	return file, nil
}

// FoundInside returns the program that a shell finds by a name in the absolute folders
// of path, where that is in one of the folders inside, links followed; else it is empty.
func FoundInside(name, path string, inside ...string) string {
	if filepath.Base(name) != name {
		return ""
	}
	file := first(name, absolute(path))
	if file == "" || !IsInside(file, inside) {
		return ""
	}
	return file
}

// first is the first file in the folders of path that a shell would run by a name.
func first(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// absolute are the folders of a list like the variable PATH that do not depend on where
// one is.
func absolute(path string) string {
	kept := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(kept, string(filepath.ListSeparator))
}

// SafePath returns the folders of a list like the variable PATH that are absolute
// and in none of the folders inside, links followed: nobody should run a program of the
// workspace by the name of one of the system.
func SafePath(path string, inside ...string) string {
	kept := slices.DeleteFunc(filepath.SplitList(absolute(path)), func(dir string) bool { return IsInside(dir, inside) })
	return strings.Join(kept, string(filepath.ListSeparator))
}

// IsInside reports whether a path is in one of some folders, links followed or not.
func IsInside(path string, folders []string) bool {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = filepath.Clean(path)
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		real := layout.Real(folder)
		return folder != "" && (disk.Within(resolved, folder) || real != "" && disk.Within(resolved, real) || disk.Within(filepath.Clean(path), folder))
	})
}
