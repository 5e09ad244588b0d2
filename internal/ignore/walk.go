package ignore

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"agent/internal/disk"
)

// walkedFiles reads the folders below the slash path below of root itself,
// obeying the .gitignore files from root down.
func walkedFiles(ctx context.Context, root, below string) []string {
	w := &walk{ctx: ctx, root: root, below: below}
	w.folder(".", nil)
	return w.files
}

type walk struct {
	ctx   context.Context
	root  string
	below string
	files []string
}

// folder lists one folder, a slash path relative to root. The patterns are
// those of the folders above it, weakest first.
func (w *walk) folder(dir string, patterns []pattern) {
	if w.ctx.Err() != nil {
		return
	}
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(dir)))
	if err != nil {
		return
	}
	patterns = append(slices.Clip(patterns), w.patterns(dir)...)
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if entry.Name() == ".git" || ignored(patterns, name, entry.IsDir()) {
			continue
		}
		switch {
		case entry.IsDir() && (contains(w.below, name) || contains(name, w.below)):
			w.folder(name, patterns)
		case listable(entry.Type()) && contains(w.below, name):
			w.files = append(w.files, name)
		}
	}
}

// patterns reads the .gitignore file of one folder.
func (w *walk) patterns(dir string) []pattern {
	file := filepath.Join(w.root, filepath.FromSlash(dir), ".gitignore")
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := disk.Read(file)
	if err != nil {
		return nil
	}
	return parsePatterns(string(data), dir)
}
