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

// largestCopy limits the bytes that are copied from the user's caches for a workspace.
const largestCopy = 1 << 30

// copyCaches gives the commands of a workspace copies of the user's caches where there are no
// layers. Commands must not write to links to the files themselves. It copies once, the newest files
// first; the rest of a larger cache is made or fetched again. File systems that can share the
// content of a copy do.
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

// copyCache copies at most some bytes of a cache, and returns their number. The copy grows in a
// folder that no command writes, since a link in it would lead the program elsewhere, and appears as
// a whole.
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

// A cached is a file of a cache, by its path in it.
type cached struct {
	path string
	info fs.FileInfo
}

// newest returns the newest files of a folder that have at most some bytes together.
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

// copyFile copies a file with its rights and its time, by which tools tell what they used last.
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
