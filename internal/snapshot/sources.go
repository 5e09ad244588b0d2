package snapshot

import (
	"path/filepath"
	"strings"
	"time"

	"agent/internal/git/layout"
)

// sources are what shows that a listing would be the same again: the stamps of the folders
// that were looked into, and of the files by which git reports what it tracks and what it
// ignores; zero for those not there. There are none for a listing that is to be used once.
type sources map[string]stamp

// hold reports whether nothing has changed.
func (s sources) hold() bool {
	for path, was := range s {
		if is, _ := stampOf(path); is != was {
			return false
		}
	}
	return len(s) > 0
}

// sourcesOf are those of a listing that was begun at a time and came upon some paths. There
// are none where it is not certain that they show every change: outside of a repository, and
// when one of them was changed just now.
func (s *Store) sourcesOf(paths []string, begun time.Time) sources {
	gitDir, prefix := layout.Enclosing(s.files.Root())
	if gitDir == "" {
		return nil
	}
	paths = append(paths, s.ignoreFiles(gitDir, layout.Common(s.files.Root()))...)
	top := s.files.Root()
	for range strings.Count(prefix, "/") {
		top = filepath.Dir(top)
		paths = append(paths, filepath.Join(top, ".gitignore"))
	}
	found := make(sources, len(paths))
	for _, path := range paths {
		at, there := stampOf(path)
		if there && !at.settled(begun) {
			return nil
		}
		found[path] = at
	}
	return found
}

// ignoreFiles are the files outside of the work tree by which git reports what it lists,
// where they usually are. Common is what the work trees of the repository share.
func (o Options) ignoreFiles(gitDir, common string) []string {
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
