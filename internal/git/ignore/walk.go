package ignore

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// walkedFiles returns the files below a slash path in root, sorted. It reads the folders itself and
// applies the .gitignore files from root down.
func walkedFiles(ctx context.Context, root folder, below string) []string {
	w := &patternWalk{ctx: ctx, root: root, below: below}
	w.folder(".", nil)
	slices.Sort(w.files)
	return w.files
}

type patternWalk struct {
	ctx   context.Context
	root  folder
	below string
	files []string
}

// folder lists one folder, named by its slash path relative to root. patterns are the patterns of
// the folders above it. Later patterns take precedence.
func (w *patternWalk) folder(dir string, patterns []pattern) {
	if w.ctx.Err() != nil {
		return
	}
	type entry struct {
		name string
		kind fs.FileMode
	}
	var entries []entry
	err := w.root.read(dir, func(name string, kind fs.FileMode) {
		if name != ".git" {
			entries = append(entries, entry{path.Join(dir, name), kind})
		}
	})
	if err != nil {
		return
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	patterns = append(slices.Clip(patterns), w.patterns(dir)...)
	for _, e := range entries {
		if ignored(patterns, e.name, e.kind.IsDir()) {
			continue
		}
		switch {
		case e.kind.IsDir() && (contains(w.below, e.name) || contains(e.name, w.below)):
			w.folder(e.name, patterns)
		case listable(e.kind) && e.name != w.below && contains(w.below, e.name):
			w.files = append(w.files, e.name)
		}
	}
}

// mostPatterns is the size of the largest .gitignore file that is read, in bytes.
const mostPatterns = 4 << 20

// patterns reads the .gitignore file of a folder.
func (w *patternWalk) patterns(dir string) []pattern {
	data, err := w.root.tree.ReadFile(path.Join(w.root.at, dir, ".gitignore"), mostPatterns, nil)
	if err != nil {
		return nil
	}
	return parsePatterns(string(data), dir)
}
