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

	"agent/internal/base/fsutil"
	"agent/internal/protect/sensitive"
)

// guard restores protected files that a command has changed. It covers files that the backend
// cannot protect: files that do not exist yet, links, and paths whose parent folder may be renamed.
// If there are no mounts, it covers all protected files. It moves the command's version to a folder
// below the temporary one, so that nothing is lost if another program made the change.
//
// The command may have created links anywhere, and the guard is not confined. So the guard uses
// os.Root, which no link can escape.
type guard struct {
	policy Policy
	// stop ends the watch when it is closed. undone is the set of paths that were restored.
	stop   chan struct{}
	watch  sync.WaitGroup
	undone map[string]bool
	// originals holds the protected files in their state at the start, by path.
	originals map[string]original
	// folders lists the folders whose files are all protected.
	folders []place
	// known is the state of the git folders at the start.
	known repositories
}

// place is a path relative to a trusted folder.
type place struct{ base, rel string }

func (p place) path() string { return filepath.Join(p.base, p.rel) }

// original is the state of a place at the start: missing, a link, or a file.
type original struct {
	place
	kind    fs.FileMode // kind is 0 for a file, fs.ModeSymlink, or absent
	link    string
	content []byte
	mode    fs.FileMode
}

// absent is the kind of an original that did not exist.
const absent = fs.ModeIrregular

// sample is the suffix of hooks that git does not run.
const sample = ".sample"

// guardedBytes is the largest size of a protected file whose content is kept in memory.
const guardedBytes = 1 << 20

// newGuard returns a guard that has recorded the protected files of the policy. It returns nil if
// the command cannot change any.
func newGuard(policy Policy, backend Backend) *guard {
	if policy.Profile != ProfileWork || policy.Temp == "" {
		return nil
	}
	g := &guard{policy: policy, originals: map[string]original{}, known: policy.repositories()}
	for _, path := range policy.Protected {
		where, ok := policy.placeOf(path)
		if !ok {
			continue
		}
		info, exists := policy.present[path]
		switch {
		case !exists:
			g.originals[path] = original{place: where, kind: absent}
		case info.Mode()&fs.ModeSymlink != 0:
			if link, err := os.Readlink(path); err == nil {
				g.originals[path] = original{place: where, kind: fs.ModeSymlink, link: link}
			}
		case backend == Landlock || slices.Contains(policy.movable, path):
			g.remember(where, info)
		}
	}
	return g
}

// placeOf returns the place of a path in a writable folder, and false if no writable folder
// contains it.
func (p Policy) placeOf(path string) (place, bool) {
	for _, base := range append([]string{p.Workspace}, p.git...) {
		if rel, err := filepath.Rel(base, path); err == nil && fsutil.Within(path, base) && path != base {
			return place{base, rel}, true
		}
	}
	return place{}, false
}

const maxOriginals = 2000

// remember records a file, or every file of a folder, as an original.
func (g *guard) remember(where place, info fs.FileInfo) {
	if !info.IsDir() {
		g.rememberFile(where, info)
		return
	}
	_ = filepath.WalkDir(where.path(), func(file string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(where.base, file)
		if err != nil || relErr != nil {
			return nil
		}
		if len(g.originals) >= maxOriginals {
			return fs.SkipAll
		}
		here := place{where.base, rel}
		if entry.IsDir() {
			g.folders = append(g.folders, here)
		} else if info, err := entry.Info(); err == nil {
			g.rememberFile(here, info)
		}
		return nil
	})
}

func (g *guard) rememberFile(where place, info fs.FileInfo) {
	if !info.Mode().IsRegular() || info.Size() > guardedBytes || strings.HasSuffix(where.rel, sample) {
		return
	}
	if content, err := fsutil.Read(where.path()); err == nil {
		g.originals[where.path()] = original{place: where, content: content, mode: info.Mode().Perm()}
	}
}

// guardEvery is the interval between checks of the files while a command runs. A server may run for
// hours, so its changes would otherwise take effect long before its end.
const guardEvery = 2 * time.Second

// begin starts checking the files at intervals.
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
				g.restore(g.policy.Survey.ScanDuring)
			}
		}
	})
}

// end restores the files a last time. It returns all paths that were restored since begin.
// unwatched is set if the list may be incomplete because the survey does not visit every folder.
func (g *guard) end() (undone []string, unwatched bool) {
	if g == nil {
		return nil, false
	}
	close(g.stop)
	g.watch.Wait()
	g.restore(g.policy.Survey.ScanAfter)
	return slices.Sorted(maps.Keys(g.undone)), g.policy.Survey != nil && g.policy.Survey.IsPartial()
}

// restore restores every file that changed. look is the survey method to use.
func (g *guard) restore(look func() sensitive.Files) {
	var changed []string
	for _, folder := range g.folders {
		for _, name := range names(folder) {
			path := filepath.Join(folder.path(), name)
			if _, known := g.originals[path]; !known && g.setAside(place{folder.base, filepath.Join(folder.rel, name)}) {
				changed = append(changed, path)
			}
		}
	}
	changed = append(changed, g.undoNew(look)...)
	for path, was := range g.originals {
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

// undoNew moves new protected files away, anywhere in the workspace, unless git creates such files.
func (g *guard) undoNew(look func() sensitive.Files) []string {
	if g.policy.Survey == nil {
		return g.undoInGit(nil)
	}
	found := look()
	paths := found.RunLater
	for _, repository := range found.Repositories {
		var inside gitFolders
		inside.addProtected(repository)
		paths = append(append(paths, inside.protect...), g.policy.configured(filepath.Dir(repository))...)
	}
	undone := g.undoInGit(found.Repositories)
	for _, path := range paths {
		where, ok := g.policy.placeOf(path)
		if !ok || slices.Contains(g.policy.Protected, path) {
			continue // the copy has an original
		}
		if _, err := os.Lstat(path); err == nil && !madeByGit(path) && g.setAside(where) {
			undone = append(undone, path)
		}
	}
	return undone
}

// names returns the names of the files in a folder, without sample hooks.
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

// isIn reports whether the original is still unchanged.
func (t original) isIn(root *os.Root) bool {
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
	if info.Mode().Perm() != t.mode || info.Size() != int64(len(t.content)) {
		return false
	}
	now, err := root.ReadFile(t.rel)
	return err == nil && bytes.Equal(now, t.content)
}

func (g *guard) putBack(root *os.Root, was original) bool {
	aside := g.setAside(was.place)
	switch was.kind {
	case absent:
		return aside
	case fs.ModeSymlink:
		return root.Symlink(was.link, was.rel) == nil
	}
	return root.MkdirAll(filepath.Dir(was.rel), 0o755) == nil && root.WriteFile(was.rel, was.content, was.mode) == nil
}

// setAside moves a file or folder to a new folder below the temporary one. It reports whether the
// path is free afterwards.
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
	if moveOut(parent, name, dir) == nil {
		return true
	}
	_ = os.Remove(dir)
	return root.RemoveAll(what.rel) == nil // the temporary folder is on another file system
}
