package sandbox

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/disk"
	"agent/internal/protect/survey"
)

// guard puts protected files back as they were, where the backend cannot keep a
// command from changing them: those that do not exist yet, links, and without mounts
// all others. What the command had made of them is moved to a folder below the
// temporary one, so that nothing is lost should somebody else have made it.
//
// The command may have put links anywhere, and the guard is not confined. So it moves
// through an os.Root, which no link leads out of.
type guard struct {
	policy Policy
	// stop ends the watch; undone are the paths that it has put back, by name.
	stop   chan struct{}
	watch  sync.WaitGroup
	undone map[string]bool
	// things are what was protected, by path.
	things map[string]thing
	// folders are those whose files are protected.
	folders []place
	// known is what there was in the folders of repositories.
	known repositories
}

// place is a path below a folder that is trusted.
type place struct{ base, rel string }

func (p place) path() string { return filepath.Join(p.base, p.rel) }

// thing is what was at a place: nothing, a link, or a file.
type thing struct {
	place
	kind    fs.FileMode // absent, fs.ModeSymlink, or 0 for a file
	link    string
	content []byte
	mode    fs.FileMode
}

// absent is the kind of what was not there.
const absent = fs.ModeIrregular

// sample ends the names of hooks that git does not run.
const sample = ".sample"

// guardedBytes bounds the size of a protected file that is kept in memory.
const guardedBytes = 1 << 20

func newGuard(policy Policy, backend Backend) *guard {
	if policy.Profile != Work || policy.Temp == "" {
		return nil
	}
	g := &guard{policy: policy, things: map[string]thing{}, known: policy.repositories()}
	for _, path := range policy.Protected {
		where, ok := policy.placeOf(path)
		if !ok {
			continue
		}
		info, exists := policy.present[path]
		switch {
		case !exists:
			g.things[path] = thing{place: where, kind: absent}
		case info.Mode()&fs.ModeSymlink != 0:
			if link, err := os.Readlink(path); err == nil {
				g.things[path] = thing{place: where, kind: fs.ModeSymlink, link: link}
			}
		case backend == Thread || slices.Contains(policy.inside, path):
			g.keep(where, info)
		}
	}
	return g
}

// placeOf finds the writable folder that a path is in.
func (p Policy) placeOf(path string) (place, bool) {
	for _, base := range append([]string{p.Workspace}, p.git...) {
		if rel, err := filepath.Rel(base, path); err == nil && disk.Within(path, base) && path != base {
			return place{base, rel}, true
		}
	}
	return place{}, false
}

// keep remembers a file, or the files of a folder.
func (g *guard) keep(where place, info fs.FileInfo) {
	if !info.IsDir() {
		g.keepFile(where, info)
		return
	}
	_ = filepath.WalkDir(where.path(), func(file string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(where.base, file)
		if err != nil || relErr != nil {
			return nil
		}
		here := place{where.base, rel}
		if entry.IsDir() {
			g.folders = append(g.folders, here)
		} else if info, err := entry.Info(); err == nil {
			g.keepFile(here, info)
		}
		return nil
	})
}

func (g *guard) keepFile(where place, info fs.FileInfo) {
	if !info.Mode().IsRegular() || info.Size() > guardedBytes || strings.HasSuffix(where.rel, sample) {
		return
	}
	if content, err := disk.Read(where.path()); err == nil {
		g.things[where.path()] = thing{place: where, content: content, mode: info.Mode().Perm()}
	}
}

// guardEvery is how often a command that runs on is looked after: a server may run for
// hours, and what it makes would take effect meanwhile.
const guardEvery = 2 * time.Second

// begin looks after a command from now on.
func (g *guard) begin() {
	if g == nil {
		return
	}
	g.stop, g.undone = make(chan struct{}), map[string]bool{}
	g.watch.Go(func() {
		tick := time.NewTicker(guardEvery)
		defer tick.Stop()
		for {
			select {
			case <-g.stop:
				return
			case <-tick.C:
				g.restore(g.policy.Survey.Meanwhile)
			}
		}
	})
}

