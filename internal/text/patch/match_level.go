package patch

import "strings"

// level is the strictness of a match of lines.
type level int

// The levels, the strictest first.
const (
	exact level = iota
	trailing
	trimmed
	typographic
)

var levels = []level{exact, trailing, trimmed, typographic}

// matches reports whether lines of a file equal lines of a patch at this level.
func (l level) matches(file, old []string) bool {
	for i, line := range old {
		if file[i] != line && l.plain(file[i]) != l.plain(line) {
			return false
		}
	}
	return true
}

// plain returns a line without the differences that a level ignores.
func (l level) plain(line string) string {
	switch l {
	case trailing:
		return strings.TrimRight(line, blanks)
	case trimmed:
		return strings.Trim(line, blanks)
	case typographic:
		return strings.TrimSpace(ascii.Replace(line))
	}
	return line
}

const blanks = " \t\r\v\f"

// ascii replaces typographic dashes, quotes and spaces by ASCII.
var ascii = func() *strings.Replacer {
	var pairs []string
	for plain, runes := range map[string]string{
		"-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "'": "\u2018\u2019\u201a\u201b", `"`: "\u201c\u201d\u201e\u201f",
		" ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
	} {
		for _, r := range runes {
			pairs = append(pairs, string(r), plain)
		}
	}
	return strings.NewReplacer(pairs...)
}()
