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

// objects stores contents by their hash, a file each. It is safe for concurrent use.
type objects struct {
	folder string
	// most is the number of bytes that they may take.
	most int64
	// size is the number of bytes that they take, -1 before they were counted.
	size    int64
	growing sync.Mutex
}

// path returns the file of a content.
func (o *objects) path(sum string) (string, error) {
	name, ok := strings.CutPrefix(sum, ownSum)
	if !ok || len(name) != 64 || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
		return "", fmt.Errorf("no stored content %q", sum)
	}
	return filepath.Join(o.folder, name[:2], name[2:]), nil
}

// put stores a content. A damaged file of the same content is replaced.
func (o *objects) put(sum string, content []byte) error {
	path, err := o.path(sum)
	if err != nil {
		return err
	}
	if held, err := fsutil.ReadUpTo(path, largest); err == nil && bytes.Equal(held, content) {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // it is in use; the oldest are dropped first
		return nil
	}
	err = os.WriteFile(path, content, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, content, 0o600)
		}
	}
	if err != nil {
		_ = os.Remove(path) // half a content has another hash, so it is of no use
		return err
	}
	o.grow(int64(len(content)))
	return nil
}

// errDamaged is the error for a content that no longer has its hash.
var errDamaged = errors.New("its stored content is damaged")

// errGone is the error for a content that was never stored, or dropped for its age.
var errGone = errors.New("its content is no longer stored")

// get returns a content, if it still has its hash.
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

// grow notes that bytes were added, and drops the oldest contents when all take too much.
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
