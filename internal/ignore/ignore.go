// Package ignore lists the files of a folder that git would not ignore.
//
// Inside a repository git itself is asked, because no reimplementation of its
// patterns is right in every case. Elsewhere, and where git is not installed,
// the .gitignore files are read here, which is right in nearly every case: the
// tests ask git. The package only lists: it opens no file but .gitignore.
package ignore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files returns the files below dir that git would not ignore, as sorted paths
// relative to root with forward slashes. Both root and dir are absolute or
// relative to the working directory, and dir is root or below it.
//
// Symbolic links are listed as they are and never followed, so that the
// listing ends; whoever opens one has to check where it leads. The .git folder
// is never listed, nor is anything that is neither a file nor a link (pipes,
// sockets, devices). Folders that cannot be read are left out, unless it is dir
// itself.
func Files(ctx context.Context, root, dir string) ([]string, error) {
	below, err := relative(root, dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	files, ok := gitFiles(ctx, root, below)
	// Git lists nothing in a workspace that an outer repository ignores as a
	// whole. Its files are still what the user works on, so the .gitignore files
	// from root down decide alone.
	if !ok || len(files) == 0 {
		files = walkedFiles(ctx, root, below)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// relative returns dir as a slash path below root, "." for root itself.
func relative(root, dir string) (string, error) {
	below, err := filepath.Rel(root, dir)
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
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
