package atcmd

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPath is the longest path looked for, in bytes: no file system knows longer
// ones, and it keeps pasted data from being taken for one.
const maxPath = 4096

// maxMentions is how many mentions of a text are looked at, and maxEnds how many
// places an unquoted path is tried to end at: each try asks the file system, and
// a pasted megabyte of at signs must not make the send wait.
const (
	maxMentions = 500
	maxEnds     = 32
)

// mention is one @path of a text.
type mention struct {
	// start and end delimit it in the text, the @ included.
	start, end int
	path       string
	quoted     bool
	// found says that path names something.
	found bool
}

// names decides how far a mention reaches: a path may hold a comma or end in a
// dot, and only the file system knows.
type names interface {
	// exists reports whether there is a file or folder of this name.
	exists(path string) bool
	// matches reports whether the glob matches any file.
	matches(pattern string) bool
}

// parse finds the mentions of text in order, the first maxMentions of them. They
// do not overlap. In fenced code and in data there are none.
func parse(text string, data spans, known names) []mention {
	var found []mention
	code := fences(text)
	for at := 0; at < len(text) && len(found) < maxMentions; {
		next := strings.IndexByte(text[at:], '@')
		if next < 0 {
			break
		}
		at += next
		if end := max(code.endAround(at), data.endAround(at)); end > at {
			at = end
			continue
		}
		m, ok := mentionAt(text, at, known)
		if !ok {
			at++
			continue
		}
		found = append(found, m)
		at = m.end
	}
	return found
}

// mentionAt reads the mention whose @ is at text[at], if it is one.
func mentionAt(text string, at int, known names) (mention, bool) {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	if at > 0 && joins(before) {
		return mention{}, false
	}
	rest := text[at+1:]
	if strings.HasPrefix(rest, `"`) {
		path, length := quotedPath(rest)
		found := known.exists(path) || known.matches(path)
		return mention{at, at + 1 + length, path, true, found}, path != ""
	}
	if first, _ := utf8.DecodeRuneInString(rest); stops(first) && !spaceless(first) {
		return mention{}, false
	}
	token := rest[:tokenLength(rest)]
	path, length, found := longestName(token, before, known)
	return mention{at, at + 1 + length, path, false, found}, path != ""
}

// joins reports whether an @ after r belongs to the word before it. Letters of
// scripts that put no space between words do not count.
func joins(r rune) bool {
	return strings.ContainsRune(`_.-+/\@#%&~`, r) || (unicode.IsLetter(r) || unicode.IsDigit(r)) && !spaceless(r)
}

// quotedPath reads a path in double quotes; a backslash before a quote or a
// backslash is dropped. It returns "" when the quote is not closed on its line.
func quotedPath(s string) (path string, length int) {
	var b strings.Builder
	for i := 1; i < len(s) && i < maxPath; i++ {
		switch {
		case s[i] == '"':
			return b.String(), i + 1
		case s[i] == '\n':
			return "", 0
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", 0
}

// tokenLength returns how many bytes of s can be an unquoted path at most: up to
// white space that no backslash escapes.
func tokenLength(s string) int {
	for i, r := range s {
		if i >= maxPath || unicode.IsSpace(r) && (i == 0 || r != ' ' || s[i-1] != '\\') {
			return i
		}
	}
	return len(s)
}

// longestName decides which part of token is the path: the longest candidate
// that names something, else the longest glob that matches, else what a person
// would call the path.
func longestName(token string, before rune, known names) (path string, length int, found bool) {
	ends := candidates(token, before)
	for _, end := range ends {
		if path := unescape(token[:end]); known.exists(path) {
			return path, end, true
		}
	}
	for _, end := range ends {
		if path := unescape(token[:end]); isGlob(path) && known.matches(path) {
			return path, end, true
		}
	}
	if len(ends) == 0 {
		return "", 0, false
	}
	end := ends[len(ends)-1]
	if core := strings.TrimRightFunc(token, func(r rune) bool { return stops(r) || trails(r, before) }); isGlob(core) {
		end = len(strings.TrimRightFunc(token, func(r rune) bool { return stops(r) || r == '.' }))
	}
	return unescape(token[:end]), end, false
}

// candidates returns the lengths of the prefixes of token that may be the path,
// longest first: all of it, and what is before punctuation that separates or
// that ends a sentence.
func candidates(token string, before rune) []int {
	var ends, run []int
	for i, r := range token {
		switch {
		case stops(r):
			ends = append(append(ends, run...), i)
			run = run[:0]
		case trails(r, before):
			run = append(run, i)
		default:
			run = run[:0]
		}
		if len(ends) >= maxEnds {
			break
		}
	}
	ends = append(ends, run...)
	ends = append(ends[:min(maxEnds, len(ends))], len(token))
	slices.Reverse(ends)
	return slices.DeleteFunc(ends, func(end int) bool {
		// Dots alone are no name; src/* is a glob, not the folder src/ with emphasis.
		return strings.Trim(token[:end], ".") == "" || strings.HasSuffix(token[:end], "/") && strings.HasPrefix(token[end:], "*")
	})
}

// stops reports whether r separates a path from what follows it.
func stops(r rune) bool {
	return strings.ContainsRune(",;:!\"'`()<>|#", r) || spaceless(r) || r > unicode.MaxASCII && unicode.IsPunct(r)
}

// trails reports whether r, at the very end, belongs to the sentence rather than
// to the path. A star does when one is before the @ as well, as in **@a.go**.
func trails(r, before rune) bool {
	return strings.ContainsRune(".?]}", r) || r == '*' && before == '*'
}

// spaceless reports whether r is of a script written without spaces.
func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }

func unescape(token string) string { return strings.ReplaceAll(token, `\ `, " ") }

// looksLikePath reports whether a person that wrote m meant a file.
func (m mention) looksLikePath() bool { return m.quoted || strings.ContainsAny(m.path, "/.") }
