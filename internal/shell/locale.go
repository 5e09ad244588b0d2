package shell

import (
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
)

// localeVariables lists the variables that determine the encoding of characters.
var localeVariables = []string{"LC_ALL", "LC_CTYPE", "LANG"}

// localeOf matches the language of a locale, and the character set after the dot.
var localeOf = lazyregexp.New(`^(C|POSIX|[a-z]{2,3}(?:_[A-Z]{2})?)(?:\.([\w-]+))?(?:@\w+)?$`)

// apart matches character sets in which every byte below 128 is a complete character.
var apart = lazyregexp.New(`^(?:utf8|ascii|ansix341968|iso8859\d*|koi8[rtu]|cp125\d|euc\w*|tis620)$`)

// readsBytesApart reports whether a shell with this locale finds the quotes and backslashes of a
// line at the same bytes as this program. In GBK, Big5 and Shift JIS a backslash can be the second
// half of a character, so that a quote after it ends the text.
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

// withBytesApart returns locale variables that replace variables in environ under which a shell
// could parse a line differently from this program.
func withBytesApart(environ []string) (set []string) {
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if slices.Contains(localeVariables, name) && !readsBytesApart(value) {
			set = append(set, name+"=C.UTF-8")
		}
	}
	return set
}
