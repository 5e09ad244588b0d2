//go:build unix

package permissions

import "path/filepath"

// absolute returns the absolute pattern that a rule writes as "/" and this pattern.
func absolute(pattern string) string { return pattern }

// patternPath returns a path as a pattern names it.
func patternPath(_, abs string) string { return abs }

// foldCase returns a path or a pattern as it is compared.
func foldCase(path string) string { return path }

// resolveWord returns the absolute path of a word in a command line that runs in a folder.
func resolveWord(dir, word string) string {
	if filepath.IsAbs(word) {
		return word
	}
	return filepath.Join(dir, word)
}

// statements returns nothing: the parser of the shell's language finds all statements of a line.
func statements(string) [][]string { return nil }
