package link

import (
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// LinkRange is a range of a text, in bytes, that becomes a link.
type LinkRange struct {
	From, To int
	Target   Target
}

// separators are the characters that end a word in the search for links.
const separators = " \t\n\"'`<>[]{}|,;*"

// A program may print a megabyte of words that could be names. So maxCheckedFiles limits the files that
// are checked for one text, and a text of more than longText bytes has no links.
const (
	maxCheckedFiles = 200
	longText        = 32 << 10
)

// FindLinks returns the positions of the web addresses and of the workspace files in a text, in order.
func (l *Links) FindLinks(text string) (places []LinkRange) {
	if l == nil || len(text) > longText {
		return nil
	}
	l.looks = maxCheckedFiles
	for at := 0; at < len(text); {
		if strings.IndexByte(separators, text[at]) >= 0 || text[at] == '(' {
			at++
			continue
		}
		end := len(text)
		if n := strings.IndexAny(text[at:], separators); n >= 0 {
			end = at + n
		}
		if t, size := l.word(text[at:end]); t.url != "" {
			places = append(places, LinkRange{at, at + size, t})
		}
		at = end
	}
	return places
}

// word returns the link for the beginning of a word, and the length of that beginning.
func (l *Links) word(word string) (Target, int) {
	if strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
		word = sentence(word)
		t, _ := l.Web(word)
		return t, len(word)
	}
	if end := strings.IndexAny(word, "()"); end >= 0 {
		word = word[:end]
	}
	return l.file(strings.TrimRight(word, ".:!?"))
}

// sentence returns an address without the trailing punctuation that belongs to the sentence around it.
func sentence(address string) string {
	for {
		trimmed := strings.TrimRight(address, ".:!?_")
		if strings.HasSuffix(trimmed, ")") && strings.Count(trimmed, "(") < strings.Count(trimmed, ")") {
			trimmed = trimmed[:len(trimmed)-1]
		}
		if trimmed == address {
			return address
		}
		address = trimmed
	}
}

// file returns the link for a word that names a file, with or without a line number, and the length of the
// name.
func (l *Links) file(word string) (Target, int) {
	if !strings.ContainsAny(word, "./") { // most words contain neither
		return Target{}, 0
	}
	name, line, column, size := position(word)
	if len(name) > 512 || !strings.ContainsAny(name, "./") {
		return Target{}, 0
	}
	path := l.path(name)
	if path == "" {
		return Target{}, 0
	}
	return target(l.address(path, line, column)), size
}

// lined matches a name with a line and a column, such as name:12 or name:12:5. marked matches name#L12.
var (
	lined  = lazyregexp.New(`^(.*?):(\d{1,9})(?::(\d{1,9}))?`)
	marked = lazyregexp.New(`^(.*?)#L(\d{1,9})()`)
)

// position parses a name that is followed by a line and a column. size is the length of this part of the
// word.
func position(word string) (name string, line, column, size int) {
	found := lined.FindStringSubmatch(word)
	if found == nil {
		found = marked.FindStringSubmatch(word)
	}
	if found == nil {
		return word, 0, 0, len(word)
	}
	line, _ = strconv.Atoi(found[2])
	column, _ = strconv.Atoi(found[3]) // 0 if there is none
	return found[1], line, column, len(found[0])
}
