package hooks

import (
	"regexp"
	"slices"
	"strings"
)

// Matches reports whether the matcher matches one of the names. A tool has its name in Claude Code
// and our own; other events have what they are about.
func (h Hook) Matches(names ...string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, h.matches)
}

// matcher reads a matcher: an empty text or a star matches everything, names between | or commas
// match these names, and other texts are regular expressions for the whole name.
func matcher(text string) (matches func(name string) bool, err error) {
	if text == "" || text == "*" {
		return func(string) bool { return true }, nil
	}
	if strings.Trim(text, nameLetters) == "" {
		names := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|, ", r) })
		return func(name string) bool { return slices.Contains(names, name) }, nil
	}
	if _, err := regexp.Compile(text); err != nil {
		return nil, err
	}
	return regexp.MustCompile("^(?:" + text + ")$").MatchString, nil
}

// nameLetters are the characters of a list of names.
const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, "
