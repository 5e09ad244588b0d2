package tools

import (
	"errors"
	"os"

	"agent/internal/history"
	"agent/internal/snapshot"
	"agent/internal/workspace"
)

// nothingChanged is the start of the error for an edit of several files that was not made.
const nothingChanged = "Nothing was changed. "

// apply makes an edit, all or nothing: if a change fails, the earlier changes are undone. A file
// that has changed since the edit was planned stays unchanged. Files are removed last, so that a
// moved file always exists under one of its names.
func (e *Env) apply(p editPlan) Answer {
	files := make([]snapshot.FileEdit, len(p.changes))
	for i, c := range p.changes {
		files[i] = snapshot.FileEdit{Abs: c.abs, Before: c.before, After: c.after}
		if c.from != "" {
			files[i].Mode = c.mode
		}
	}
	kept, notDone := e.Snapshots.BeginEdit(files...)
	var made []change
	for _, removals := range []bool{false, true} {
		for _, c := range p.changes {
			if (c.after == nil) != removals {
				continue
			}
			if err := e.make(c); err != nil {
				if left, err := e.putBack(made); err != nil {
					// The changes that could not be undone are recorded, so that the user can undo
					// them like any change.
					return Answer{Error: "The patch was applied only in part: " + err.Error(), Change: kept, Changed: e.Snapshots.Paths(kept), Diff: e.note(left)}
				}
				notDone()
				if len(p.changes) == 1 {
					return failedAnswer(err)
				}
				return Answer{Error: nothingChanged + err.Error()}
			}
			made = append(made, c)
		}
	}
	answer := Answer{Text: p.report(e.Limits), Change: kept, Changed: e.Snapshots.Paths(kept), Diff: e.note(p.changes)}
	if len(p.changes) == 1 && p.changes[0].after != nil {
		answer.View = viewOf(p.changes[0].abs, p.changes[0].after, history.View{})
	}
	return answer
}

// note records the new contents as seen by the model, and returns the diff of the changes.
func (e *Env) note(changes []change) (diff string) {
	for _, c := range changes {
		diff += c.unified()
		if c.after == nil {
			e.Seen.Forget(c.abs)
		} else {
			e.Seen.Record(c.abs, c.after)
		}
	}
	return diff
}

func (e *Env) make(c change) error {
	if c.after == nil {
		return e.Workspace.Remove(c.abs, func(f *os.File) bool { return workspace.HasContent(f, c.before) })
	}
	err := e.Workspace.Replace(c.abs, c.before, c.after)
	if err == nil && c.from != "" && c.before == nil {
		err = e.Workspace.SetMode(c.abs, c.mode.Perm())
	}
	return err
}

// putBack undoes changes, the last first. It returns the changes that it could not undo, with the
// reasons.
func (e *Env) putBack(made []change) (left []change, err error) {
	var all []error
	for i := len(made) - 1; i >= 0; i-- {
		c := made[i]
		var err error
		switch {
		case c.before == nil:
			err = e.Workspace.Remove(c.abs, func(f *os.File) bool { return workspace.HasContent(f, c.after) })
		case c.after == nil:
			if err = e.Workspace.Replace(c.abs, nil, c.before); err == nil {
				err = e.Workspace.SetMode(c.abs, c.mode.Perm())
			}
		default:
			err = e.Workspace.Replace(c.abs, c.after, c.before)
		}
		if err != nil {
			left, all = append(left, c), append(all, err)
		}
	}
	return left, errors.Join(all...)
}
