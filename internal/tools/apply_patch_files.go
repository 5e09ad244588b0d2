package tools

import (
	"bytes"
	"errors"
	"io"
	"os"

	"agent/internal/snapshot"
)

// applyPatch makes the changes of a patch, all or none: what was made before one fails is
// put back. Files go last, so that a moved one is never nowhere.
func (e *Env) applyPatch(p patched) Answer {
	files := make([]snapshot.Edited, len(p.files))
	for i, file := range p.files {
		files[i] = snapshot.Edited{Abs: file.abs, Before: file.before, After: file.after}
		if file.from != "" {
			files[i].Mode = file.mode
		}
	}
	kept, notDone := e.Snapshots.Edit(files...)
	var made []patchedFile
	for _, goes := range []bool{false, true} {
		for _, file := range p.files {
			if (file.after == nil) != goes {
				continue
			}
			if err := e.make(file); err != nil {
				if err := e.putBack(made); err != nil {
					return Answer{Error: "The patch was applied in part: " + err.Error()}
				}
				notDone()
				return Answer{Error: nothingChanged + err.Error()}
			}
			made = append(made, file)
		}
	}
	answer := Answer{Text: p.report(e.Limits), Change: kept}
	for _, file := range p.files {
		answer.Diff += file.unified()
		if file.after == nil {
			e.Seen.Forget(file.abs)
			continue
		}
		e.Seen.Record(file.abs, file.after)
	}
	if last := p.files[0]; len(p.files) == 1 && last.after != nil {
		answer.Shown = &Shown{Path: last.abs, Content: last.after}
	}
	return answer
}

// make makes one change.
func (e *Env) make(file patchedFile) error {
	if file.after == nil {
		return e.Workspace.Remove(file.abs, func(f *os.File) bool { return holds(f, file.before) })
	}
	err := e.Workspace.Replace(file.abs, file.before, file.after)
	if err == nil && file.from != "" && file.before == nil {
		err = e.Workspace.SetMode(file.abs, file.mode.Perm())
	}
	return err
}

// putBack takes back what was made, the last first.
func (e *Env) putBack(made []patchedFile) error {
	var all []error
	for i := len(made) - 1; i >= 0; i-- {
		file := made[i]
		var err error
		switch {
		case file.before == nil:
			err = e.Workspace.Remove(file.abs, func(f *os.File) bool { return holds(f, file.after) })
		case file.after == nil:
			if err = e.Workspace.Replace(file.abs, nil, file.before); err == nil {
				err = e.Workspace.SetMode(file.abs, file.mode.Perm())
			}
		default:
			err = e.Workspace.Replace(file.abs, file.after, file.before)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// holds reports whether an open file holds a content.
func holds(f *os.File, content []byte) bool {
	held, err := io.ReadAll(io.NewSectionReader(f, 0, int64(len(content))+1))
	return err == nil && bytes.Equal(held, content)
}
