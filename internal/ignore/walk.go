package ignore

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
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
func (w *walk) folder(dir string, patterns []gitignore.Pattern) {
	if w.ctx.Err() != nil {
		return
	}
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(dir)))
	if err != nil {
		return
	}
	patterns = append(slices.Clip(patterns), w.patterns(dir)...)
	matcher := gitignore.NewMatcher(patterns)
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if entry.Name() == ".git" || matcher.Match(strings.Split(name, "/"), entry.IsDir()) {
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
func (w *walk) patterns(dir string) []gitignore.Pattern {
	file := filepath.Join(w.root, filepath.FromSlash(dir), ".gitignore")
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var domain []string
	if dir != "." {
		domain = strings.Split(dir, "/")
	}
	var patterns []gitignore.Pattern
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, gitignore.ParsePattern(line, domain))
		}
	}
	return patterns
}
