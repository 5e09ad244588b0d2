package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	// lockTimeout is how long a save waits for another program's; a save takes
	// milliseconds, so a longer wait means that something hangs.
	lockTimeout = 5 * time.Second
	lockPoll    = 5 * time.Millisecond
)

// read returns the document at path. What is wrong with it is told with line and
// field, and the file is left as it is. A missing file is fs.ErrNotExist.
func read(path string) (document, []byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, &Error{Problem: "cannot read " + path + ": " + reason(err), Err: err}
	}
	d, err := parseDocument(data)
	if err == nil {
		err = d.checkVersion()
	}
	if err != nil {
		return nil, nil, broken(path, data, err)
	}
	return d, data, nil
}

// broken reports a fault with the place in the file.
func broken(path string, data []byte, err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return &Error{Problem: path + ": " + err.Error(), Err: err}
	}
	return &Error{Problem: fmt.Sprintf("%s:%s: %s (the file is left as it is)", path, place(data, f.offset), f), Err: err}
}

// locked runs act while no other program changes the files in folder, which is
// created if need be.
func locked(folder string, act func() error) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return unwritable(folder, err)
	}
	lock := flock.New(filepath.Join(folder, ".lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return &Error{Problem: "another program holds " + lock.Path() + "; nothing was saved, try again when it is done", Err: err}
		}
		return unwritable(folder, err)
	}
	err := act()
	return errors.Join(err, lock.Close())
}

// write replaces the file at path by d, all or nothing, and returns when it is
// on disk. The caller holds the lock.
func write(path string, d document) error {
	compact, err := d.encode()
	if err != nil {
		return err
	}
	var data bytes.Buffer
	if err := json.Indent(&data, compact, "", "  "); err != nil {
		return err
	}
	data.WriteByte('\n')
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritable(filepath.Dir(path), err)
	}
	// A linked file stays a link: people keep their configuration elsewhere.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	// The lock makes one name enough; what a killed writer left is overwritten.
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	if err := writeSynced(temporary, data.Bytes()); err != nil {
		return errors.Join(unwritable(path, err), removeIfThere(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(unwritable(path, err), removeIfThere(temporary))
	}
	return syncFolder(filepath.Dir(path))
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder makes a rename or a removal last.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return unwritable(folder, err)
	}
	return errors.Join(f.Sync(), f.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

func unwritable(path string, err error) error {
	return &Error{Problem: "cannot write " + path + ": " + reason(err) + "; make the folder writable or set XDG_CONFIG_HOME to one that is", Err: err}
}

// reason is the system's own word for a failure, without the path it repeats.
func reason(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}
