package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
)

// folders is a chain of folders from a root to a target. Missing folders at its end may have been
// made.
type folders struct {
	// last is the folder at the end of the chain.
	last folder
	// above is the folder that holds the first new folder, nil if no folder was made. made holds
	// the names of the new folders, each inside the one before.
	above *os.Root
	made  []string
}

// openFolders opens a folder by its absolute path and makes the missing folders. After an error
// it removes the folders that it made.
func (w *Workspace) openFolders(abs string) (*folders, error) {
	f := &folders{}
	base, path, err := w.Below(abs)
	if err != nil {
		return nil, err
	}
	// The root is opened again each time, so that a replaced folder is found again.
	at, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(path, "/") {
		next, err := f.openOrMake(at, name)
		if at != f.above {
			at.Close()
		}
		if err != nil {
			err = errors.Join(err, f.remove())
			f.close()
			return nil, err
		}
		at = next
	}
	f.last, err = openFolder(at)
	at.Close()
	if err != nil {
		err = errors.Join(err, f.remove())
		f.close()
		return nil, err
	}
	return f, nil
}

// openOrMake opens the folder of this name, and makes the folder if it is missing.
func (f *folders) openOrMake(at *os.Root, name string) (*os.Root, error) {
	if f.above == nil { // a new folder is empty, so it can be removed
		next, err := fsutil.OpenFolder(at, name)
		if !errors.Is(err, fs.ErrNotExist) {
			return next, err
		}
	}
	if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	} else if err == nil {
		f.made = append(f.made, name)
		if f.above == nil {
			f.above = at
		}
	}
	return fsutil.OpenFolder(at, name)
}

// remove removes the new folders. It leaves a folder in which another program has put something
// in the meantime.
func (f *folders) remove() error {
	f.last.close() // some systems keep an open folder
	for ; len(f.made) > 0; f.made = f.made[:len(f.made)-1] {
		err := f.above.Remove(filepath.Join(f.made...))
		if notEmpty(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the new folder %s is left behind: %w", filepath.Join(f.made...), fsutil.Reason(err))
		}
	}
	return nil
}

// flush makes the names in the chain safe on disk. It flushes the first and the last folder: a
// file system with a journal writes the folders between them as well.
func (f *folders) flush() error {
	err := f.last.flush()
	if f.above != nil {
		above, opening := openFolder(f.above)
		if opening != nil {
			return errors.Join(err, opening)
		}
		err = errors.Join(err, above.flush())
		above.close()
	}
	return err
}

func (f *folders) close() {
	f.last.close()
	if f.above != nil {
		f.above.Close()
	}
}
