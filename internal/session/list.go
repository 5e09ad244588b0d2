package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// Info describes one session in a list.
type Info struct {
	ID        string
	Path      string
	Workspace string
	Started   time.Time
	// Used is the time of the latest record, except records that set a title.
	Used time.Time
	// FirstPrompt is the first line the user wrote.
	FirstPrompt string
	// Title is the title that a user gave the session. Otherwise it is the title of a subagent's task, or a
	// title made from FirstPrompt.
	Title string
	// task is the title of a subagent's task, or "" for any other session.
	task string
	// Unattended is set for a run of a script, in which no user could answer questions.
	Unattended bool
	// Counts covers all entries that were ever recorded, including pruned entries.
	Counts
	// Parent is the session from which this session was forked, or "" for none.
	Parent string
	// Branch is the branch that was checked out at the last use, or "" if it is unknown.
	Branch string
	// Model is the model that answered last, or "" if it is unknown.
	Model string
	// Bytes is the size of the log.
	Bytes int64
}

// Unanswered reports whether the session is a run of a script to which no model has replied.
func (i Info) Unanswered() bool { return i.Unattended && i.Messages > 0 && i.Entries == i.Messages }

// List returns the sessions of a workspace, or of all workspaces if workspace is "", latest used first. It
// omits files that are not logs, and sessions without an entry. If the record with the workspace is
// damaged, the folder of the log determines the workspace.
func List(dir, workspace string) ([]Info, error) {
	folder := "*"
	if workspace != "" {
		folder = folderName(workspace)
	}
	paths, err := fs.Glob(os.DirFS(dir), folder+"/*"+extension)
	if err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("can't list the sessions: %w", err)
	}
	infos := make([]Info, len(paths))
	var group errgroup.Group
	group.SetLimit(4)
	for i, path := range paths {
		group.Go(func() error {
			infos[i], _ = Inspect(filepath.Join(dir, path))
			return nil
		})
	}
	_ = group.Wait()
	infos = slices.DeleteFunc(infos, func(i Info) bool { return i.Entries == 0 })
	for i := range infos {
		infos[i].Workspace = cmp.Or(infos[i].Workspace, workspace)
	}
	infos = slices.DeleteFunc(infos, func(i Info) bool { return workspace != "" && i.Workspace != workspace })
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Used.Compare(a.Used), strings.Compare(b.ID, a.ID))
	})
	return infos, nil
}

// clockError limits how far in the future the time of a record may be.
const clockError = time.Hour

// Latest returns the session of a list that was used last. The list is the result of List and not empty. A
// session with a time in the future was recorded with a wrong clock, and counts as the oldest.
func Latest(infos []Info, now time.Time) Info {
	for _, info := range infos {
		if info.Used.Before(now.Add(clockError)) {
			return info
		}
	}
	return infos[0]
}
