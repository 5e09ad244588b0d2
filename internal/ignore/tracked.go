package ignore

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"slices"

	"agent/internal/disk"
	"agent/internal/git/index"
	"agent/internal/git/layout"
)

// folderWalk walks through the folders of a repository and git's index side by side, which
// are in the same order: what is in both is tracked and there, what is in a folder only git
// is asked about. To have git list all takes several times as long.
type folderWalk struct {
	ctx context.Context
	dir folder
	to  Visitor
	// path is that of the folder being read, with a slash at the end, or empty. It begins
	// with what leads from the root to dir, which is above bytes long.
	path  []byte
	above int
	// tracked is at the next entry of the index while more is true.
	tracked *index.Reader
	more    bool
	// levels are what the folders from dir to the one being read hold.
	levels []*level
	reader disk.FolderReader
	// unknown are what git is to be asked about, with a slash behind folders; links are
	// where the index says that repositories are, and inner where there are some.
	unknown, inner []string
	links          map[string]bool
	// told is set once a file was reported, unsure where git uses more than is on disk, and
	// blind that a folder could not be read.
	told, unsure, blind bool
}

// walkFolders reports the files below dir; it is false when it cannot report them all, and
// git is to be asked itself.
func walkFolders(ctx context.Context, dir folder, above string, to Visitor) (walked Walked, ok bool) {
	gitDir, prefix := layout.Enclosing(dir.abs("."))
	if gitDir == "" {
		return Walked{}, false
	}
	tracked := index.Open(gitDir, prefix)
	defer tracked.Close()
	w := &folderWalk{ctx: ctx, dir: dir, to: to, path: []byte(above), above: len(above), tracked: tracked.Read(), links: map[string]bool{}}
	w.next()
	w.folder(0)
	for w.more { // beyond dir
		w.next()
	}
	if w.tracked.Err() != nil || w.unsure || !w.others() {
		return Walked{}, false
	}
	return Walked{Listed: w.told, Certain: len(w.inner) == 0 && !w.blind}, true
}

// level is what one folder holds: names one after the other, folders with a slash at the
// end, and where each begins and ends.
type level struct {
	names []byte
	items []item
}

type item struct{ begin, end int }

func (l *level) name(i item) []byte { return l.names[i.begin:i.end] }

// read reads a folder, ordered as git orders names. Git is true when a repository is there.
func (l *level) read(reader *disk.FolderReader, dir folder, path string) (git bool, err error) {
	l.names, l.items = l.names[:0], l.items[:0]
	err = dir.read(reader, path, func(name []byte, kind fs.FileMode) {
		if string(name) == ".git" {
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

// folder walks through the folder at the path, which is so many levels below dir.
func (w *folderWalk) folder(depth int) {
	if w.ctx.Err() != nil {
		return
	}
	if depth == len(w.levels) {
		w.levels = append(w.levels, &level{})
	}
	here := w.levels[depth]
	path := string(w.path[w.above:])
	switch _, err := here.read(&w.reader, w.dir, path); {
	case gone(err):
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
	for w.here() {
		w.drop()
	}
}

// source reports a folder that was looked into.
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

// next continues to the next entry of the index.
func (w *folderWalk) next() {
	w.more = w.tracked.Next()
	if e := &w.tracked.Entry; w.more && (e.Mode == index.Folder || e.Skipped && bytes.HasSuffix(e.Path, []byte(".gitignore"))) {
		w.unsure = true
	}
}

// here reports whether the next entry is in the folder being read, or below it.
func (w *folderWalk) here() bool {
	return w.more && bytes.HasPrefix(w.tracked.Entry.Path, w.path[w.above:])
}

// skipTo leaves out what comes in the index before a name in the folder being read, and
// reports whether the index has it, or for a folder something in it.
func (w *folderWalk) skipTo(name []byte) bool {
	for ; w.here(); w.drop() {
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

// drop leaves out the next entry: there is no such file.
func (w *folderWalk) drop() {
	if w.tracked.Entry.Mode == index.Repository {
		w.links[string(w.tracked.Entry.Path)+"/"] = true
	}
	w.next()
}

// file reports a file that the next entry is of, and leaves out others of its name, which
// are sides of a conflict.
func (w *folderWalk) file(path []byte) {
	w.told = true
	w.to.File(path, &w.tracked.Entry)
	for w.next(); w.more && bytes.Equal(w.tracked.Entry.Path, path[w.above:]); w.next() {
	}
}

// ask notes what is not in the index.
func (w *folderWalk) ask(name []byte) {
	path := string(w.path[w.above:]) + string(name)
	if w.links[path] {
		w.inner = append(w.inner, path)
		return
	}
	w.unknown = append(w.unknown, path)
}

// unreadable looks for itself at each file of a folder that cannot be read.
func (w *folderWalk) unreadable() {
	w.blind = true
	for w.here() {
		path := w.tracked.Entry.Path
		if info, err := w.dir.lstat(string(path)); err != nil || !listable(info.Mode()) {
			w.drop()
			continue
		}
		w.file(append(w.path[:w.above:w.above], path...))
	}
}
