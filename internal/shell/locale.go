package shell

import (
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
)

// localeVariables lists the variables that say how bytes are read as characters.
var localeVariables = []string{"LC_ALL", "LC_CTYPE", "LANG"}

// localeOf matches the language, and the character set behind the dot, of a locale.
var localeOf = lazyregexp.New(`^(C|POSIX|[a-z]{2,3}(?:_[A-Z]{2})?)(?:\.([\w-]+))?(?:@\w+)?$`)

// apart matches character sets in which every byte below 128 is a character of its own.
var apart = lazyregexp.New(`^(?:utf8|ascii|ansix341968|iso8859\d*|koi8[rtu]|cp125\d|euc\w*|tis620)$`)

// readsBytesApart reports whether a shell with this locale finds the quotes and backslashes of a
// line where everybody else does. In GBK, Big5 and Shift JIS a backslash can be the second half of
// a character, so that a quote behind it ends the text.
func readsBytesApart(locale string) bool {
	parts := localeOf.FindStringSubmatch(locale)
	if parts == nil {
		return locale == ""
	}
	set := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(parts[2]))
	if set == "" {
		return !strings.HasPrefix(parts[1], "zh") // Big5 in zh_TW
	}
	return apart.MatchString(set)
}

// withBytesApart returns the variables that give a command a locale in which lines are read as
// they were judged, if its environment has another one.
func withBytesApart(environ []string) (set []string) {
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if slices.Contains(localeVariables, name) && !readsBytesApart(value) {
			set = append(set, name+"=C.UTF-8")
		}
	}
	return set
}
