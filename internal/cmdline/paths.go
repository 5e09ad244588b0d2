package cmdline

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"agent/internal/base/fsutil"
)

// pathInside reports whether a word, as a path relative to dir, stays inside. A text that is not a
// path is accepted unless it looks like a path that leads out.
func pathInside(word Word, dir string, at CommandContext) bool {
	if word.Text == "-" || word.Text == "/dev/null" {
		return true
	}
	if climbsBack(word.Text) {
		return false
	}
	path := fsutil.ResolveIn(dir, word.Text)
	if !word.Glob {
		return at.Inside(path)
	}
	prefix := globFreePrefix(path)
	if !at.Inside(prefix) {
		return false // nothing outside is looked up
	}
	pattern := strings.Split(strings.TrimPrefix(path[len(prefix):], "/"), "/")
	return matchesInside(prefix, pattern, at)
}

// isRelative reports whether every word of a line that may name a file is a plain path relative to
// the folder of the command.
func (l Line) isRelative() bool {
	for _, command := range l.Commands {
		for _, word := range command {
			text := word.Text
			if word.Glob || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || strings.ContainsAny(text, `\:`) ||
				strings.Contains(text, "/") && (strings.HasPrefix(text, "-") || strings.Contains(text, "=")) {
				return false
			}
		}
	}
	return true
}

// isFile reports whether a word names an existing file or the standard input.
func isFile(word Word, dir string, at CommandContext) bool {
	if word.Text == "-" || word.Text == "/dev/null" {
		return true
	}
	info, err := os.Stat(at.OnDisk(fsutil.ResolveIn(dir, word.Text)))
	return err == nil && info.Mode().IsRegular()
}

// maxLookups limits the names that are looked up for the patterns of a line.
const maxLookups = 10_000

// matchesInside reports whether all possible matches of a pattern below dir are inside. The
// pattern is split at its slashes.
func matchesInside(dir string, pattern []string, at CommandContext) bool {
	if len(pattern) == 0 {
		return true
	}
	folder, err := os.Open(at.OnDisk(dir))
	if err != nil {
		return true // there are no files below a file
	}
	names, _ := folder.Readdirnames(*at.lookups + 1)
	folder.Close()
	if *at.lookups -= len(names) + 1; *at.lookups < 0 {
		return false
	}
	for _, name := range names {
		if !canMatch(pattern[0], name) {
			continue
		}
		match := filepath.Join(dir, name)
		if !at.Inside(match) || !matchesInside(match, pattern[1:], at) {
			return false
		}
	}
	return true
}

// canMatch reports whether a shell could match a name with a pattern of *, ? and literal
// characters. ? matches a byte in some locales and a character in others; canMatch tries both.
func canMatch(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") {
		return false
	}
	// reached marks the positions in name up to which the pattern so far can match.
	reached := make([]bool, len(name)+1)
	reached[0] = true
	for i := range len(pattern) {
		next := make([]bool, len(name)+1)
		for at, here := range reached {
			if !here {
				continue
			}
			switch {
			case pattern[i] == '*':
				for later := at; later <= len(name); later++ {
					next[later] = true
				}
			case at == len(name):
			case pattern[i] == '?':
				_, size := utf8.DecodeRuneInString(name[at:])
				next[at+1], next[at+size] = true, true
			case pattern[i] == name[at]:
				next[at+1] = true
			}
		}
		reached = next
	}
	return reached[len(name)]
}

// globFreePrefix returns the part of a path before the first component that is a pattern.
func globFreePrefix(path string) string {
	for strings.ContainsAny(path, "*?") {
		path = filepath.Dir(path)
	}
	return path
}

// climbsBack reports whether a path goes down and up again, as in a/../b. If a is a symlink, the
// target differs from the apparent one.
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
