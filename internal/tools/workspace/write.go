package workspace

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"agent/internal/disk"
)

// ErrChanged is why Replace refuses: the file does not hold what was expected.
var ErrChanged = errors.New("was changed by something else at this moment")

// Replace makes the file hold after, if it holds before now; nil for before means
// that there must be no file. Folders above it are created. The file on disk is at
// every moment either the old or the new one, and after an error the old one. Mode
// and owner stay. It returns when the content is safe on disk.
func (w *Workspace) Replace(abs string, before, after []byte) error {
	if err := w.holds(abs, before); err != nil {
		return err
	}
	return w.write(abs, after)
}

// holds checks that a file holds what is expected, or is missing for nil.
func (w *Workspace) holds(abs string, before []byte) error {
	rel := w.Rel(abs)
	root, name, err := w.enter(abs)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", rel, disk.Reason(err))
	}
	defer root.Close()
	now, err := root.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && before == nil:
		return nil
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", rel, disk.Reason(err))
	case before == nil || !bytes.Equal(now, before):
		return fmt.Errorf("%s %w; nothing was written, read it again", rel, ErrChanged)
	}
	return nil
}

// write replaces the content of a file, or creates it together with the folders
// above it. The file on disk is at every moment either the old or the new one, and
// after an error the old one. Mode and owner stay. It returns when the content is
// safe on disk.
func (w *Workspace) write(abs string, content []byte) error {
	return w.writeWith(abs, func(out io.Writer) error {
		_, err := out.Write(content)
		return err
	})
}

// writeWith is write with the content coming from fill.
func (w *Workspace) writeWith(abs string, fill func(io.Writer) error) (err error) {
	root, rel, err := w.enter(abs)
	if err != nil {
		return w.unwritten(abs, err)
	}
	defer root.Close()
	old, err := replaceable(root, rel)
	if err != nil {
		return w.unwritten(abs, err)
	}
	made, err := makeFolders(root, filepath.Dir(rel))
	if err == nil {
		err = swap(root, rel, old, fill)
	}
	if err != nil {
		for _, folder := range slices.Backward(made) {
			err = errors.Join(err, root.Remove(folder))
		}
		return w.unwritten(abs, err)
	}
	// A new folder is safe only when the one that holds it is flushed as well.
	for _, folder := range append(made, rel) {
		if err := flushFolder(root, filepath.Dir(folder)); err != nil {
			return fmt.Errorf("%s was written, but may be lost if the machine stops now: %w", w.Rel(abs), disk.Reason(err))
		}
	}
	return nil
}

func (w *Workspace) unwritten(abs string, err error) error {
	return fmt.Errorf("cannot write %s: %w; nothing was changed", w.Rel(abs), disk.Reason(err))
}

// replaceable returns what is known of the file to replace, nil when there is
// none. A file that may not be written is refused here, because a rename would
// replace it all the same.
func replaceable(root *os.Root, rel string) (fs.FileInfo, error) {
	info, err := root.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := root.OpenFile(rel, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return info, f.Close()
}

// makeFolders creates the folders that are missing and returns them, outermost
// first, also after an error.
func makeFolders(root *os.Root, folder string) (made []string, err error) {
	var missing []string
	for ; folder != "."; folder = filepath.Dir(folder) {
		if _, err := root.Stat(folder); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing = append(missing, folder)
	}
	for _, folder := range slices.Backward(missing) {
		if err := root.Mkdir(folder, 0o777); err != nil {
			return made, err
		}
		made = append(made, folder)
	}
	return made, nil
}

// swap writes a file beside the one to replace and renames it over it. Nothing is
// left behind when that fails.
func swap(root *os.Root, rel string, old fs.FileInfo, fill func(io.Writer) error) (err error) {
	beside := filepath.Join(filepath.Dir(rel), ".agent-"+rand.Text()+".tmp")
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = 0o600
	}
	f, err := root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(beside))
		}
	}()
	err = fill(f)
	if err == nil && old != nil {
		err = takeOver(f, old)
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return root.Rename(beside, rel)
}

// takeOver gives a file the owner and the mode of the one it will replace.
func takeOver(f *os.File, old fs.FileInfo) error {
	own, err := f.Stat()
	if err != nil {
		return err
	}
	was, is := old.Sys().(*syscall.Stat_t), own.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return fmt.Errorf("its owner (user %d, group %d) could not be kept: %w", was.Uid, was.Gid, disk.Reason(err))
		}
	}
	return f.Chmod(old.Mode())
}

// flushFolder makes the names in a folder safe on disk.
func flushFolder(root *os.Root, folder string) error {
	f, err := root.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some network file systems cannot flush a folder and say so; the names are as
	// safe there as they get.
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
