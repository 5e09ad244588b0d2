//go:build unix

package permissions

import "path/filepath"

// absolute returns the absolute pattern for a rule whose text is "/" followed by pattern.
func absolute(pattern string) string { return pattern }

// patternPath returns a path in the form in which patterns name it.
func patternPath(_, abs string) string { return abs }

// foldCase returns a path or a pattern in the form for comparison.
func foldCase(path string) string { return path }

// resolveWord returns the absolute path of a word in a command that runs in the folder dir.
func resolveWord(dir, word string) string {
	if filepath.IsAbs(word) {
		return word
	}
	return filepath.Join(dir, word)
}

// statements returns nothing, because the shell parser finds all statements of a line.
func statements(string) [][]string { return nil }
