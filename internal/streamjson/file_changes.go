package streamjson

import (
	"fmt"
	"slices"

	"agent/internal/base/humanize"
	"agent/internal/chat"
)

// FileChanges describes the files that the edits and commands of a turn, or of a run, have changed.
type FileChanges struct {
	// Files lists paths relative to the workspace.
	Files []string `json:"files"`
	// Added and Removed count lines of text.
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// changedBy returns the changes of a turn, or nil if it changed nothing.
func changedBy(e chat.TurnEnded) *FileChanges {
	if len(e.Changes.Files) == 0 {
		return nil
	}
	return &FileChanges{e.Changes.Files, e.Changes.Added, e.Changes.Removed}
}

// AddTurnChanges adds the changes of a finished turn to the changes of the run.
func (r *Run) AddTurnChanges(e chat.TurnEnded) {
	turn := changedBy(e)
	switch {
	case turn == nil:
		return
	case r.Changed == nil:
		r.Changed = turn
		return
	}
	files := slices.Concat(r.Changed.Files, turn.Files)
	slices.Sort(files)
	r.Changed = &FileChanges{slices.Compact(files), r.Changed.Added + turn.Added, r.Changed.Removed + turn.Removed}
}

func (c *FileChanges) String() string {
	return fmt.Sprintf("%s changed +%d −%d", humanize.Count(len(c.Files), "file"), c.Added, c.Removed)
}
