package session

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agent/internal/base/fsutil"
)

// A program that is killed while it writes the first lines leaves a log without an entry. Such a log is
// removed if it is small and older than a minute.
const (
	largestEmptyLog = 16 << 10
	sweepAfter      = time.Minute
)

// sweep removes the logs in folder that have no entry and are not in use. It ignores errors.
func sweep(folder string, now time.Time) {
	files, _ := os.ReadDir(folder)
	for _, file := range files {
		info, err := file.Info()
		if err != nil || !isEmptyLog(filepath.Join(folder, file.Name()), info, now) {
			continue
		}
		_ = Delete(filepath.Join(folder, file.Name()))
	}
}

// isEmptyLog reports whether the file at path is an old log of this program without an entry.
func isEmptyLog(path string, info fs.FileInfo, now time.Time) bool {
	if !info.Mode().IsRegular() || filepath.Ext(path) != extension || info.Size() > largestEmptyLog || now.Sub(info.ModTime()) < sweepAfter {
		return false
	}
	data, err := fsutil.Read(path)
	if err != nil {
		return false
	}
	for line := range bytes.Lines(data) {
		r, err := parse(bytes.TrimSpace(line))
		torn := !bytes.HasSuffix(line, []byte("\n"))
		says := r.Type != TypeSession && r.Type != TypeSetting && r.Type != TypeNotice && r.Type != TypeTitle && r.Type != TypeJob && r.Type != TypeAgent && r.Type != TypeAction && r.Type != TypeCacheRefresh
		if err == nil && says || err != nil && !torn {
			return false
		}
	}
	return true
}
