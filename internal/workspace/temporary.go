package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"agent/internal/git/ignore"
)

// The prefix and the suffix of the names of temporary files. Between them is a random part.
const (
	temporaryPrefix = ".agent-"
	temporarySuffix = ".tmp"
)

// A temporary is a file that is written before it gets its final name. If the system supports it,
// the file has no name until it is complete, so that a killed program leaves no file behind.
type temporary struct {
	file *os.File
	dir  folder
	mode uint32
	// old is the file that the temporary file will replace, nil for none. fill writes the new
	// content.
	old  *os.File
	fill func(io.Writer) error
	// path is the name of the file in dir, empty while it has none.
	path string
	// written is the metadata of the complete file.
	written fs.FileInfo
}

// newTemporary creates a file in a folder, with the owner, mode and attributes of old, and flushes
// it to disk.
func newTemporary(dir folder, mode uint32, old *os.File, fill func(io.Writer) error) (*temporary, error) {
	f := &temporary{dir: dir, mode: mode, old: old, fill: fill}
	file, err := openUnnamed(dir, mode)
	if err != nil {
		return f, f.makeNamed()
	}
	f.file = file
	return f, f.complete()
}

// makeNamed creates the file again with a temporary name, for a system without unnamed files.
func (f *temporary) makeNamed() error {
	if f.file != nil {
		f.file.Close()
	}
	name := temporaryName()
	file, err := f.dir.create(name, f.mode)
	if err != nil {
		return err
	}
	f.file, f.path = file, name
	return f.complete()
}

func temporaryName() string { return temporaryPrefix + rand.Text() + temporarySuffix }

// complete fills the file, or discards it.
func (f *temporary) complete() error {
	err := f.fill(f.file)
	if err == nil && f.old != nil {
		err = takeOver(f.file, f.old)
	}
	if err == nil {
		err = f.file.Sync()
	}
	if err == nil {
		f.written, err = f.file.Stat()
	}
	if err != nil {
		f.discard()
	}
	return err
}

// changed reports whether another program has written to the file since it was complete.
func (f *temporary) changed() bool {
	now, err := f.file.Stat()
	return err != nil || now.Size() != f.written.Size() || !now.ModTime().Equal(f.written.ModTime())
}

// link links the file to its final name, which must be free.
func (f *temporary) link(name string) error {
	if f.path == "" {
		if err := linkUnnamed(f.file, f.dir, name); !noLinks(err) {
			return err
		}
		if err := f.makeNamed(); err != nil {
			return err
		}
	}
	if err := f.dir.link(f.path, name); !noLinks(err) {
		return err
	}
	// This file system has no hard links.
	if f.dir.isThere(name) {
		return fs.ErrExist
	}
	if err := f.dir.rename(f.path, name); err != nil {
		return err
	}
	f.path = ""
	return nil
}

// giveName links the file to a temporary name if it has no name.
func (f *temporary) giveName() error {
	if f.path != "" {
		return nil
	}
	name := temporaryName()
	err := linkUnnamed(f.file, f.dir, name)
	if noLinks(err) {
		return f.makeNamed()
	}
	if err == nil {
		f.path = name
	}
	return err
}

// noLinks reports whether an error means that the file system, or a sandbox, does not support hard
// links.
func noLinks(err error) bool {
	return slices.ContainsFunc([]error{syscall.EPERM, syscall.EACCES, syscall.ENOTSUP, syscall.ENOSYS, syscall.EMLINK, syscall.EXDEV}, func(no error) bool { return errors.Is(err, no) })
}

// discard closes the file and removes its temporary name.
func (f *temporary) discard() {
	f.file.Close()
	if f.path != "" {
		// Sweep removes the file later if this fails.
		_ = f.dir.remove(f.path)
	}
}

// sweepAge is the least age of a temporary file that Sweep removes. Temporary files in use exist
// for milliseconds.
const sweepAge = time.Minute

// Sweep removes the temporary files of killed programs from the workspace, except in folders that
// git ignores. It is called when a program starts.
func (w *Workspace) Sweep(ctx context.Context, now time.Time) {
	files, err := ignore.MatchingFiles(ctx, w.root, w.root, isTemporary)
	if err != nil {
		return
	}
	for _, file := range files {
		// The next Sweep tries again if this fails.
		_ = w.inFolder(filepath.Join(w.root, filepath.FromSlash(file)), "remove", func(t target) error {
			written, err := t.dir.written(t.name)
			if err != nil || now.Sub(written) <= sweepAge {
				return err
			}
			return t.dir.remove(t.name)
		})
	}
}

// isTemporary reports whether a path has the form of the program's temporary files.
func isTemporary(file string) bool {
	name := path.Base(file)
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix) && len(name) == len(temporaryName())
}
