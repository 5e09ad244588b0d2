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

// Edit changes a file by the steps that change returns for its text. Without steps it does not
// change the file. A missing file is created for its owner only. Other changes by Edit to files of
// the same folder wait, also those of other programs.
func Edit(file string, change func(data []byte) ([]Step, error)) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("%s: %w", file, disk.Reason(err))
	}
	return disk.LockedWithoutFile(folder, func() error { return edit(file, change) })
}

func edit(file string, change func(data []byte) ([]Step, error)) error {
	data, err := disk.Beginning(file, maxFile+1)
	mode := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = []byte("{\n}\n")
	case err != nil:
		return fmt.Errorf("%s: %w", file, disk.Reason(err))
	case len(data) > maxFile:
		return fmt.Errorf("%s is too long to be changed", file)
	default:
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
	if err := disk.Replace(file, value.Pack(), mode); err != nil {
		return fmt.Errorf("%s: %w", file, disk.Reason(err))
	}
	return nil
}
