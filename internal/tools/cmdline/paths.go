package cmdline

import (
	"path/filepath"
	"slices"
	"strings"
)

// pathInside reports whether a word, read as a path from dir, stays inside. Text
// that is no path passes unless it looks like one that leads out.
func pathInside(word Word, dir string, at Place) bool {
	if word.Text == "-" || word.Text == "/dev/null" {
		return true
	}
	if climbsBack(word.Text) {
		return false
	}
	path := joinDir(dir, word.Text)
	if !word.Glob {
		return at.Inside(path)
	}
	matches, err := filepath.Glob(globEscaper.Replace(dir) + "/" + word.Text)
	if filepath.IsAbs(word.Text) {
		matches, err = filepath.Glob(word.Text)
	}
	return err == nil && at.Inside(globFreePrefix(path)) && !slices.ContainsFunc(matches, func(match string) bool { return !at.Inside(match) })
}

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// globFreePrefix cuts a path before the first component that is a pattern.
func globFreePrefix(path string) string {
	for strings.ContainsAny(path, "*?") {
		path = filepath.Dir(path)
	}
	return path
}

// climbsBack reports whether a path goes down and up again, as in a/../b. If a is
// a symlink, that leads elsewhere than it seems.
func climbsBack(path string) bool {
	down := false
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." && down {
			return true
		}
		down = down || part != "" && part != "." && part != ".."
	}
	return false
}

func joinDir(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
