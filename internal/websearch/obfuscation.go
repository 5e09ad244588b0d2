package websearch

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"agent/internal/base/lazyregexp"
)

// A textForm is one form of a text in a query: the text itself, or a text that it may hide.
type textForm struct {
	text string
	// signless is the letters and digits of the text, see lettersAndDigits.
	signless string
}

func newTextForm(text string) textForm { return textForm{text, lettersAndDigits(text)} }

// maxTextForms limits the forms of a query, because nested encodings could multiply them.
const maxTextForms = 50

// textForms returns a text and the texts that it may hide. These are the text with ASCII letters
// instead of look-alikes, the text without URL and HTML escapes, and the texts that base64 or hex
// encodes. An encoding may hide another one.
func textForms(text string) []textForm {
	texts := []string{text}
	add := func(more string) {
		if len(texts) < maxTextForms && !slices.Contains(texts, more) {
			texts = append(texts, more)
		}
	}
	var all []textForm
	for i := 0; i < len(texts); i++ {
		all = append(all, newTextForm(texts[i]))
		add(inUsualLetters(texts[i]))
		add(html.UnescapeString(addressEscape.ReplaceAllStringFunc(texts[i], unescape)))
		for _, held := range decoded(texts[i]) {
			add(held)
		}
	}
	return all
}

// inUsualLetters returns a text with ASCII letters and digits instead of look-alikes.
func inUsualLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if usual, ok := lookAlikes()[r]; ok {
			return usual
		}
		if unicode.In(r, unicode.Mn, unicode.Cf) { // accents, and invisible characters
			return -1
		}
		return r
	}, norm.NFKD.String(text))
}

var addressEscape = lazyregexp.New(`%[0-9A-Fa-f]{2}|\+`)

func unescape(escape string) string {
	text, _ := url.QueryUnescape(escape) // the pattern matches no other escapes
	return text
}

var (
	base64Run = lazyregexp.New(`[A-Za-z0-9+/]{16,}`)
	hexRun    = lazyregexp.New(`[0-9a-f]{16,}`)
	// printable matches a decoded text that is unlikely to be printable by chance.
	printable = lazyregexp.New(`[ -~]{12,}`)
	// inBase64 converts both alphabets of base64 to one, and removes white space.
	inBase64 = strings.NewReplacer("-", "+", "_", "/", " ", "", "\t", "", "\n", "", "\r", "")
	// inHex removes the prefixes that programming languages write before each byte.
	inHex = strings.NewReplacer("0x", "", "0X", "", `\x`, "", `\u00`, "")
)

// decoded returns the texts that base64 and hex encode in a text. The characters before an encoding
// may be part of its alphabet, so each run is decoded from each of the first characters.
func decoded(text string) (held []string) {
	decode := func(run string, unit int, decode func(string) []byte) {
		for begin := range unit {
			if plain := string(decode(run[begin:])); printable.MatchString(plain) {
				held = append(held, plain)
			}
		}
	}
	for _, run := range base64Run.FindAllStringSubmatch(inBase64.Replace(text), -1) {
		decode(run[0], 4, func(run string) []byte {
			if len(run)%4 == 1 {
				run = run[:len(run)-1]
			}
			plain, _ := base64.RawStdEncoding.DecodeString(run)
			return plain
		})
	}
	for _, run := range hexRun.FindAllStringSubmatch(onlyLettersAndDigits(inHex.Replace(text)), -1) {
		decode(run[0], 2, func(run string) []byte {
			plain, _ := hex.DecodeString(run[:len(run)&^1])
			return plain
		})
	}
	return held
}

// leastSplit is the least length of a value that is found with other characters in between. The
// parts of a shorter value may be common words.
const leastSplit = 16

// holds reports whether the text contains a value. A long value with letters and digits is not a
// name, so it is also found with other characters in between.
func (s textForm) holds(value string) bool {
	if strings.Contains(s.text, value) {
		return true
	}
	signless := lettersAndDigits(value)
	return len(signless) >= leastSplit && strings.ContainsAny(value, "0123456789") && strings.Contains(s.signless, signless)
}

// lettersAndDigits returns the letters and digits of a text. It maps similar ASCII characters to
// one of them, because a look-alike from another alphabet may stand for either.
func lettersAndDigits(text string) string { return alike.Replace(onlyLettersAndDigits(text)) }

var alike = strings.NewReplacer("i", "1", "l", "1", "o", "0")

// onlyLettersAndDigits returns the letters and digits of a text in lower case.
func onlyLettersAndDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
