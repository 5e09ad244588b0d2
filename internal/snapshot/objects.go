package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/base/fsutil"
)

// objects stores contents by their hash, in one file each. It is safe for concurrent use.
type objects struct {
	folder string
	// most is the largest total size of the contents, in bytes.
	most int64
	// size is the total size of the contents in bytes, -1 until it is computed.
	size    int64
	growing sync.Mutex
}

// path returns the path of the file for a content.
func (o *objects) path(sum string) (string, error) {
	name, ok := strings.CutPrefix(sum, ownSum)
	if !ok || len(name) != 64 || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
		return "", fmt.Errorf("%q is not the name of a stored content", sum)
	}
	return filepath.Join(o.folder, name[:2], name[2:]), nil
}

// put stores a content. It replaces a damaged file of the same content.
func (o *objects) put(sum string, content []byte) error {
	path, err := o.path(sum)
	if err != nil {
		return err
	}
	if held, err := fsutil.ReadUpTo(path, largest); err == nil && bytes.Equal(held, content) {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // it is in use; the oldest files are dropped first
		return nil
	}
	err = os.WriteFile(path, content, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, content, 0o600)
		}
	}
	if err != nil {
		_ = os.Remove(path) // an incomplete content is useless, because it has another hash
		return err
	}
	o.grow(int64(len(content)))
	return nil
}

// errDamaged is the error for a content that no longer has its hash.
var errDamaged = errors.New("its stored content is damaged")

// errGone is the error for a content that was never stored, or was dropped for its age.
var errGone = errors.New("its content is no longer stored")

// get returns a content if it still has its hash.
func (o *objects) get(sum string) ([]byte, error) {
	path, err := o.path(sum)
	if err != nil {
		return nil, errGone
	}
	content, err := fsutil.ReadUpTo(path, largest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errGone
	case err != nil:
		return nil, err
	case sumOf(content) != sum:
		return nil, errDamaged
	}
	return content, nil
}

// grow records that bytes were added, and drops the oldest contents if the total size is too large.
func (o *objects) grow(bytes int64) {
	o.growing.Lock()
	defer o.growing.Unlock()
	if o.size < 0 {
		o.size = 0
		for _, f := range filesBelow(o.folder) {
			o.size += f.size
		}
	} else {
		o.size += bytes
	}
	if o.size > o.most {
		o.size = dropOldest(filesBelow(o.folder), o.size, o.most*3/4, os.Remove)
	}
}
