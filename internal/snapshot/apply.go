package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"agent/internal/base/fsutil"
)

// errMoved is returned for a plan that was made for another state of the files.
var errMoved = errors.New("files changed after agent listed these changes. Run the command again")

// ChangedFile is a file that a plan changed.
type ChangedFile struct {
	// Path is relative to the workspace, Abs absolute.
	Path, Abs string
	// Does is the kind of the change: create, change, delete, mode.
	Does string
	// Content is the file's new content, nil for a deleted file or a link.
	Content []byte
	// Before and After are the states of the file, with the hashes of known contents.
	Before, After FileState
}

// Apply executes a plan as a whole or not at all. It fails with a *RefusedError if a file has
// changed since the plan was made. After any other error the files are unchanged, unless the error
// states otherwise. Apply has no context, since a partial undo would be worse than a late one.
func (s *Store) Apply(p *Plan) ([]ChangedFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree.isPast(p) {
		return nil, errMoved
	}
	again := &Plan{from: p.from, to: p.to}
	if err := s.plan(context.Background(), again); err != nil {
		return nil, err
	}
	if len(again.Refused) > 0 {
		return nil, &RefusedError{again.Refused}
	}
	if !again.sameAs(p) {
		return nil, errMoved
	}
	if err := s.ready(); err != nil {
		return nil, fmt.Errorf("no file was changed, because agent can't record the change: %w", fsutil.Reason(err))
	}
	s.write(record{Move: &move{To: p.to, Way: p.Kind, Redo: p.redo}})
	if err := s.files.goAll(again.Steps); err != nil {
		s.write(record{Move: &move{To: s.tree.head, Done: true, Redo: s.tree.redo}})
		for _, begun := range s.tree.half.moves(s.tree.head) {
			s.write(record{Move: &begun})
		}
		return nil, err
	}
	s.tree.head, s.tree.redo, s.tree.half = p.to, p.redo, nowhere
	s.write(record{Move: &move{To: p.to, Done: true, Redo: p.redo}})
	return changedBy(again.Steps), nil
}

// IsOutdated reports whether the program has changed files, or reversed such changes, since the plan
// was made. Apply refuses such a plan.
func (p *Plan) IsOutdated() bool {
	if p.store == nil {
		return false
	}
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	return p.store.tree.isPast(p)
}

// isPast reports whether the files are at a different node than the start of a plan.
func (t *tree) isPast(p *Plan) bool { return t.head != p.from && t.half.to != p.from }

func (p *Plan) sameAs(other *Plan) bool {
	if len(p.Steps) != len(other.Steps) {
		return false
	}
	for i, step := range p.Steps {
		o := other.Steps[i]
		if step.Path != o.Path || step.Does != o.Does || !bytes.Equal(step.now.content, o.now.content) || !bytes.Equal(step.then.content, o.then.content) {
			return false
		}
	}
	return true
}

func changedBy(steps []Step) []ChangedFile {
	all := make([]ChangedFile, len(steps))
	for i, step := range steps {
		all[i] = ChangedFile{Path: step.Path, Abs: step.now.abs, Does: step.Does, Content: step.then.content, Before: step.now.summed(), After: step.then.summed()}
	}
	return all
}

// sameFile reports whether two versions of a file are equal.
func (f version) sameFile(other version) bool {
	return f.Kind == other.Kind && f.LinkTarget == other.LinkTarget && f.Mode == other.Mode && bytes.Equal(f.content, other.content)
}

func (w *files) turnInto(now, then version) error {
	// A file that the agent created has the mode of new files, so it is created again.
	made := then.Kind == KindFile && then.Mode == 0 && now.Mode != 0 && !bytes.Equal(now.content, then.content)
	if then.Kind != KindFile || now.Kind != KindFile || now.content == nil || made {
		if err := w.remove(now); err != nil {
			return err
		}
		now = version{FileState: FileState{Kind: KindMissing}, abs: now.abs}
	}
	switch then.Kind {
	case KindMissing:
		return nil
	case KindLink:
		return w.workspace.Link(now.abs, then.LinkTarget)
	}
	return w.fill(now, then)
}

// remove removes a version of a file. It fails if the file has changed since it was read.
func (w *files) remove(now version) error {
	switch now.Kind {
	case KindLink:
		return w.workspace.Unlink(now.abs, now.LinkTarget)
	case KindFile:
		if err := w.makeWritable(now); err != nil {
			return err
		}
		return w.workspace.Remove(now.abs, func(f *os.File) bool { return w.isUnchanged(now, f) })
	}
	return nil
}

// isUnchanged reports whether an open file has not changed since now was read.
func (w *files) isUnchanged(now version, f *os.File) bool {
	if now.content == nil {
		info, err := f.Stat()
		return err == nil && info.Size() == now.Size && info.ModTime().Equal(now.Written)
	}
	held := make([]byte, len(now.content)+1)
	n, _ := f.ReadAt(held, 0)
	return bytes.Equal(held[:n], now.content)
}

// fill writes a file and sets its permissions.
func (w *files) fill(now, then version) error {
	if now.Kind == KindMissing || !bytes.Equal(now.content, then.content) {
		before := now.content
		if now.Kind == KindMissing {
			before = nil
			w.workspace.RemoveFolder(now.abs) // only if the folder is empty
		} else if err := w.makeWritable(now); err != nil {
			return err
		}
		if err := w.workspace.Replace(now.abs, before, then.content); err != nil {
			return err
		}
	}
	if then.Mode == 0 {
		return nil
	}
	return w.workspace.SetMode(now.abs, then.Mode)
}

// makeWritable makes a file writable for its owner, since a read-only file cannot be replaced.
func (w *files) makeWritable(f version) error {
	info, err := os.Lstat(f.abs)
	if err != nil || info.Mode()&ownerWrites != 0 {
		return nil // an error is reported by the caller's next step
	}
	return w.workspace.SetMode(f.abs, info.Mode()&permissions|ownerWrites)
}

// isNotFolder reports whether an error means that a folder in a path is a file.
func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
