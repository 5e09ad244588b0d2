package sessionsearch

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A prefilter counts the words of a query in the bytes of a record. It finds each word that is in the
// document of the record. It may find more, because member names, secrets and pictures are not part of the
// document.
type prefilter struct {
	words []string
	// required lists the words of phrases, which every matching document contains. named lists the words of
	// paths and tools. The record contains them, or the reply whose call it answers.
	required, named []string
	// begins is set for each byte with which a wanted word may begin.
	begins [256]bool
	// wanted lists all of these words by their first byte. seen holds those that are in the latest line.
	wanted [256][]string
	seen   map[string]bool
	text   []byte
}

func newPrefilter(q *Query) *prefilter {
	s := &prefilter{words: q.words, seen: map[string]bool{}}
	for _, p := range q.phrases {
		if !p.absent {
			s.required = append(s.required, p.words...)
		}
	}
	for _, name := range slices.Concat(q.paths, q.tools) {
		s.named = append(s.named, wordsOf(name)...)
	}
	for _, word := range slices.Concat(s.words, s.required, s.named) {
		s.wanted[word[0]] = append(s.wanted[word[0]], word)
	}
	for c := range s.begins {
		s.begins[c] = c >= utf8.RuneSelf || len(s.wanted[folded[c]]) > 0 // runes are decoded first
	}
	return s
}

// read reads the words of a line of JSON.
func (s *prefilter) read(line []byte) {
	clear(s.seen)
	s.text = unescape(s.text[:0], line)
	text := s.text
	var memory [longestWord + utf8.UTFMax]byte
	for i := 0; i < len(text); {
		if c := text[i]; !s.begins[c] {
			for i++; folded[c] != 0 && i < len(text) && folded[text[i]] != 0; i++ {
			}
			if folded[c] != 0 && i < len(text) && text[i] >= utf8.RuneSelf {
				_, i = foldWord(text, i, memory[:0]) // skip the rest of the word
			}
			continue
		}
		word, end := foldWord(text, i, memory[:0])
		if i = max(end, i+1); len(word) == 0 {
			continue
		}
		for _, w := range s.wanted[word[0]] {
			if matches(word, w) && !s.seen[w] {
				s.seen[w] = true
			}
		}
	}
}

// score returns the number of words of the query in the latest line, or -1 if the line cannot match.
func (s *prefilter) score() (score int) {
	for _, w := range s.words {
		if s.seen[w] {
			score++
		}
	}
	if score == 0 && len(s.words) > 0 || !s.has(s.required) {
		return -1
	}
	return score
}

// names reports whether the latest line contains the words of the paths and tools.
func (s *prefilter) names() bool { return s.has(s.named) }

func (s *prefilter) has(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !s.seen[w] })
}

// unescape appends a line to into, with JSON escapes replaced by their characters. It appends a blank for
// characters that no word contains.
func unescape(into, line []byte) []byte {
	for {
		next := bytes.IndexByte(line, '\\')
		if next < 0 {
			return append(into, line...)
		}
		r, size := escaped(line[next:])
		into = utf8.AppendRune(append(into, line[:next]...), r)
		line = line[min(next+size, len(line)):]
	}
}

// escaped returns the character of a JSON escape and the size of the escape in bytes. It returns a blank
// for a character that no word contains.
func escaped(text []byte) (r rune, size int) {
	if len(text) < len(`\u0000`) || text[1] != 'u' {
		return ' ', len(`\n`)
	}
	unit := func(at int) rune {
		if len(text) < at+len(`\u0000`) || text[at] != '\\' || text[at+1] != 'u' {
			return utf8.RuneError
		}
		n, err := strconv.ParseUint(string(text[at+2:at+6]), 16, 16)
		if err != nil {
			return utf8.RuneError
		}
		return rune(n)
	}
	r = unit(0)
	if pair := utf16.DecodeRune(r, unit(6)); utf16.IsSurrogate(r) && pair != utf8.RuneError {
		return pair, 2 * len(`\u0000`)
	}
	return r, len(`\u0000`)
}
