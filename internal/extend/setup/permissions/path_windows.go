package permissions

import (
	"path/filepath"
	"strings"
)

// absolute returns the absolute pattern for a rule whose text is "/" followed by pattern. Claude
// Code writes C:\Users as //c/Users; //C:/Users is equivalent. A pattern without a drive applies to
// every drive.
func absolute(pattern string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(pattern, "/"), "/")
	drive := strings.TrimSuffix(first, ":")
	if len(drive) != 1 || drive[0]|0x20 < 'a' || drive[0]|0x20 > 'z' {
		return pattern
	}
	return drive + ":/" + rest
}

// patternPath returns a path in the form in which patterns name it. The drive is removed if the
// pattern has none.
func patternPath(pattern, abs string) string {
	if strings.HasPrefix(pattern, "/") {
		return strings.TrimPrefix(abs, filepath.VolumeName(abs))
	}
	return abs
}

// foldCase returns a path or a pattern in the form for comparison: with slashes and in lower case.
func foldCase(path string) string { return strings.ToLower(filepath.ToSlash(path)) }

// resolveWord returns the absolute path of a word in a command that runs in the folder dir. The
// bash of Git writes C:\ as /c/. A path without a drive is on the drive of dir.
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

// statements returns the words of each statement of a line. It does not treat backslashes as
// escapes, because they separate folders in PowerShell and cmd.
func statements(line string) [][]string {
	var all [][]string
	for statement := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("\n;|&(){}", r) }) {
		if words := strings.FieldsFunc(statement, func(r rune) bool { return strings.ContainsRune(" \t\r\"'`,", r) }); len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}
