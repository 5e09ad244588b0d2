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

// folders is a chain of open folders from a root to a target. The last ones may be newly created.
type folders struct {
	// last is the folder at the end of the chain.
	last folder
	// above is the folder that contains the first new folder, nil if none was created. made lists
	// the names of the new folders, each inside the previous one.
	above *os.Root
	made  []string
}

// openFolders opens a folder by its absolute path and creates the missing folders. After an error
// it removes the folders that it created.
func (w *Workspace) openFolders(abs string) (*folders, error) {
	f := &folders{}
	base, path, err := w.SplitPath(abs)
	if err != nil {
		return nil, err
	}
	// The root is opened each time, because it may have been replaced.
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

// openOrMake opens the folder with this name, and creates it if it is missing.
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

// remove removes the new folders. It keeps a folder to which another program has added something
// meanwhile.
func (f *folders) remove() error {
	f.last.close() // some systems cannot remove an open folder
	for ; len(f.made) > 0; f.made = f.made[:len(f.made)-1] {
		err := f.above.Remove(filepath.Join(f.made...))
		if notEmpty(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("can't remove the new folder %s: %w", filepath.Join(f.made...), fsutil.Reason(err))
		}
	}
	return nil
}

// flush writes the names in the chain to disk. It flushes the first and the last folder. A file
// system with a journal then also writes the folders between them.
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
