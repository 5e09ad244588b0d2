package snapshot

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/git"
	"agent/internal/ignore"
)

// listing is what git listed in a repository, with what shows that it would list the
// same again: starting git costs more than all the rest of a look at a small repository,
// and most commands create and delete nothing.
type listing struct {
	files []string
	// sources are the stamps of the folders that git looked into, and of the files by
	// which it tells what it tracks and what it ignores; zero for those not there. It is
	// empty for a listing that is to be used once.
	sources map[string]stamp
}

// holds reports whether git would list the same.
func (l *listing) holds() bool {
	for path, was := range l.sources {
		if is, _ := stampOf(path); is != was {
			return false
		}
	}
	return len(l.sources) > 0
}

// listed lists the files of the workspace, by the last listing where that holds.
func (s *Store) listed(ctx context.Context) ([]string, error) {
	if s.scanned.listing.holds() {
		return s.scanned.listing.files, nil
	}
	begun := time.Now()
	files, err := ignore.Files(ctx, s.root, s.root)
	s.scanned.listing = listing{}
	if err == nil && len(files) <= mostFiles {
		s.scanned.listing = listing{files, s.sources(ctx, files, begun)}
	}
	return files, err
}

// listedAfter lists the files of the workspace that a listing before a command does not
// have, and notes the whole for the next. All is false when they are not all.
func (s *Store) listedAfter(ctx context.Context, was *before) (created []string, all bool) {
	if s.scanned.listing.holds() {
		return nil, true
	}
	bounded, cancel := context.WithTimeout(ctx, s.listTime)
	defer cancel()
	begun := time.Now()
	again, next := make([]bool, len(was.files)), 0
	created, _, err := ignore.Matching(bounded, s.root, s.root, func(file string) bool {
		if next == len(was.files) || was.files[next] != file { // git lists in the same order, for the most part
			next, _ = slices.BinarySearch(was.files, file)
		}
		if next == len(was.files) || was.files[next] != file {
			return true
		}
		again[next] = true
		next++
		return false
	})
	s.scanned.listing = listing{}
	all = err == nil && len(was.files)+len(created) <= mostFiles
	if err != nil {
		index := openIndex(s.root)
		defer index.Close()
		created = indexNames(index)
	}
	s.tell(ctx, all, len(was.files))
	if all {
		files := was.files
		if len(created) > 0 || slices.Contains(again, false) {
			files = slices.Grow([]string(nil), len(was.files)+len(created))
			for i, file := range was.files {
				if again[i] {
					files = append(files, file)
				}
			}
			files = append(files, created...)
			slices.Sort(files)
		}
		s.scanned.listing = listing{files, s.sources(ctx, files, begun)}
	}
	return created, all
}

// sources are those of a listing that was begun at a time. There are none where it is not
// certain that they show every change: outside of a repository, with another repository
// inside, and when one of them was changed just now.
func (s *Store) sources(ctx context.Context, files []string, begun time.Time) map[string]stamp {
	gitDir, prefix := git.Enclosing(s.root)
	if gitDir == "" || len(files) == 0 {
		return nil
	}
	w := sourceWalk{root: s.root, holding: map[string]bool{".": true}, paths: s.ignoreFiles(gitDir)}
	top := s.root
	for range strings.Count(prefix, "/") {
		top = filepath.Dir(top)
		w.paths = append(w.paths, filepath.Join(top, ".gitignore"))
	}
	for _, file := range files {
		for dir := path.Dir(file); !w.holding[dir]; dir = path.Dir(dir) {
			w.holding[dir] = true
		}
	}
	if !w.all(ctx) {
		return nil
	}
	sources := make(map[string]stamp, len(w.paths))
	for _, path := range w.paths {
		at, there := stampOf(path)
		if there && !at.settled(begun) {
			return nil
		}
		sources[path] = at
	}
	return sources
}

// ignoreFiles are the files outside of the work tree by which git tells what it lists,
// where they usually are.
func (o Options) ignoreFiles(gitDir string) []string {
	common := gitDir
	if data, err := os.ReadFile(filepath.Join(gitDir, "commondir")); err == nil { // a linked work tree
		if common = strings.TrimSpace(string(data)); !filepath.IsAbs(common) {
			common = filepath.Join(gitDir, common)
		}
	}
	files := []string{
		filepath.Join(gitDir, "index"), filepath.Join(gitDir, "config.worktree"),
		filepath.Join(common, "config"), filepath.Join(common, "info", "exclude"), "/etc/gitconfig",
	}
	if o.Home != "" {
		files = append(files, filepath.Join(o.Home, ".gitconfig"))
	}
	if o.Config != "" {
		files = append(files, filepath.Join(o.Config, "git", "config"), filepath.Join(o.Config, "git", "ignore"))
	}
	return files
}

// sourceWalk finds the folders that git looks into.
type sourceWalk struct {
	root string
	// holding are the folders that hold listed files, at any depth.
	holding map[string]bool
	// unsure are folders that hold none: they are ignored, or nothing in them is listed.
	unsure []string
	// paths are the absolute paths of what was found.
	paths []string
}

// mostRounds bounds how often git is asked which folders it ignores.
const mostRounds = 4

// all walks the whole workspace; false means that not all can be told.
func (w *sourceWalk) all(ctx context.Context) bool {
	if !w.folder(".") {
		return false
	}
	for range mostRounds {
		asked := w.unsure
		if len(asked) == 0 {
			return true
		}
		ignored, ok := ignoredFolders(ctx, w.root, asked)
		if !ok {
			return false
		}
		w.unsure = nil
		for _, dir := range asked {
			if !ignored[dir] && !w.folder(dir) {
				return false
			}
		}
	}
	return false
}

// folder takes down one folder and those in it that hold listed files.
func (w *sourceWalk) folder(dir string) bool {
	abs := absolute(w.root, dir)
	entries, err := os.ReadDir(abs)
	if err != nil {
		return false
	}
	w.paths = append(w.paths, abs)
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		switch {
		case entry.Name() == ".git":
			if dir != "." {
				return false // a repository of its own
			}
		case entry.Name() == ".gitignore":
			w.paths = append(w.paths, absolute(w.root, name))
		case !entry.IsDir():
		case !w.holding[name]:
			w.unsure = append(w.unsure, name)
		case !w.folder(name):
			return false
		}
	}
	return true
}

// ignoredFolders asks git which of these folders it ignores.
func ignoredFolders(ctx context.Context, root string, folders []string) (ignored map[string]bool, ok bool) {
	out, err := git.Answer(ctx, root, strings.NewReader(strings.Join(folders, "\x00")+"\x00"), "check-ignore", "-z", "--stdin")
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1) { // 1: none of them
		return nil, false
	}
	ignored = map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		ignored[name] = true
	}
	return ignored, true
}