// end puts back what the command has changed, and returns all paths of which that is so,
// and whether there may be more beyond what is looked into.
func (g *guard) end() (undone []string, unwatched bool) {
	if g == nil {
		return nil, false
	}
	close(g.stop)
	g.watch.Wait()
	g.restore(g.policy.Survey.After)
	return slices.Sorted(maps.Keys(g.undone)), g.policy.Survey != nil && g.policy.Survey.Partial()
}

// restore puts back what changed, look being how the survey is asked.
func (g *guard) restore(look func() survey.Found) {
	var changed []string
	for _, folder := range g.folders {
		for _, name := range names(folder) {
			path := filepath.Join(folder.path(), name)
			if _, known := g.things[path]; !known && g.setAside(place{folder.base, filepath.Join(folder.rel, name)}) {
				changed = append(changed, path)
			}
		}
	}
	changed = append(changed, g.undoNew(look)...)
	for path, was := range g.things {
		root, err := os.OpenRoot(was.base)
		if err != nil {
			continue
		}
		if !was.isIn(root) && g.putBack(root, was) {
			changed = append(changed, path)
		}
		root.Close()
	}
	for _, path := range changed {
		g.undone[path] = true
	}
}

// undoNew moves away what is protected now and was not there before, wherever it is in
// the workspace, unless git makes the like.
func (g *guard) undoNew(look func() survey.Found) []string {
	if g.policy.Survey == nil {
		return g.undoInGit(nil)
	}
	found := look()
	paths := found.Later
	for _, repository := range found.Repositories {
		var inside gitFolders
		inside.addProtected(repository)
		paths = append(append(paths, inside.protect...), g.policy.named(filepath.Dir(repository))...)
	}
	undone := g.undoInGit(found.Repositories)
	for _, path := range paths {
		where, ok := g.policy.placeOf(path)
		if !ok || slices.Contains(g.policy.Protected, path) {
			continue // it was there before, or its absence is looked at anyway
		}
		if _, err := os.Lstat(path); err == nil && !madeByGit(path) && g.setAside(where) {
			undone = append(undone, path)
		}
	}
	return undone
}

// names lists the files of a folder.
func names(folder place) []string {
	root, err := os.OpenRoot(folder.base)
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), filepath.ToSlash(folder.rel))
	var found []string
	for _, entry := range entries {
		if !entry.IsDir() && !strings.HasSuffix(entry.Name(), sample) {
			found = append(found, entry.Name())
		}
	}
	return found
}

// isIn reports whether what was at a place is there still.
func (t thing) isIn(root *os.Root) bool {
	info, err := root.Lstat(t.rel)
	switch {
	case t.kind == absent:
		return err != nil || madeByGit(t.path())
	case err != nil || info.Mode().Type() != t.kind:
		return false
	case t.kind == fs.ModeSymlink:
		link, err := root.Readlink(t.rel)
		return err == nil && link == t.link
	}
	now, err := root.ReadFile(t.rel)
	return err == nil && info.Mode().Perm() == t.mode && bytes.Equal(now, t.content)
}

func (g *guard) putBack(root *os.Root, was thing) bool {
	aside := g.setAside(was.place)
	switch was.kind {
	case absent:
		return aside
	case fs.ModeSymlink:
		return root.Symlink(was.link, was.rel) == nil
	}
	return root.MkdirAll(filepath.Dir(was.rel), 0o755) == nil && root.WriteFile(was.rel, was.content, was.mode) == nil
}

// setAside moves a file or folder out of the way.
func (g *guard) setAside(what place) bool {
	root, err := os.OpenRoot(what.base)
	if err != nil {
		return false
	}
	defer root.Close()
	parent, err := root.Open(filepath.Dir(what.rel))
	if err != nil {
		return false
	}
	defer parent.Close()
	name := filepath.Base(what.rel)
	dir, err := os.MkdirTemp(g.policy.Temp, "undone-")
	if err != nil {
		return false
	}
	if unix.Renameat(int(parent.Fd()), name, unix.AT_FDCWD, filepath.Join(dir, name)) == nil {
		return true
	}
	_ = os.Remove(dir)
	return root.RemoveAll(what.rel) == nil // on another file system
}
