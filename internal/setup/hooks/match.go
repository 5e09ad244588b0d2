package hooks

import (
	"regexp"
	"slices"
	"strings"
)

// Matches reports whether the hook is for something that has these names: of a tool, its
// name as Claude Code has it and our own; of other events, what they are about.
func (h Hook) Matches(names ...string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, h.matches)
}

// matcher reads a matcher: nothing or a star is everything, names with | or commas between
// them are those names, and all else is a regular expression for the whole name.
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
