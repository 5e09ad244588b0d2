package atcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/base/fsutil"
	"agent/internal/git/ignore"
)

// A workspace looks up names below its root. It implements names.
type workspace struct {
	ctx context.Context
	// root is absolute and free of symbolic links.
	root string
	// files lists all files that git does not ignore. It is filled at first use; listed is set
	// then.
	files  []string
	listed bool
	// resource reports whether a name belongs to a resource. It is nil if there are no resources.
	resource func(name string) bool
}

func openWorkspace(ctx context.Context, root string) (*workspace, error) {
	absolute, err := filepath.Abs(root)
	if err == nil {
		absolute, err = filepath.EvalSymlinks(absolute)
	}
	if err != nil {
		return nil, fmt.Errorf("can't use the workspace %s: %w", root, err)
	}
	return &workspace{ctx: ctx, root: absolute}, nil
}

// isResource implements names.
func (w *workspace) isResource(name string) bool { return w.resource != nil && w.resource(name) }

// exists implements names. It returns true for a file in a folder without search permission,
// because the later permission error is more helpful than "missing".
func (w *workspace) exists(name string) bool {
	info, err := os.Lstat(w.absolute(name))
	if errors.Is(err, fs.ErrPermission) {
		return true
	}
	if err != nil || !strings.HasSuffix(name, "/") {
		return err == nil
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(w.absolute(name))
	}
	return err == nil && info.IsDir()
}

// matches implements names.
func (w *workspace) matches(pattern string) bool { return len(w.glob(pattern)) > 0 }

// glob returns the files that match pattern, sorted, relative to the root. Files
// that git ignores never match.
func (w *workspace) glob(pattern string) []string {
	pattern, ok := w.inside(w.absolute(pattern))
	if !ok || !doublestar.ValidatePattern(pattern) {
		return nil
	}
	base, _ := doublestar.SplitPattern(pattern)
	base = strings.TrimPrefix(base+"/", "./")
	all := w.all()
	first, _ := slices.BinarySearch(all, base)
	var found []string
	for _, file := range all[first:] {
		if !strings.HasPrefix(file, base) {
			break
		}
		if doublestar.MatchUnvalidated(pattern, file) {
			found = append(found, file)
		}
	}
	return found
}

// all returns every file of the workspace that git does not ignore, sorted. It returns nothing if
// the workspace cannot be listed.
func (w *workspace) all() []string {
	if !w.listed {
		w.files, _ = ignore.Files(w.ctx, w.root, w.root)
		w.listed = true
	}
	return w.files
}

func (w *workspace) absolute(name string) string {
	return fsutil.ResolveIn(w.root, filepath.FromSlash(name))
}

// inside returns the absolute path full relative to the root, with forward
// slashes, and whether it is the root or below it.
func (w *workspace) inside(full string) (string, bool) {
	relative, err := filepath.Rel(w.root, full)
	if err != nil || !filepath.IsLocal(relative) {
		return "", false
	}
	return filepath.ToSlash(relative), true
}

// A refusal is the reason for not including a file, as text for the user.
type refusal string

// The reasons for omitting a file that is not over a limit.
const (
	outside       refusal = "it is outside the workspace"
	brokenLink    refusal = "its link target does not exist"
	unreadable    refusal = "it can't be read (permission denied)"
	notAFile      refusal = "it is neither a file nor a folder"
	linkToFolder  refusal = "it is a link to a folder"
	binary        refusal = "it is a binary file"
	notText       refusal = "it is not UTF-8 text"
	oddName       refusal = "its name contains control characters"
	nothingToRead refusal = "it contains only files that git ignores"
)

// resolve follows the links of name and returns the target, relative to the root.
func (w *workspace) resolve(name string) (string, fs.FileInfo, refusal) {
	full, err := filepath.EvalSymlinks(w.absolute(name))
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(full)
	}
	relative, ok := w.inside(full)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", nil, unreadable
	case err != nil:
		return "", nil, brokenLink
	case !ok:
		return "", nil, outside
	}
	return relative, info, ""
}

// below returns the files of the folder at a resolved path, relative to the folder.
func (w *workspace) below(folder string) ([]string, error) {
	files, err := ignore.Files(w.ctx, w.root, filepath.Join(w.root, filepath.FromSlash(folder)))
	if folder == "." {
		return files, err
	}
	for i := range files {
		files[i] = strings.TrimPrefix(files[i], path.Clean(folder)+"/")
	}
	return files, err
}
