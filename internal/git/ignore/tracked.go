package ignore

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"slices"

	"agent/internal/gitfiles/index"
	"agent/internal/gitfiles/layout"
)

// folderWalk reads the folders of a repository and git's index in parallel, since both have the
// same order. A file in both is tracked and exists. Git is called only for the files that are not
// in the index. A repository of 5,000 files takes 11 ms instead of 42 ms for a full listing by git
// (BenchmarkRepository), for the 320 lines of tracked.go and untracked.go.
type folderWalk struct {
	ctx context.Context
	dir folder
	to  Visitor
	// path is the folder that is being read, with a slash at the end, or empty for the root. Its
	// first above bytes are the path of dir in the root.
	path  []byte
	above int
	// tracked is the reader of the index. more is true while it has an entry.
	tracked *index.Reader
	more    bool
	// levels holds the content of each folder from dir to the one that is being read.
	levels []*level
	// unknown lists the paths to check with git, with a slash after folders. links holds the paths
	// of repositories in the index, and inner lists the paths of existing repositories.
	unknown, inner []string
	links          map[string]bool
	// told is set after a file was reported. unsure is set if git's result depends on more than the
	// files on disk. blind is set if a folder could not be read.
	told, unsure, blind bool
}

// walkFolders reports the files below dir. It returns false if it cannot report all of them; the
// caller then lists the files with git.
func walkFolders(ctx context.Context, dir folder, above string, to Visitor) (walked WalkResult, ok bool) {
	gitDir, prefix := layout.FindRepository(dir.abs("."))
	if gitDir == "" {
		return WalkResult{}, false
	}
	tracked := index.Open(gitDir, prefix)
	defer tracked.Close()
	w := &folderWalk{ctx: ctx, dir: dir, to: to, path: []byte(above), above: len(above), tracked: tracked.Read(), links: map[string]bool{}}
	w.next()
	w.folder(0)
	for w.more { // skip entries that are not in dir
		w.next()
	}
	if w.tracked.Err() != nil || w.unsure || !w.reportOthers() {
		return WalkResult{}, false
	}
	return WalkResult{Listed: w.told, Stable: len(w.inner) == 0 && !w.blind}, true
}

// level is the content of one folder. The names are stored in one text, with a slash after folders,
// and with the beginning and end of each name.
type level struct {
	names []byte
	items []item
}

type item struct{ begin, end int }

func (l *level) name(i item) []byte { return l.names[i.begin:i.end] }

// read reads a folder and sorts its names in git's order. git is true if the folder has a .git.
func (l *level) read(dir folder, path string) (git bool, err error) {
	l.names, l.items = l.names[:0], l.items[:0]
	err = dir.read(path, func(name string, kind fs.FileMode) {
		if name == ".git" {
			git = true
			return
		}
		begin := len(l.names)
		switch {
		case kind.IsDir():
			l.names = append(append(l.names, name...), '/')
		case listable(kind):
			l.names = append(l.names, name...)
		default:
			return
		}
		l.items = append(l.items, item{begin, len(l.names)})
	})
	slices.SortFunc(l.items, func(a, b item) int { return bytes.Compare(l.name(a), l.name(b)) })
	return git, err
}

// folder walks through the folder w.path, which is depth levels below dir.
func (w *folderWalk) folder(depth int) {
	if w.ctx.Err() != nil {
		return
	}
	if depth == len(w.levels) {
		w.levels = append(w.levels, &level{})
	}
	here := w.levels[depth]
	path := string(w.path[w.above:])
	switch _, err := here.read(w.dir, path); {
	case isGone(err):
	case err != nil:
		w.unreadable()
	default:
		w.source(path, here)
	}
	length := len(w.path)
	for _, item := range here.items {
		name := here.name(item)
		if !w.skipTo(name) {
			w.ask(name)
			continue
		}
		w.path = append(w.path, name...)
		if name[len(name)-1] == '/' {
			w.folder(depth + 1)
		} else {
			w.file(w.path)
		}
		w.path = w.path[:length]
	}
	for w.nextIsHere() {
		w.drop()
	}
}

// source reports a folder that the walk has read.
func (w *folderWalk) source(path string, here *level) {
	if w.to.Source == nil {
		return
	}
	abs := w.dir.abs(path)
	w.to.Source(abs)
	_, found := slices.BinarySearchFunc(here.items, ".gitignore", func(i item, name string) int { return cmp.Compare(string(here.name(i)), name) })
	if found {
		w.to.Source(absolute(abs, ".gitignore"))
	}
}

// next reads the next entry of the index.
func (w *folderWalk) next() {
	w.more = w.tracked.Next()
	if e := &w.tracked.Entry; w.more && (e.Mode == index.Folder || e.Skipped && bytes.HasSuffix(e.Path, []byte(".gitignore"))) {
		w.unsure = true
	}
}

// nextIsHere reports whether the next entry is in the folder that is being read, or below it.
func (w *folderWalk) nextIsHere() bool {
	return w.more && bytes.HasPrefix(w.tracked.Entry.Path, w.path[w.above:])
}

// skipTo skips the entries of the index before a name in the current folder. It reports whether the
// index contains the name or, for a folder, a path below it.
func (w *folderWalk) skipTo(name []byte) bool {
	for ; w.nextIsHere(); w.drop() {
		rest := w.tracked.Entry.Path[len(w.path)-w.above:]
		if bytes.Equal(rest, name) || name[len(name)-1] == '/' && bytes.HasPrefix(rest, name) {
			return true
		}
		if bytes.Compare(rest, name) > 0 {
			break
		}
	}
	return false
}

// drop skips the next entry, because the file does not exist.
func (w *folderWalk) drop() {
	if w.tracked.Entry.Mode == index.Repository {
		w.links[string(w.tracked.Entry.Path)+"/"] = true
	}
	w.next()
}

// file reports the file of the next entry. It skips further entries with the same path, which are
// the sides of a merge conflict.
func (w *folderWalk) file(path []byte) {
	w.told = true
	w.to.File(path, &w.tracked.Entry)
	for w.next(); w.more && bytes.Equal(w.tracked.Entry.Path, path[w.above:]); w.next() {
	}
}

// ask adds a name that is not in the index to the names to check with git.
func (w *folderWalk) ask(name []byte) {
	path := string(w.path[w.above:]) + string(name)
	if w.links[path] {
		w.inner = append(w.inner, path)
		return
	}
	w.unknown = append(w.unknown, path)
}

// unreadable looks up each tracked file in a folder that cannot be listed.
func (w *folderWalk) unreadable() {
	w.blind = true
	for w.nextIsHere() {
		path := w.tracked.Entry.Path
		if info, err := w.dir.lstat(string(path)); err != nil || !listable(info.Mode()) {
			w.drop()
			continue
		}
		w.file(append(w.path[:w.above:w.above], path...))
	}
}
