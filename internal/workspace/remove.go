package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/base/fsutil"
)

// Remove removes the file if expected accepts it. expected receives the open file, and is called
// again when no other program can reach the file by its name. If expected refuses the file, the
// error is ErrChanged and the file remains.
func (w *Workspace) Remove(abs string, expected func(*os.File) bool) error {
	return w.inFolder(abs, "remove", func(t target) error {
		if err := t.remove(expected); err != nil {
			return err
		}
		return t.dir.flush()
	})
}

func (t target) remove(expected func(*os.File) bool) error {
	old, err := t.open()
	if err != nil {
		return err
	}
	defer old.Close()
	held, err := holdWriters(old)
	if err != nil {
		return err
	}
	defer held.release()
	if !expected(old) {
		return ErrChanged
	}
	aside := temporaryName()
	if err := t.dir.rename(t.name, aside); err != nil {
		return err
	}
	if held.intact() && sameFile(t.dir, aside, old) && expected(old) {
		letGo(old)
		held.release()
		return t.dir.remove(aside)
	}
	// A link never replaces a file that another program has created meanwhile.
	if err := t.dir.link(aside, t.name); err != nil {
		return fmt.Errorf("another program changed the file at this moment; it was renamed to %s: %w", aside, err)
	}
	return errors.Join(ErrChanged, t.dir.remove(aside))
}

// Unlink removes a symbolic link with the target leads. The error is ErrChanged if the link has
// another target.
func (w *Workspace) Unlink(abs, leads string) error {
	return w.inFolder(abs, "remove", func(t target) error {
		if now, err := t.dir.readLink(t.name); err != nil || now != leads {
			return ErrChanged
		}
		if err := t.dir.remove(t.name); err != nil {
			return err
		}
		return t.dir.flush()
	})
}

// Link creates a symbolic link with the target leads, at a path that must be free. It creates the
// folders above the path. It does not check the target.
func (w *Workspace) Link(abs, leads string) error {
	folders, err := w.openFolders(filepath.Dir(abs))
	if err != nil {
		return unwritten(w.Rel(abs), err)
	}
	defer folders.close()
	err = folders.last.symlink(leads, filepath.Base(abs))
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s %w", w.Rel(abs), ErrChanged)
	case err != nil:
		return errors.Join(unwritten(w.Rel(abs), err), folders.remove())
	}
	return folders.flush()
}

// SetMode sets the permissions of a file. The error is ErrChanged if the file is a link.
func (w *Workspace) SetMode(abs string, mode fs.FileMode) error {
	return w.inFolder(abs, "change the mode of", func(t target) error { return setMode(t.dir, t.name, mode) })
}

// RemoveFolder removes a folder if it is empty.
func (w *Workspace) RemoveFolder(abs string) {
	// An error means that the folder is not empty, or is not a folder.
	_ = w.inFolder(abs, "remove", func(t target) error { return t.dir.removeFolder(t.name) })
}

// inFolder calls act with a name in an existing folder.
func (w *Workspace) inFolder(abs, what string, act func(target) error) error {
	root, err := w.OpenFolder(filepath.Dir(abs))
	if err == nil {
		defer root.Close()
		var dir folder
		if dir, err = openFolder(root); err == nil {
			defer dir.close()
			err = act(target{dir, filepath.Base(abs)})
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrChanged):
		return fmt.Errorf("%s %w", w.Rel(abs), err)
	}
	return fmt.Errorf("can't %s %s: %w", what, w.Rel(abs), fsutil.Reason(err))
}
