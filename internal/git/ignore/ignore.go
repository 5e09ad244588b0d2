// Package ignore lists the files of a folder that git does not ignore.
//
// Inside a repository it calls git, because no other implementation of git's patterns is right in
// every case. It passes only files that are not in git's index. Outside a repository, and if git is
// not installed, it reads the .gitignore files itself. Tests compare the result with git's; it is
// right in nearly every case. The package opens only .gitignore files and the index.
package ignore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/gitfiles/index"
)

// Files returns the files below dir that git does not ignore, as sorted slash paths relative to
// root. dir is root or a folder below it. Both are absolute or relative to the working directory.
//
// Files lists symbolic links but never follows them, so that the listing ends. A caller that opens
// a link must check its target. Files never lists the .git folder, pipes, sockets and devices. It
// skips folders that cannot be read, except dir itself.
func Files(ctx context.Context, root, dir string) ([]string, error) {
	return matching(ctx, root, dir, false, func(string) bool { return true })
}

// MatchingFiles returns the files for which keep returns true. The argument of keep is relative to dir.
// Rejected files use no memory. dir itself is listed even if git ignores it, because the caller
// named it.
func MatchingFiles(ctx context.Context, root, dir string, keep func(file string) bool) ([]string, error) {
	return matching(ctx, root, dir, true, keep)
}

func matching(ctx context.Context, root, dir string, named bool, keep func(file string) bool) ([]string, error) {
	below, err := relative(root, dir)
	if err != nil {
		return nil, err
	}
	var files []string
	above := 0
	if below != "." {
		above = len(below) + 1
	}
	_, err = walk(ctx, root, dir, named, Visitor{
		File: func(path []byte, _ *index.Entry) {
			if file := string(path); keep(file[above:]) {
				files = append(files, file)
			}
		},
		Again: func() { files = nil },
	})
	if err != nil {
		return nil, err
	}
	if !slices.IsSorted(files) {
		slices.Sort(files)
	}
	return slices.Compact(files), nil
}

func (f folder) readable() error {
	opened, err := f.tree.Open(f.at)
	if err != nil {
		return err
	}
	defer opened.Close()
	if _, err := opened.ReadDir(1); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// relative returns dir as a slash path below root, "." for root itself.
func relative(root, dir string) (string, error) {
	below, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(below) {
		return "", fmt.Errorf("can't list %s: it is outside %s", dir, root)
	}
	return filepath.ToSlash(below), nil
}

// listable reports whether a listing may name an entry of this mode.
func listable(mode fs.FileMode) bool {
	return mode.IsRegular() || mode&fs.ModeSymlink != 0
}

// contains reports whether the slash path inner is outer or below it.
func contains(outer, inner string) bool {
	return outer == "." || outer == inner || strings.HasPrefix(inner, outer+"/")
}
