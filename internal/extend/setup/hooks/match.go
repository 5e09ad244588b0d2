package hooks

import (
	"regexp"
	"slices"
	"strings"
)

// Matches reports whether the matcher matches one of the names, or there are no names. The names of
// a call are those of its tool in Claude Code and in this program. Other events have the name of
// their subject.
func (h Hook) Matches(names ...string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, h.matches)
}

// matcher parses a matcher. An empty text or a star matches everything. Names separated by bars or
// commas match exactly these names. Any other text is a regular expression for the whole name.
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

// nameLetters lists the characters that a list of names may contain.
const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, "
