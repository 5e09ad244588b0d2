package link

import (
	"strconv"
	"strings"
)

// Place is a part of a text, in bytes, that leads somewhere.
type Place struct {
	From, To int
	Target   Target
}

// separators end a word that may be a place.
const separators = " \t\n\"'`<>[]{}|,;*"

// What a program printed may be a megabyte of what could be names: mostLooks is how many
// files are looked for in one text, and a text of more bytes than longText has no links.
const (
	mostLooks = 200
	longText  = 32 << 10
)

// Places are the addresses of the web and the files of the workspace that a text names, in
// order.
func (l *Links) Places(text string) (places []Place) {
	if l == nil || len(text) > longText {
		return nil
	}
	l.looks = mostLooks
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
			places = append(places, Place{at, at + size, t})
		}
		at = end
	}
	return places
}

// word is where the beginning of a word leads, and how much of it that is.
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

// sentence is an address without the signs behind it that belong to its sentence.
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

// file is where a word leads that names a file, with a line or without.
func (l *Links) file(word string) (Target, int) {
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

// position takes a name and the place in it apart: name, name:12, name:12:5, name#L12.
// size is how much of the word that is.
func position(word string) (name string, line, column, size int) {
	for _, mark := range []string{":", "#L"} {
		for at := 0; ; {
			n := strings.Index(word[at:], mark)
			if n < 0 {
				break
			}
			at += n + len(mark)
			line, digits := number(word[at:])
			if digits == 0 {
				continue
			}
			size = at + digits
			if mark == ":" && strings.HasPrefix(word[size:], ":") {
				if column, digits = number(word[size+1:]); digits > 0 {
					size += 1 + digits
				}
			}
			return word[:at-len(mark)], line, column, size
		}
	}
	return word, 0, 0, len(word)
}

// number is the number that a text begins with, and how many digits it has.
func number(text string) (n, digits int) {
	for digits < len(text) && digits < 9 && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	n, _ = strconv.Atoi(text[:digits])
	return n, digits
}
