// Package ignore lists the files of a folder that git would not ignore.
//
// Inside a repository git itself is asked, because no reimplementation of its
// patterns is right in every case; but only about what its index does not name.
// Elsewhere, and where git is not installed, the .gitignore files are read here,
// which is right in nearly every case: the tests ask git. The package only lists:
// it opens no file but .gitignore and the index.
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

	"agent/internal/git/index"
)

// Files returns the files below dir that git would not ignore, as sorted paths
// relative to root with forward slashes. Both root and dir are absolute or
// relative to the working directory, and dir is root or below it.
//
// Symbolic links are listed as they are and never followed, so that the
// listing ends; the caller that opens one has to check where it leads. The .git folder
// is never listed, nor is anything that is neither a file nor a link (pipes,
// sockets, devices). Folders that cannot be read are left out, unless it is dir
// itself.
func Files(ctx context.Context, root, dir string) ([]string, error) {
	return matching(ctx, root, dir, false, func(string) bool { return true })
}

// Matching returns those of Files for which keep is true of their paths in dir. Nothing is
// held of the others, so few of many cost little memory. A dir that is itself ignored is
// listed all the same: it was named on purpose.
func Matching(ctx context.Context, root, dir string, keep func(file string) bool) ([]string, error) {
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

// readable is nil for a folder that can be read.
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
		return "", fmt.Errorf("list %s: it is not inside %s", dir, root)
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
