package atcmd

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/base/lazyregexp"
)

// maxPath is the length of the longest possible path, in bytes. No file system supports longer
// paths, and the limit prevents that pasted data is read as a path.
const maxPath = 4096

// maxMentions limits the mentions that are read in a text. maxEnds limits the positions at which an
// unquoted path may end. Each position is looked up in the file system, and a pasted megabyte of at
// signs must not delay sending.
const (
	maxMentions = 500
	maxEnds     = 32
)

// mention is one @path of a text.
type mention struct {
	// start and end delimit the mention in the text, including the @.
	start, end int
	path       string
	quoted     bool
	// pages are the pages that are named after the path of a PDF.
	pages PageRange
	// found is set if path names a file or folder.
	found bool
}

// PageRange is a range of pages of a PDF. Count is 0 for all pages from First on. The zero value
// selects no range.
type PageRange struct{ First, Count int }

// String returns the range in the form in which users write it after a path.
func (p PageRange) String() string {
	switch {
	case p == PageRange{}:
		return ""
	case p.Count == 0:
		return fmt.Sprintf(":%d-", p.First)
	case p.Count == 1:
		return fmt.Sprintf(":%d", p.First)
	}
	return fmt.Sprintf(":%d-%d", p.First, p.First+p.Count-1)
}

// pagesBehind matches a range of pages after the path of a PDF: ":3", ":3-5", ":3-".
var pagesBehind = lazyregexp.New(`^:([1-9][0-9]{0,4})(-([1-9][0-9]{0,4})?)?`)

// withPages adds the range of pages that follows the mention of a PDF in text.
func (m mention) withPages(text string) mention {
	named := pagesBehind.FindStringSubmatch(text[m.end:])
	if named == nil || !strings.EqualFold(path.Ext(m.path), ".pdf") {
		return m
	}
	first, _ := strconv.Atoi(named[1])
	last, _ := strconv.Atoi(named[3])
	m.pages = PageRange{first, max(0, last-first+1)}
	if named[2] == "" {
		m.pages.Count = 1
	}
	m.end += len(named[0])
	return m
}

// names looks up names. A path may contain a comma or end in a dot, so only the file system
// determines where a mention ends.
type names interface {
	// exists reports whether a file or folder of this name exists.
	exists(path string) bool
	// matches reports whether the glob matches any file.
	matches(pattern string) bool
	// isResource reports whether a name is the address of a resource instead of a file.
	isResource(name string) bool
}

// parse finds the first maxMentions mentions of text, in order. They do not overlap. Data and code,
// fenced or between backticks, contain no mentions.
func parse(text string, data spans, known names) []mention {
	var found []mention
	code := code(text)
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
		m = m.withPages(text)
		found = append(found, m)
		at = m.end
	}
	return found
}

// mentionAt parses the mention that begins at text[at], if there is one.
func mentionAt(text string, at int, known names) (mention, bool) {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	if at > 0 && joins(before) {
		return mention{}, false
	}
	rest := text[at+1:]
	if strings.HasPrefix(rest, `"`) {
		path, length := quotedPath(rest)
		found := known.exists(path) || known.matches(path)
		return mention{start: at, end: at + 1 + length, path: path, quoted: true, found: found}, path != ""
	}
	if first, _ := utf8.DecodeRuneInString(rest); stops(first) && !spaceless(first) {
		return mention{}, false
	}
	token := rest[:tokenLength(rest)]
	path, length, found := longestName(token, before, known)
	return mention{start: at, end: at + 1 + length, path: path, found: found}, path != ""
}

// joins reports whether an @ after r belongs to the word before it. Letters of
// scripts that put no space between words do not count.
func joins(r rune) bool {
	return strings.ContainsRune(`_.-+/\@#%&~`, r) || (unicode.IsLetter(r) || unicode.IsDigit(r)) && !spaceless(r)
}

// quotedPath parses a path in double quotes and drops a backslash before a quote or a backslash.
// It returns "" if the quote is not closed on its line.
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

// tokenLength returns the length of the longest possible unquoted path at the start of s: up to
// white space that no backslash escapes.
func tokenLength(s string) int {
	for i, r := range s {
		if i >= maxPath || unicode.IsSpace(r) && (i == 0 || r != ' ' || s[i-1] != '\\') {
			return i
		}
	}
	return len(s)
}

// longestName determines which part of token is the path. It prefers the longest candidate that
// exists, then the longest glob that matches, then the part that a user would read as the path.
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
	// An address may contain the characters that separate a path from the text after it.
	if address := strings.TrimRightFunc(token, func(r rune) bool { return stops(r) || trails(r, before) }); known.isResource(address) {
		return address, len(address), false
	}
	end := ends[len(ends)-1]
	if core := strings.TrimRightFunc(token, func(r rune) bool { return stops(r) || trails(r, before) }); isGlob(core) {
		end = len(strings.TrimRightFunc(token, func(r rune) bool { return stops(r) || r == '.' }))
	}
	return unescape(token[:end]), end, false
}

// candidates returns the lengths of the prefixes of token that may be the path, longest first. They
// are the whole token, and the parts before punctuation that separates or that ends a sentence.
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
		// A name does not consist of dots only. src/* is a glob, not the folder src/ with emphasis.
		return strings.Trim(token[:end], ".") == "" || strings.HasSuffix(token[:end], "/") && strings.HasPrefix(token[end:], "*")
	})
}

func stops(r rune) bool {
	return strings.ContainsRune(",;:!\"'`()<>|#", r) || spaceless(r) || r > unicode.MaxASCII && unicode.IsPunct(r)
}

// trails reports whether r, at the very end, belongs to the sentence rather than to the path. A
// star belongs to the sentence if there is also a star before the @, such as in **@a.go**.
func trails(r, before rune) bool {
	return strings.ContainsRune(".?]}", r) || r == '*' && before == '*'
}

// spaceless reports whether r belongs to a script without spaces between words.
func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }

func unescape(token string) string { return strings.ReplaceAll(token, `\ `, " ") }

// plain returns typed text without the backslashes that escape an @. Code and data stay unchanged.
func plain(text string, data spans) string {
	if !strings.Contains(text, `\@`) {
		return text
	}
	code := code(text)
	var b strings.Builder
	for i := range len(text) {
		escapes := strings.HasPrefix(text[i:], `\@`) && (i == 0 || text[i-1] != '\\')
		if !escapes || code.endAround(i) > i || data.endAround(i) > i {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// looksLikePath reports whether a user who typed m probably meant a file.
func (m mention) looksLikePath() bool { return m.quoted || strings.ContainsAny(m.path, "/.") }
