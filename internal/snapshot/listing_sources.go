package snapshot

import (
	"path/filepath"
	"strings"
	"time"

	"agent/internal/gitfiles/layout"
)

// sources holds the stamps of all files and folders on which a listing depends. These are the
// folders that were read, and the files in which git stores the tracked files and the ignore rules.
// While the stamps are the same, a new listing would be the same. A missing file has a zero stamp.
// A listing without sources is used only once.
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

// sourcesOf returns the files on which a listing depends: the read paths and the files that
// determine what git lists. begun is the time at which the listing began. sourcesOf returns nil if
// stamps might miss a change. This is so outside of a repository, or if one of the files has just
// changed.
func (s *Store) sourcesOf(paths []string, begun time.Time) sources {
	gitDir, prefix := layout.FindRepository(s.files.workspace.Root())
	if gitDir == "" {
		return nil
	}
	paths = append(paths, s.ignoreFiles(gitDir, layout.CommonDir(s.files.workspace.Root()))...)
	top := s.files.workspace.Root()
	for range strings.Count(prefix, "/") {
		top = filepath.Dir(top)
		paths = append(paths, filepath.Join(top, ".gitignore"))
	}
	stamps := make(sources, len(paths))
	for _, path := range paths {
		at, there := stampOf(path)
		if there && !at.settled(begun) {
			return nil
		}
		stamps[path] = at
	}
	return stamps
}

// ignoreFiles returns the files outside of the work tree that determine which files git lists, at
// their usual paths. common is the folder that the repository's work trees share.
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
