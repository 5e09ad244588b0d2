package websearch

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A spelling is a text that a query spells.
type spelling struct {
	text string
	// signless has the letters and digits of the text alone.
	signless string
}

func newSpelling(text string) spelling { return spelling{text, lettersAndDigits(text)} }

// spellings returns a text and the texts that it may hide: the same text in the usual letters
// instead of letters of other alphabets, the text without the escapes of addresses, and the texts
// that its words encode in base64 and hex.
func spellings(text string) []spelling {
	all := []spelling{newSpelling(text)}
	add := func(more string) {
		if more != "" && more != text {
			all = append(all, newSpelling(more))
		}
	}
	plain := norm.NFKC.String(text)
	add(plain)
	for unescaped := plain; ; {
		next, err := url.QueryUnescape(unescaped)
		if err != nil || next == unescaped {
			break
		}
		add(next)
		unescaped = next
	}
	const shortest = 16 // of a word that may hold a key
	for _, word := range strings.FieldsFunc(plain, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'<>(),;:`, r) }) {
		if len(word) < shortest {
			continue
		}
		word = strings.TrimRight(word, "=")
		for _, decode := range []func(string) ([]byte, error){base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString, hex.DecodeString} {
			if held, err := decode(word); err == nil {
				add(string(held))
			}
		}
	}
	return all
}

// leastSplit is the length from which a value is found although signs stand between its
// characters; the words of a shorter one may be usual words.
const leastSplit = 16

// holds reports whether the text holds a value. A long value that has both letters and digits, and
// so is no name, is found whatever stands between them.
func (s spelling) holds(value string) bool {
	if strings.Contains(s.text, value) {
		return true
	}
	value = lettersAndDigits(value)
	return len(value) >= leastSplit && strings.ContainsAny(value, "0123456789") && strings.Contains(s.signless, value)
}

func lettersAndDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
