package plugins

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/text/textdiff"
)

// Diff returns the changes from one folder of a plugin to another as a unified diff. It adds
// a line for each file that becomes executable or stops being executable.
func Diff(before, after string) (string, error) {
	old, err := contents(before)
	if err != nil {
		return "", err
	}
	now, err := contents(after)
	if err != nil {
		return "", err
	}
	all := maps.Clone(old)
	maps.Copy(all, now)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := old[name]
		is, has := now[name]
		from, to := "a/"+humanize.FileName(name), "b/"+humanize.FileName(name)
		if !had {
			from = os.DevNull
		}
		if !has {
			to = os.DevNull
		}
		switch {
		case bytes.Equal(was.data, is.data) && had == has:
		case bytes.IndexByte(was.data, 0) >= 0 || bytes.IndexByte(is.data, 0) >= 0:
			b.WriteString("binary: " + from + " and " + to + " differ\n")
		default:
			b.WriteString(textdiff.New(string(was.data), string(is.data)).Unified(from, to))
			if len(was.data)+len(is.data) == 0 {
				b.WriteString("empty: " + from + " and " + to + "\n")
			}
		}
		switch {
		case is.runs && !was.runs:
			b.WriteString("now executable: " + to + "\n")
		case was.runs && has && !is.runs:
			b.WriteString("no longer executable: " + to + "\n")
		}
	}
	return b.String(), nil
}

// content is the content of a file, and whether it is executable.
type content struct {
	data []byte
	runs bool
}

// contents maps the names of the files in a folder to their contents.
func contents(dir string) (map[string]content, error) {
	files := map[string]content{}
	return files, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fsutil.Read(path)
		files[filepath.ToSlash(rel)] = content{data, info.Mode().Perm()&0o100 != 0}
		return err
	})
}
