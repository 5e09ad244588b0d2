package sandbox

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// largestCopy limits the copies of the user's caches for a workspace, in bytes.
const largestCopy = 1 << 30

// copyCaches copies the user's caches for the commands of a workspace if there are no layers. Links
// to the files are not enough, because commands must not write to the originals. It copies once,
// the newest files first. Tools create or download the rest of a larger cache again. On file
// systems that support it, a copy shares the content of the original.
func (p Policy) copyCaches(ctx context.Context) {
	left, may := int64(largestCopy), []Cache(nil)
	for _, own := range p.ownCaches() {
		to := filepath.Join(p.Caches, own.name)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if may == nil {
			if may = p.layers(); len(may) == 0 {
				return
			}
		}
		if i := slices.IndexFunc(may, func(c Cache) bool { return c.Name == own.name }); i >= 0 {
			left -= p.copyCache(ctx, may[i].Path, to, left)
		}
	}
}

// copyCache copies a cache, at most most bytes, and returns the number of copied bytes. It copies
// to a folder that no command writes, because a link there could redirect the copy. The finished
// copy is then renamed.
func (p Policy) copyCache(ctx context.Context, from, to string, most int64) (copied int64) {
	const begin = "copy-"
	if os.MkdirAll(p.layerFolder, 0o700) != nil {
		return 0
	}
	unfinished, _ := filepath.Glob(filepath.Join(p.layerFolder, begin+"*"))
	for _, path := range unfinished {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(path)
		}
	}
	folder, err := os.MkdirTemp(p.layerFolder, begin)
	if err != nil {
		return 0
	}
	defer os.RemoveAll(folder) // removes the folder unless it was renamed
	for _, f := range newest(ctx, from, most) {
		if ctx.Err() != nil {
			return 0
		}
		if copyFile(filepath.Join(from, f.path), filepath.Join(folder, f.path), f.info) == nil {
			copied += f.info.Size()
		}
	}
	if copied == 0 || os.Rename(folder, to) != nil {
		return 0
	}
	return copied
}

// A cached is a file of a cache, with its path relative to the cache.
type cached struct {
	path string
	info fs.FileInfo
}

// newest returns the newest files of a folder, up to most bytes in total.
func newest(ctx context.Context, folder string, most int64) (files []cached) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return ctx.Err()
		}
		if info, err := entry.Info(); err == nil {
			files = append(files, cached{path[len(folder)+1:], info})
		}
		return ctx.Err()
	})
	slices.SortFunc(files, func(a, b cached) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	for i, f := range files {
		if most -= f.info.Size(); most < 0 {
			return files[:i]
		}
	}
	return files
}

// copyFile copies a file with its permissions and its time. Tools use the time to find the files
// that they used last.
func copyFile(from, to string, info fs.FileInfo) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if closed := target.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
