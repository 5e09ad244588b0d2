package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
)

// LookPath finds a program in the folders of path, a list like the variable PATH,
// that is in none of the folders inside, links followed: nobody should run a
// program of the workspace by the name of one of the system.
func LookPath(name, path string, inside ...string) (string, error) {
	if filepath.Base(name) != name {
		return "", fmt.Errorf("%s is not the name of a program", name)
	}
	for _, dir := range filepath.SplitList(safePath(path, inside...)) {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || info.Mode().Perm()&0o111 == 0 || isInside(file, inside) {
			continue
		}
		return file, nil
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// safePath returns the folders of a list like the variable PATH that are absolute
// and in none of the folders inside, links followed.
func safePath(path string, inside ...string) string {
	kept := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir) || isInside(dir, inside)
	})
	return strings.Join(kept, string(filepath.ListSeparator))
}

func isInside(path string, folders []string) bool {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = filepath.Clean(path)
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		return folder != "" && (disk.Within(resolved, folder) || real(folder) != "" && disk.Within(resolved, real(folder)) || disk.Within(filepath.Clean(path), folder))
	})
}
