package permissions

import (
	"strings"

	"agent/internal/base/lazyregexp"
)

var (
	// quotedText matches a text that begins or ends with a quote.
	quotedText = lazyregexp.New(`^["'].*["']$|^["']|["']$`)
	// variable matches a shell variable. scheme matches a word and a colon at the beginning.
	variable = lazyregexp.New(`\$\{|\$[A-Z_][A-Z_0-9]+`)
	scheme   = lazyregexp.New(`^[a-z]+:`)
	// severalPaths matches a comma between two paths, outside braces.
	severalPaths = lazyregexp.New(`^[^{]*[/*][^{]*,[^{}]*[/*]|^[^{]*, `)
	// foreignSlash matches a backslash that separates folders, as on Windows.
	foreignSlash = lazyregexp.New(`\\[^\s()\[\]{}!#?]`)
	// joined matches operators that join commands or redirect their output.
	joined = lazyregexp.New("&&|[|;<>\n]")
)

// doubt returns the reason why the pattern of a rule probably does not mean what the user intended,
// or "". Such a rule applies literally, so users must not rely on it.
func (r Rule) doubt() string {
	switch p := r.pattern; {
	case p == "" || r.about == pages || r.about == tools:
		return ""
	case quotedText.MatchString(p):
		return "quotes count as part of the pattern; omit them"
	case r.about == commands:
		return commandDoubt(p)
	case strings.HasPrefix(p, "!"):
		return "a ! does not invert a rule"
	case variable.MatchString(p):
		return "variables are not expanded; ~/ is your home folder, ./ the workspace"
	case scheme.MatchString(p):
		return "write only the path, without a prefix that ends in a colon"
	case severalPaths.MatchString(p):
		return "a rule can have only one path; write a rule for each path"
	case foreignSlash.MatchString(p):
		return "folders are separated by /"
	}
	return ""
}

// commandDoubt is like doubt, for the pattern of a command.
func commandDoubt(p string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(p, ":*"), " ")
	switch {
	case strings.Contains(first, ":") || strings.Contains(strings.TrimSuffix(p, ":*"), ":*"):
		return "a colon is supported only in :* at the end"
	case strings.Contains(first, "="):
		return "variables before a program are not supported; begin with the program"
	case variable.MatchString(first):
		return "variables are not expanded; name the program"
	case joined.MatchString(p):
		return "a rule must name one command, without operators such as && and without redirections"
	}
	return ""
}
