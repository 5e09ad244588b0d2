package permissions

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/cmdline"
	"agent/internal/cmdline/programs"

	"github.com/bmatcuk/doublestar/v4"
)

// matcher reports whether a path or a command matches.
type matcher func(string) bool

// bases holds the folders to which the patterns of a file are relative.
type bases struct {
	// here lists the folders for "path", "./path" and "name".
	here []string
	// settings lists the folders for "/path".
	settings []string
	// home is the folder for "~/path".
	home string
}

// basesAt returns bases in which all patterns except "~/path" are relative to root.
func basesAt(root, home string) bases { return bases{[]string{root}, []string{root}, home} }

// atSettings reports whether a pattern is relative to the folder of the settings.
func atSettings(pattern string) bool {
	return strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "//")
}

// place is a part of the file system that a pattern can match.
type place struct {
	// literal is the path of a pattern without wildcards.
	literal string
	// base is the folder that contains all matches of a pattern with wildcards.
	base    string
	matches matcher
}

// places returns the places that the pattern of a path can match, or the reason why there are none.
// "//path" is absolute. A name without a slash matches in every folder. A pattern that matches a
// folder matches everything in it.
func (b bases) places(pattern string) (all []place, why string) {
	anywhere := !strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	var patterns []string
	switch {
	case strings.HasPrefix(pattern, "//"):
		patterns = []string{absolute(pattern[1:])}
	case strings.HasPrefix(pattern, "~/"):
		if b.home == "" {
			return nil, "no home folder"
		}
		patterns = []string{filepath.ToSlash(b.home) + pattern[1:]}
	case atSettings(pattern):
		for _, root := range b.settings {
			patterns = append(patterns, path.Join(filepath.ToSlash(root), pattern))
		}
	default:
		for _, root := range b.here {
			root = filepath.ToSlash(root)
			if anywhere {
				root = path.Join(root, "**")
			}
			patterns = append(patterns, path.Join(root, pattern))
		}
	}
	for _, pattern := range patterns {
		pattern = path.Clean(cmp.Or(strings.TrimSuffix(pattern, "/**"), "/"))
		if !doublestar.ValidatePattern(pattern) {
			return nil, "the pattern is invalid"
		}
		all = append(all, placeOf(pattern))
	}
	return all, ""
}

// placeOf returns the place of an absolute pattern with slashes.
func placeOf(pattern string) place {
	if !strings.ContainsAny(pattern, "*?[{") {
		literal := filepath.FromSlash(pattern)
		if real, err := filepath.EvalSymlinks(literal); err == nil {
			literal = real
		}
		return place{literal: literal, matches: func(abs string) bool { return fsutil.Within(patternPath(pattern, abs), literal) }}
	}
	base, _ := doublestar.SplitPattern(pattern)
	wanted := foldCase(pattern)
	return place{base: filepath.FromSlash(base), matches: func(abs string) bool {
		for at := foldCase(patternPath(pattern, abs)); at != "/" && at != "."; at = path.Dir(at) { // path.Dir ends at . for a path without a root
			if doublestar.MatchUnvalidated(wanted, at) {
				return true
			}
		}
		return false
	}}
}

// touches reports whether the place and the folder may have files in common.
func (p place) touches(folder string) bool {
	at := cmp.Or(p.literal, p.base)
	return fsutil.Within(at, folder) || fsutil.Within(folder, at)
}

// changes reports whether a program, or ">" for a redirection, changes the files in its arguments.
func changes(program string) bool {
	return program == ">" || programs.Is(program[strings.LastIndexByte(program, '\\')+1:], programs.ChangesFiles)
}

// fileWords returns the words of a line that may name files. The first word of each list is the
// program that receives the others. It is ">" for a redirection, or "" for words that any program
// may receive.
func fileWords(line *cmdline.CommandLine) [][]string {
	all := append(slices.Clone(line.NestedCalls()), statements(line.String())...)
	all = append(all, append([]string{">"}, line.Redirects()...))
	words := []string{""}
	for _, word := range cmdline.PossibleFileNames(line.String(), "") {
		parts := strings.FieldsFunc(word, func(r rune) bool { return r == ':' })
		if words = append(words, parts...); len(parts) > 1 {
			words = append(words, word) // a Windows path contains a colon
		}
	}
	return append(all, words)
}
