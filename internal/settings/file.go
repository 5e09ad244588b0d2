package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"

	"github.com/tailscale/hujson"
)

// read returns the document at path, and its text. After an error the document is empty. The error
// names the line and the field. For a missing file it is fs.ErrNotExist.
func read(path string) (document, []byte, error) {
	data, err := fsutil.Read(path)
	if err != nil {
		return newDocument(), nil, &Error{Problem: "cannot read " + path + ": " + fsutil.Reason(err).Error(), Err: err}
	}
	d, err := parseDocument(data)
	if err == nil {
		err = d.checkVersion()
	}
	if err != nil {
		return newDocument(), nil, faultError(path, data, err)
	}
	return d, data, nil
}

// faultError converts a fault to an *Error with the position in the file.
func faultError(path string, data []byte, err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return &Error{Problem: path + ": " + err.Error(), Err: err}
	}
	return &Error{Problem: fmt.Sprintf("%s:%s: %s (file unchanged)", path, rawjson.PositionAt(data, f.offset), f), Err: err}
}

// locked runs act while no other program changes the files in folder. It creates a missing folder.
func locked(folder string, act func() error) error {
	var acting error
	err := fsutil.WithLock(folder, func() error { acting = act(); return nil })
	switch {
	case errors.Is(err, fsutil.ErrLockHeld):
		return &Error{Problem: err.Error(), Err: err}
	case err != nil:
		return errors.Join(acting, unwritable(folder, err))
	}
	return acting
}

// write atomically replaces the file at path by d. It returns after the content is flushed to disk.
// The caller holds the lock.
func write(path string, d document) error {
	var data bytes.Buffer
	if err := json.Indent(&data, hujson.Value{Value: d.object}.Pack(), "", "  "); err != nil {
		return err
	}
	data.WriteByte('\n')
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritable(filepath.Dir(path), err)
	}
	if err := (fsutil.Target{Path: path, Mode: 0o600, Locked: true}).Replace(data.Bytes()); err != nil {
		return unwritable(path, err)
	}
	return nil
}

func unwritable(path string, err error) error {
	hint := "make the folder writable, or set XDG_CONFIG_HOME to a writable one"
	if fsutil.IsDiskFull(err) {
		hint = "free space on the disk"
	}
	return &Error{Problem: "can't write " + path + ": " + fsutil.Reason(err).Error() + "; " + hint, Err: err}
}
