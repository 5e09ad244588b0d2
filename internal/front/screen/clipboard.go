package screen

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"agent/internal/disk"
	"agent/internal/picture"
)

// clipboard takes images from the clipboard of the desktop.
type clipboard struct {
	environ []string
	// folder is where they are kept, "" when there is no place for them.
	folder string
	taken  atomic.Int64
}

// image writes the image on the clipboard to a file of its own.
func (c *clipboard) image(ctx context.Context) (path string, err error) {
	image, err := picture.Clipboard(ctx, c.environ)
	if err != nil {
		return "", err
	}
	if c.folder == "" {
		return "", errors.New("there is no temporary folder to keep it in")
	}
	path = filepath.Join(c.folder, fmt.Sprintf("clipboard-%d.png", c.taken.Add(1)))
	if err := disk.CreateNew(path, image, 0o600); err != nil {
		return "", fmt.Errorf("the image cannot be kept in %s: %w", c.folder, disk.Reason(err))
	}
	return path, nil
}
