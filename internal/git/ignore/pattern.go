package ignore

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is a line of a .gitignore file.
type pattern struct {
	// folder is the folder of the .gitignore file. text is the pattern for paths below it, in the
	// syntax of package doublestar.
	folder, text string
	// include is set for a pattern with "!", which includes files that an earlier line ignores.
	include bool
	// foldersOnly is set if the line ends with a slash.
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

// Matcher returns a function that reports whether an ignore file in the root ignores a file or a
// folder above it. content is the content of the ignore file. The argument of the function is a
// slash path below the root.
func Matcher(content string) func(file string) bool {
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

// asDoublestar translates git's syntax to that of package doublestar. There, braces are
// alternatives, three stars match characters, and a class such as [!a] matches a slash.
var asDoublestar = strings.NewReplacer(`\\`, `\\`, `\*`, `\*`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`, "***", "**",
	`\[`, `\[`, "[[", "[[", "[!", "[!/", "[^", "[^/")

// parsePattern parses one line. It returns false for comments and empty lines.
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
		line += "/*" // the content of the folder, not the folder itself
	}
	p.text = asDoublestar.Replace(strings.TrimPrefix(line, "/"))
	return p, true
}

// trimSpaces removes the spaces at the end of a line, except a space after a backslash.
func trimSpaces(line string) string {
	trimmed := strings.TrimRight(line, " ")
	backslashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if backslashes%2 == 1 && len(trimmed) < len(line) {
		return line[:len(trimmed)+1]
	}
	return trimmed
}

// ignored reports whether the patterns ignore a slash path below the root. Later patterns take
// precedence. It does not check the folders above the path.
func ignored(patterns []pattern, file string, isFolder bool) bool {
	for i := len(patterns) - 1; i >= 0; i-- {
		if patterns[i].matches(file, isFolder) {
			return !patterns[i].include
		}
	}
	return false
}

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
