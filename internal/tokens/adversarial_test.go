package tokens

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// adversarial returns texts of about n bytes for which a simple counter needs quadratic time, in
// the splitter or in the merge.
var adversarial = map[string]func(n int) string{
	"letter":                               repeat("a"),
	"capital":                              repeat("A"),
	"spaces":                               repeat(" "),
	"newlines":                             repeat("\n"),
	"rule":                                 repeat("="),
	"digits":                               repeat("7"),
	"marks":                                repeat("\u0301"),
	"invalid UTF-8":                        repeat("\xff"),
	"indented nothing":                     repeat("\n" + strings.Repeat(" ", 1000)),
	"capitals after a letter without case": repeat("漢" + strings.Repeat("A", 1000)),
	"random letters":                       randomLetters,
	"CJK without punctuation":              randomCJK,
	"base64":                               randomBase64,
}

func repeat(unit string) func(int) string {
	return func(n int) string { return strings.Repeat(unit, max(1, n/len(unit))) }
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// randomLetters returns a text that the splitter does not split.
func randomLetters(n int) string {
	random := newRandom()
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('a' + random.IntN(26))
	}
	return string(text)
}

func randomCJK(n int) string {
	random := newRandom()
	var text strings.Builder
	for text.Len() < n {
		text.WriteRune(rune(0x4e00 + random.IntN(0x5000)))
	}
	return text.String()
}

func randomBase64(n int) string {
	random := newRandom()
	data := make([]byte, n*3/4)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return base64.StdEncoding.EncodeToString(data)
}
