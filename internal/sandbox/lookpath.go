package sandbox

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/layout"
)

// LookPath returns the file that a shell would run for a program's name with SafePath. It returns
// an error if the file is a link into one of the folders inside.
func LookPath(name, path string, inside ...string) (string, error) {
	if filepath.Base(name) != name {
		return "", fmt.Errorf("%q is a path, but a program name is required", name)
	}
	file := firstExecutable(name, SafePath(path, inside...))
	if file == "" || IsInside(file, inside) {
		return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
	}
	return file, nil
}

// LookPathInside returns the file that a shell would run for a program's name with the absolute
// folders of path. It returns "" if that file, after links are followed, is in none of the folders
// inside.
func LookPathInside(name, path string, inside ...string) string {
	if filepath.Base(name) != name {
		return ""
	}
	file := firstExecutable(name, absoluteFolders(path))
	if file == "" || !IsInside(file, inside) {
		return ""
	}
	return file
}

func firstExecutable(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if file := executable(filepath.Join(dir, name)); file != "" {
			return file
		}
	}
	return ""
}

// absoluteFolders returns a list like PATH without its relative folders, because these depend on the
// current folder.
func absoluteFolders(path string) string {
	kept := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(kept, string(filepath.ListSeparator))
}

// SafePath returns the folders of a list like PATH that are absolute and in none of the folders
// inside, with links followed. With it, the name of a system program never runs a file of the
// workspace.
func SafePath(path string, inside ...string) string {
	kept := slices.DeleteFunc(filepath.SplitList(absoluteFolders(path)), func(dir string) bool { return IsInside(dir, inside) })
	return strings.Join(kept, string(filepath.ListSeparator))
}

// IsInside reports whether a path is in one of the folders, either as written or with links
// followed.
func IsInside(path string, folders []string) bool {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = filepath.Clean(path)
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		real := layout.Real(folder)
		return folder != "" && (fsutil.Within(resolved, folder) || real != "" && fsutil.Within(resolved, real) || fsutil.Within(filepath.Clean(path), folder))
	})
}
