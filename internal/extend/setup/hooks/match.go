package hooks

import (
	"regexp"
	"slices"
	"strings"
)

// Matches reports whether the matcher matches one of the names, or there are none. A call has the
// name of its tool in Claude Code and here; other events have the name of their subject.
func (h Hook) Matches(names ...string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, h.matches)
}

// matcher reads a matcher. An empty text or a star matches everything, names between bars or commas
// match exactly these names, and any other text is a regular expression for the whole name.
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

// nameLetters lists the characters of a matcher that is a list of names.
const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, "
