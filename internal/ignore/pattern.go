package ignore

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is a line of a .gitignore file.
type pattern struct {
	// folder is where the file is, and text what it says about the paths below, as package
	// doublestar has it.
	folder, text string
	// include takes back what a line above ignores.
	include bool
	// foldersOnly means that the line ends in a slash.
	foldersOnly bool
}

// parsePatterns returns the patterns of a .gitignore file in folder, a slash path
// below the root, "." for the root itself.
func parsePatterns(content, folder string) []pattern {
	var patterns []pattern
	for line := range strings.Lines(strings.TrimPrefix(content, "\uFEFF")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if p, ok := parsePattern(line); ok {
			p.folder = folder
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// Kept returns a function that reports whether the lines of an ignore file in the root
// leave a file out, by its slash path below the root: it or a folder above it.
func Kept(content string) func(file string) bool {
	patterns := parsePatterns(content, ".")
	return func(file string) bool {
		for i, r := range file {
			if r == '/' && ignored(patterns, file[:i], true) {
				return true
			}
		}
		return ignored(patterns, file, false)
	}
}

// asDoublestar writes a line of git's as package doublestar has it, which takes braces for
// alternatives, three stars for characters, and has a class such as [!a] match a slash.
var asDoublestar = strings.NewReplacer(`\\`, `\\`, `\*`, `\*`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`, "***", "**",
	`\[`, `\[`, "[[", "[[", "[!", "[!/", "[^", "[^/")

// parsePattern reads one line; a comment and an empty line are no patterns.
func parsePattern(line string) (pattern, bool) {
	if strings.HasPrefix(line, "#") {
		return pattern{}, false
	}
	var p pattern
	line, p.include = strings.CutPrefix(line, "!")
	line, p.foldersOnly = strings.CutSuffix(trimSpaces(line), "/")
	if line == "" {
		return pattern{}, false
	}
	if !strings.Contains(line, "/") {
		line = "**/" + line
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*" // what is in the folder, not the folder
	}
	p.text = asDoublestar.Replace(strings.TrimPrefix(line, "/"))
	return p, true
}

// trimSpaces drops the spaces at the end of a line, up to one that a backslash keeps.
func trimSpaces(line string) string {
	trimmed := strings.TrimRight(line, " ")
	backslashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if backslashes%2 == 1 && len(trimmed) < len(line) {
		return line[:len(trimmed)+1]
	}
	return trimmed
}

// ignored reports whether the patterns, weakest first, leave a slash path below the
// root out. The folders above it are not looked at.
func ignored(patterns []pattern, file string, isFolder bool) bool {
	for i := len(patterns) - 1; i >= 0; i-- {
		if patterns[i].matches(file, isFolder) {
			return !patterns[i].include
		}
	}
	return false
}

// matches reports whether a pattern is of a path.
func (p pattern) matches(file string, isFolder bool) bool {
	if p.foldersOnly && !isFolder {
		return false
	}
	if p.folder != "." {
		file = strings.TrimPrefix(file, p.folder+"/")
	}
	matched, err := doublestar.Match(p.text, file)
	return matched && err == nil
}
