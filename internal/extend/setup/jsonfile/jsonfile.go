// Package jsonfile atomically changes the JSON files of a user's configuration. It keeps comments
// and the order of members.
package jsonfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"

	"github.com/tailscale/hujson"
)

// maxFile is the greatest size of a file, in bytes.
const maxFile = 1 << 20

// Step is an operation of a JSON patch (RFC 6902).
type Step struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// File is a file to change.
type File struct {
	Path string
	// Root is the folder that links must not lead out of. It is empty for a user's own files.
	Root string
	// Private is set if only the owner may read the file.
	Private bool
}

// Edit applies the steps that change returns for the text of a file. If there are no steps, Edit
// does not change the file. It creates a missing file that only its owner can read. Concurrent
// edits of files in the same folder are serialized, even between processes.
func Edit(file File, change func(data []byte) ([]Step, error)) error {
	if err := file.Check(); err != nil {
		return err
	}
	folder := filepath.Dir(file.Path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("%s: %w", file.Path, fsutil.Reason(err))
	}
	return fsutil.WithFolderLock(folder, func() error { return edit(file, change) })
}

// Check returns the error that Edit returns for a link that leads out of Root or does not resolve.
func (f File) Check() error { return fsutil.Target{Path: f.Path, Root: f.Root}.Check() }

func edit(f File, change func(data []byte) ([]Step, error)) error {
	file := f.Path
	data, err := fsutil.ReadBeginning(file, maxFile+1)
	mode := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = []byte("{\n}\n")
	case err != nil:
		return fmt.Errorf("%s: %w", file, fsutil.Reason(err))
	case len(data) > maxFile:
		return fmt.Errorf("%s is too long to be changed", file)
	case !f.Private:
		if info, err := os.Stat(file); err == nil {
			mode = info.Mode().Perm()
		}
	}
	steps, err := change(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(steps) == 0 {
		return nil
	}
	value, err := hujson.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	patch, err := rawjson.Marshal(steps)
	if err == nil {
		err = value.Patch(patch)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	value.Format()
	err = fsutil.Target{Path: file, Root: f.Root, Mode: mode, Locked: true}.Replace(value.Pack())
	if link := (*fsutil.LinkError)(nil); errors.As(err, &link) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, fsutil.Reason(err))
	}
	return nil
}
