// Package jsonfile changes JSON files of a person's set-up atomically, and keeps their comments
// and order.
package jsonfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/disk"
	"agent/internal/rawjson"

	"github.com/tailscale/hujson"
)

// maxFile bounds a file, in bytes.
const maxFile = 1 << 20

// Step is a step of a JSON patch (RFC 6902).
type Step struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// File is a file to change.
type File struct {
	Path string
	// Root is the folder that no link may lead out of, empty for a person's own files.
	Root string
	// Private makes the file readable for its owner only.
	Private bool
}

// Edit changes a file by the steps that change returns for its text. Without steps it does not
// change the file. A missing file is created for its owner only. Other changes by Edit to files of
// the same folder wait, also those of other programs.
func Edit(file File, change func(data []byte) ([]Step, error)) error {
	if err := file.Check(); err != nil {
		return err
	}
	folder := filepath.Dir(file.Path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("%s: %w", file.Path, disk.Reason(err))
	}
	return disk.LockedWithoutFile(folder, func() error { return edit(file, change) })
}

// Check returns the error of Edit for a link that leads out of Root, or nowhere.
func (f File) Check() error { return disk.Target{Path: f.Path, Root: f.Root}.Check() }

func edit(f File, change func(data []byte) ([]Step, error)) error {
	file := f.Path
	data, err := disk.Beginning(file, maxFile+1)
	mode := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = []byte("{\n}\n")
	case err != nil:
		return fmt.Errorf("%s: %w", file, disk.Reason(err))
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
	err = disk.Target{Path: file, Root: f.Root, Mode: mode, Locked: true}.Replace(value.Pack())
	if link := (*disk.LinkError)(nil); errors.As(err, &link) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, disk.Reason(err))
	}
	return nil
}
