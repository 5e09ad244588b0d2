package websearch

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// spellings returns a text and other texts that it spells: in the usual letters instead of those of
// other alphabets, without the escapes of addresses, and what its words hold in base64 and hex.
func spellings(text string) []string {
	all := []string{text}
	add := func(more string) {
		if more != "" && more != text {
			all = append(all, more)
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

// holdsSplit reports whether a text holds a value, whatever stands between its letters and digits.
// Only a value that has both counts, since others may be names.
func holdsSplit(text, value string) bool {
	value = lettersAndDigits(value)
	return len(value) >= leastSplit && strings.ContainsAny(value, "0123456789") && strings.Contains(lettersAndDigits(text), value)
}

func lettersAndDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
