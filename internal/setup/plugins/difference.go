package plugins

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/text/textdiff"
	"agent/internal/words"
)

// Difference returns what changes from one folder of a plugin to another, as a unified diff.
func Difference(before, after string) (string, error) {
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
		from, to := "a/"+words.Name(name), "b/"+words.Name(name)
		if !had {
			from = os.DevNull
		}
		if !has {
			to = os.DevNull
		}
		switch {
		case bytes.Equal(was, is) && had == has:
		case bytes.IndexByte(was, 0) >= 0 || bytes.IndexByte(is, 0) >= 0:
			b.WriteString("binary: " + from + " and " + to + " differ\n")
		default:
			b.WriteString(textdiff.New(string(was), string(is)).Unified(from, to))
			if len(was)+len(is) == 0 {
				b.WriteString("empty: " + from + " and " + to + "\n")
			}
		}
	}
	return b.String(), nil
}

// contents returns the files of a folder by their names. What may be run is part of it.
func contents(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	return files, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
}
