//go:build !linux

package fsutil

import (
	"errors"
	"io/fs"
	"os"
)

// fastTree does nothing on this system; the Tree uses os.Root.
type fastTree struct{}

func newFastTree(string) fastTree { return fastTree{} }

func (fastTree) close() error { return nil }

func (fastTree) open(string, string) (*os.File, error) { return nil, errors.ErrUnsupported }

func (fastTree) lstat(string) (fs.FileInfo, error) { return nil, errors.ErrUnsupported }
