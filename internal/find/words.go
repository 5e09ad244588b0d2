package find

import (
	"unicode"
	"unicode/utf8"
)

const (
	// longestWord bounds a word in bytes; the rest of a longer one does not count.
	longestWord = 64
	// shortestBeginning is the number of letters from which a word also matches longer words.
	shortestBeginning = 4
)

// folded maps each ASCII letter of a word to lower case, and all other ASCII to 0.
var folded = func() (table [utf8.RuneSelf]byte) {
	for c := range table {
		switch b := byte(c); {
		case b >= 'A' && b <= 'Z':
			table[c] = b + 'a' - 'A'
		case b >= 'a' && b <= 'z', b >= '0' && b <= '9', b == '_':
			table[c] = b
		}
	}
	return table
}()

// eachWord calls use with each word of a text in lower case, and with its place. A word is a run
// of letters, digits, marks and underscores. The word is valid until use returns.
func eachWord(text string, use func(word []byte, begin, end int)) {
	var memory [longestWord + utf8.UTFMax]byte
	word, begin := memory[:0], -1
	for i := 0; i < len(text); {
		size, letter := 1, byte(0)
		r := rune(0)
		if c := text[i]; c < utf8.RuneSelf {
			letter = folded[c]
		} else {
			if r, size = utf8.DecodeRuneInString(text[i:]); unicode.In(r, unicode.L, unicode.N, unicode.M) {
				r = unicode.ToLower(r)
			} else {
				r = 0
			}
		}
		switch {
		case letter == 0 && r == 0:
			if begin >= 0 {
				use(word, begin, i)
				word, begin = memory[:0], -1
			}
		case begin < 0:
			begin = i
			fallthrough
		default:
			if letter != 0 && len(word) < longestWord {
				word = append(word, letter)
			} else if r != 0 && len(word)+utf8.RuneLen(r) <= longestWord {
				word = utf8.AppendRune(word, r)
			}
		}
		i += size
	}
	if begin >= 0 {
		use(word, begin, len(text))
	}
}

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) (list []string) {
	eachWord(text, func(word []byte, _, _ int) { list = append(list, string(word)) })
	return list
}

// begins reports whether a word of a query also matches longer words.
func begins(word string) bool { return utf8.RuneCountInString(word) >= shortestBeginning }

// matches reports whether a word of a text matches a word of a query.
func matches(word []byte, wanted string) bool {
	return string(word) == wanted || len(word) > len(wanted) && string(word[:len(wanted)]) == wanted && begins(wanted)
}
