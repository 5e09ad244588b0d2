// Package fsutil writes the program's own files, such as settings, prompts, exports and keys. No
// reader, crash or second program ever sees a partly written file.
//
// It does not write files of the workspace: those are confined to the workspace and keep their
// owner, and package workspace writes them. [Tree] and [ReadFolder] read files of the
// workspace.
package fsutil

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Replace atomically replaces the file at path with data. At every time, and after an error, the
// file has either the old or the new content. Replace returns when the content is flushed to disk.
// The file gets mode. If path is a link, the link stays and its target is replaced. The folder must
// exist.
func Replace(path string, data []byte, mode fs.FileMode) error {
	return Target{Path: path, Mode: mode}.Replace(data)
}

// A Target is a file of our own to replace.
type Target struct {
	Path string
	// Root is the folder that no link may lead out of. It is empty for a user's own files, because
	// users keep their configuration in other folders and link to it.
	Root string
	// Mode is the mode of the new file.
	Mode fs.FileMode
	// Locked is set if the caller holds the lock that all writers use. Replace then removes
	// temporary files that killed writers left beside the file.
	Locked bool
}

// Replace replaces the file as the function Replace does. If a link in the path leads out of Root
// or does not resolve, Replace changes nothing and returns an error that names the link.
func (t Target) Replace(data []byte) error {
	path, err := t.real()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(path)) // stays the same folder even if a folder above it is replaced
	if err != nil {
		return err
	}
	defer root.Close()
	if err := t.checkFolder(root, filepath.Dir(path)); err != nil {
		return err
	}
	name := filepath.Base(path)
	temporary := "." + name + "." + rand.Text()[:randomLetters] + ".tmp"
	file, err := root.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, t.Mode)
	if err != nil {
		return err
	}
	if err = fill(file, data); err == nil {
		if mine, unknown := root.Lstat(temporary); unknown == nil {
			sweep(root, name, func(other fs.FileInfo) bool {
				return os.SameFile(mine, other) || !t.Locked && mine.ModTime().Sub(other.ModTime()) <= time.Hour
			})
		}
		err = rename(root, temporary, name)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(filepath.Join(root.Name(), temporary)))
	}
	return SyncFolder(filepath.Dir(path))
}

// Remove removes the file, if it exists, and the temporary files that killed writers left beside
// it. The caller holds the lock that all writers use.
func (t Target) Remove() error {
	root, err := os.OpenRoot(filepath.Dir(t.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	sweep(root, filepath.Base(t.Path), nil)
	if err := root.Remove(filepath.Base(t.Path)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// A LinkError is the error of a link that leads out of the folder in which the file must be.
type LinkError struct{ Path, Root string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a link that leads out of %s. Remove the link, or replace it with a copy", e.Path, e.Root)
}

// Check returns the error about links that Replace would return. It changes nothing.
func (t Target) Check() error {
	_, err := t.real()
	return err
}

// real returns the path of the file with all links resolved.
func (t Target) real() (string, error) {
	real, err := filepath.EvalSymlinks(t.Path)
	switch {
	case t.Root == "" && err != nil:
		return t.Path, nil
	case t.Root == "":
		return real, nil
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(t.Path); err == nil {
			return "", fmt.Errorf("%s is a link to a file that doesn't exist; remove the link", t.Path)
		}
		real = ResolveLinks(t.Path)
	case err != nil:
		return "", err
	}
	if !Within(real, ResolveLinks(t.Root)) {
		return "", &LinkError{t.Path, t.Root}
	}
	return real, nil
}

// checkFolder returns an error if an open folder is no longer the folder that real returned.
func (t Target) checkFolder(root *os.Root, folder string) error {
	if t.Root == "" {
		return nil
	}
	opened, err := root.Stat(".")
	if err != nil {
		return err
	}
	now, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if !os.SameFile(opened, now) || ResolveLinks(folder) != folder {
		return &LinkError{t.Path, t.Root}
	}
	return nil
}

// CreateNew creates a file that must not exist yet, so that a typing error never replaces a user's
// file. The error is fs.ErrExist if the file exists. CreateNew returns when the content is flushed
// to disk. After another error there is no file.
func CreateNew(path string, data []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if err = fill(file, data); err != nil {
		return errors.Join(err, removeIfThere(path))
	}
	return SyncFolder(filepath.Dir(path))
}

// fill writes data to a new file, flushes and closes it.
func fill(file *os.File, data []byte) error {
	_, err := file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// ClockStep is longer than the clock resolution of file times. If the last change of a file is
// older than ClockStep, the next change sets a different time.
const ClockStep = 20 * time.Millisecond

// randomLetters is the number of random letters in the name of a temporary file.
const randomLetters = 8

// sweep removes the temporary files that killed writers left beside a file, unless keep returns
// true for one. Writers use temporary files for milliseconds only, so that an old one has no writer
// any more. If the caller holds a lock that all writers use, no temporary file has a writer.
func sweep(root *os.Root, name string, keep func(fs.FileInfo) bool) {
	begin, end := "."+name+".", ".tmp"
	folder, err := root.Open(".")
	if err != nil {
		return
	}
	defer folder.Close()
	entries, _ := folder.ReadDir(-1)
	for _, entry := range entries {
		other := entry.Name()
		if len(other) != len(begin)+randomLetters+len(end) || !strings.HasPrefix(other, begin) || !strings.HasSuffix(other, end) {
			continue
		}
		if info, err := entry.Info(); err == nil && (keep == nil || !keep(info)) {
			_ = root.Remove(other)
		}
	}
}

// Reason returns err without the operation and the path that errors of package os contain. A
// message that names the file then names it once. Reason returns other errors unchanged.
func Reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("can't remove %s: %w", path, Reason(err))
	}
	return nil
}
