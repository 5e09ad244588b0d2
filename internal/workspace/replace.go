package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agent/internal/base/fsutil"
)

// ErrChanged is the error of Replace for a file without the expected content.
var ErrChanged = errors.New("was changed by another program at this moment")

// errOpen is the error of Replace for a file that another program has open for writing. Later
// writes of that program would be lost.
var errOpen = errors.New("another program has it open for writing; try again, or use the shell if it stays open")

// Replace sets the content of the file to after if it is before; nil for before means that the file
// must not exist. Replace creates the folders above the file. The file on disk is at every time
// either the old or the new one, and after an error the old one. Mode, owner and extended
// attributes stay unchanged. Replace returns when the content is safely on disk.
//
// Writes by other programs at the same time are not lost. Replace exchanges the old file and the
// new one, and reverses the exchange if the old file turns out to have unexpected content. Programs
// that use Replace wait for one another.
func (w *Workspace) Replace(abs string, before, after []byte) error {
	return w.replaceWith(abs, before, func(out io.Writer) error {
		_, err := out.Write(after)
		return err
	})
}

// replaceWith is Replace with content that fill writes.
func (w *Workspace) replaceWith(abs string, before []byte, fill func(io.Writer) error) error {
	rel := w.Rel(abs)
	defer lockReplace(abs)()
	folders, err := w.openFolders(filepath.Dir(abs))
	if err != nil {
		return unwritten(rel, err)
	}
	defer folders.close()
	target := target{dir: folders.last, name: filepath.Base(abs)}
	flush := func() error {
		if err := folders.flush(); err != nil {
			return fmt.Errorf("%s %w: %w", rel, errUnsafe, fsutil.Reason(err))
		}
		return nil
	}
	if before == nil {
		err = target.create(fill, flush)
	} else {
		err = target.exchange(before, fill, flush)
	}
	switch {
	case err == nil, errors.Is(err, errUnsafe):
		return err
	case errors.Is(err, ErrChanged):
		return errors.Join(fmt.Errorf("%s %w; nothing was written. Read it again", rel, ErrChanged), folders.remove())
	}
	return errors.Join(unwritten(rel, err), folders.remove())
}

// errUnsafe means that a file was written, but that its directory entry may not have been flushed to disk.
var errUnsafe = errors.New("was written, but may be lost if the machine crashes now")

func unwritten(rel string, err error) error {
	return fmt.Errorf("can't write %s: %w; nothing was changed", rel, fsutil.Reason(err))
}

// target is a name in an open folder.
type target struct {
	dir  folder
	name string
}

// create creates a file that must not exist. flush writes its name to disk.
func (t target) create(fill func(io.Writer) error, flush func() error) error {
	f, err := newTemporary(t.dir, 0o666, nil, fill)
	if err != nil {
		return err
	}
	defer f.discard()
	switch err = f.link(t.name); {
	case errors.Is(err, fs.ErrExist):
		return ErrChanged
	case err != nil:
		return err
	}
	return flush()
}

// exchange replaces a file whose content must be before. flush writes the names to disk.
func (t target) exchange(before []byte, fill func(io.Writer) error, flush func() error) error {
	old, err := t.open()
	if err != nil {
		return err
	}
	defer old.Close()
	if !HasContent(old, before) {
		return ErrChanged
	}
	f, err := newTemporary(t.dir, 0o600, old, fill)
	if err != nil {
		return err
	}
	defer f.discard()
	return t.swap(old, f, before, flush)
}

// open opens and locks the file to be replaced. The file must be writable, because an exchange
// would replace a read-only file too. The lock lasts until the file is closed, so that all users of
// Replace, in this program and in others, wait for one another.
func (t target) open() (*os.File, error) {
	f, err := t.dir.open(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrChanged
	case err != nil:
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fsutil.ErrNoFile
	}
	if err == nil {
		err = t.dir.writable(t.name)
	}
	if err == nil {
		lock(f)
		if !sameFile(t.dir, t.name, f) {
			err = ErrChanged
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// swap replaces the old file, whose content must be before, by a finished file. The old file is
// locked, so that only programs that do not use Replace can interfere.
func (t target) swap(old *os.File, f *temporary, before []byte, flush func() error) error {
	held, err := holdWriters(old)
	if err != nil {
		return err
	}
	defer held.release()
	if !HasContent(old, before) {
		return ErrChanged
	}
	if err := f.giveName(); err != nil {
		return err
	}
	exchanged := time.Now()
	err = exchangeNames(t.dir, f.path, t.name)
	if errors.Is(err, errors.ErrUnsupported) {
		// Without a lock on the file, a write by another program between the check and the rename
		// is lost.
		letGo(old)
		if err := held.renameOver(t.dir, f.path, t.name); err != nil {
			return err
		}
		f.path = ""
		return flush()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	// The old file now has the temporary name. Another program may have looked up the old file by
	// its name without opening it yet. That program now waits for the end of the lease, which
	// intact detects. So the lease lasts as long as the flush, and at least as long as standstill.
	undisturbed := func() bool { return held.intact() && HasContent(old, before) && sameFile(t.dir, f.path, old) }
	if undisturbed() {
		err := flush()
		time.Sleep(standstill - time.Since(exchanged))
		if err != nil || undisturbed() {
			return err
		}
	}
	return t.takeBack(f)
}

// takeBack restores the old file. If another program has changed the new file, that change is the
// latest, so the new file stays.
func (t target) takeBack(f *temporary) error {
	if f.changed() {
		return ErrChanged
	}
	if err := exchangeNames(t.dir, f.path, t.name); err != nil {
		return err
	}
	if !sameFile(t.dir, f.path, f.file) {
		// Between the two exchanges another program replaced the new file by its own.
		if err := exchangeNames(t.dir, f.path, t.name); err != nil {
			return err
		}
	}
	return ErrChanged
}

// HasContent reports whether an open file has exactly this content.
func HasContent(f *os.File, content []byte) bool {
	now, err := io.ReadAll(io.NewSectionReader(f, 0, int64(len(content))+1))
	return err == nil && bytes.Equal(now, content)
}

// standstill is the longest assumed time between a program's look-up of a file and its opening the
// file for writing. If the file is replaced in that time, no write of the program is lost. Flushing
// the exchange to disk takes longer anyway.
const standstill = 2 * time.Millisecond

// Times to wait until other programs release a file or folder. They usually release it within a
// millisecond. But a command that this program starts inherits all open files until it executes its
// own program. On a busy machine that takes hundreds of milliseconds.
const (
	patience = time.Second
	pause    = time.Millisecond
)
