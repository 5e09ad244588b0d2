package sessionsearch

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/toolspec"
)

// Sessions searches the session logs below a folder.
type Sessions struct {
	Folder string
	// Traits returns the traits of a tool, which determine the files that its calls name.
	Traits func(tool string) toolspec.Traits
}

// A log is the record of a session on disk.
type log struct {
	path string
	// size is in bytes. changed is the time of the last change.
	size, changed int64
}

func (l log) id() string { return strings.TrimSuffix(filepath.Base(l.path), ".jsonl") }

// logs lists the logs, latest changed first. It includes the logs of subagents in the folders of sessions.
func (x Sessions) logs() (found []log, err error) {
	err = fs.WalkDir(os.DirFS(x.Folder), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || !d.Type().IsRegular() || path.Ext(name) != ".jsonl":
			return nil
		}
		if info, err := d.Info(); err == nil {
			found = append(found, log{filepath.Join(x.Folder, filepath.FromSlash(name)), info.Size(), info.ModTime().UnixNano()})
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	slices.SortFunc(found, func(a, b log) int { return cmp.Or(cmp.Compare(b.changed, a.changed), strings.Compare(a.path, b.path)) })
	return found, fsutil.Reason(err)
}
