package permissions

import (
	"path/filepath"
	"strings"
)

// absolute returns the absolute pattern that a rule writes as "/" and this pattern. Claude Code
// writes C:\Users as //c/Users; //C:/Users is the same. Without a drive it means every drive.
func absolute(pattern string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(pattern, "/"), "/")
	drive := strings.TrimSuffix(first, ":")
	if len(drive) != 1 || drive[0]|0x20 < 'a' || drive[0]|0x20 > 'z' {
		return pattern
	}
	return drive + ":/" + rest
}

// patternPath returns a path as a pattern names it: without its drive if the pattern has none.
func patternPath(pattern, abs string) string {
	if strings.HasPrefix(pattern, "/") {
		return strings.TrimPrefix(abs, filepath.VolumeName(abs))
	}
	return abs
}

// foldCase returns a path or a pattern as it is compared: with slashes, whatever its case.
func foldCase(path string) string { return strings.ToLower(filepath.ToSlash(path)) }

// resolveWord returns the absolute path of a word in a command line that runs in a folder. The bash of
// Git writes C:\ as /c/, and a path without a drive is on that of the folder.
func resolveWord(dir, word string) string {
	if strings.HasPrefix(word, "/") {
		word = absolute(word)
	}
	switch word = filepath.FromSlash(word); {
	case filepath.IsAbs(word):
		return filepath.Clean(word)
	case strings.HasPrefix(word, `\`):
		return filepath.Join(filepath.VolumeName(dir), word)
	}
	return filepath.Join(dir, word)
}

// statements returns the words of each statement of a line, since backslashes separate folders for
// PowerShell and cmd.
func statements(line string) [][]string {
	var all [][]string
	for statement := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("\n;|&(){}", r) }) {
		if words := strings.FieldsFunc(statement, func(r rune) bool { return strings.ContainsRune(" \t\r\"'`,", r) }); len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}
