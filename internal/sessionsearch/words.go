package sessionsearch

import (
	"unicode"
	"unicode/utf8"
)

const (
	// longestWord limits a word, in bytes. The rest of a longer word is ignored.
	longestWord = 64
	// shortestBeginning is the number of letters from which a word also matches longer words.
	shortestBeginning = 4
)

// folded maps each ASCII letter of a word to lower case, and all other bytes to 0.
var folded = func() (table [256]byte) {
	for c := range utf8.RuneSelf {
		switch b := byte(c); {
		case b >= 'A' && b <= 'Z':
			table[c] = b + 'a' - 'A'
		case b >= 'a' && b <= 'z', b >= '0' && b <= '9', b == '_':
			table[c] = b
		}
	}
	return table
}()

// eachWord calls use with each word of a text in lower case, and with its position. A word is a run of
// letters, digits, marks and underscores. The word is valid until use returns.
func eachWord(text string, use func(word []byte, begin, end int)) {
	var memory [longestWord + utf8.UTFMax]byte
	for i := 0; i < len(text); {
		word, end := foldWord(text, i, memory[:0])
		if end == i {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		use(word, i, end)
		i = end
	}
}

// foldWord appends the word that begins at i to word, in lower case. It returns the end of the word in the
// text, or i if no word begins there.
func foldWord[T string | []byte](text T, i int, word []byte) (folds []byte, end int) {
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			letter := folded[c]
			if letter == 0 {
				break
			}
			if i++; len(word) < longestWord {
				word = append(word, letter)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
		if !unicode.In(r, unicode.L, unicode.N, unicode.M) {
			break
		}
		if r = unicode.ToLower(r); len(word)+utf8.RuneLen(r) <= longestWord {
			word = utf8.AppendRune(word, r)
		}
		i += size
	}
	return word, i
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
