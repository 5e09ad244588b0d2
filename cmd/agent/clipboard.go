package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"agent/internal/disk"
	"agent/internal/picture"
)

// clipboardImage writes the image on the clipboard to a file of its own in the session's
// temporary folder.
func (a *app) clipboardImage(ctx context.Context) (path string, err error) {
	image, err := picture.Clipboard(ctx, a.world.environ)
	if err != nil {
		return "", err
	}
	folder := a.workspace.TempDir()
	if folder == "" {
		return "", errors.New("there is no temporary folder to keep it in")
	}
	path = filepath.Join(folder, fmt.Sprintf("clipboard-%d.png", a.pasted.Add(1)))
	if err := disk.CreateNew(path, image, 0o600); err != nil {
		return "", fmt.Errorf("the image cannot be kept in %s: %w", folder, disk.Reason(err))
	}
	return path, nil
}
