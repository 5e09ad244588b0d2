package tokens

import (
	"regexp"
	"testing"
	"unicode/utf8"
)

// The classes are compared with the character sets of regexp for every rune of the first two
// planes.
func TestClassOf(t *testing.T) {
	t.Parallel()
	sets := []struct {
		set     string
		members class
	}{
		{`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, upper},
		{`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`, lower},
		{`\p{L}`, letter},
		{`\p{N}`, digit},
		{`[\t\n\v\f\r\x85\p{Z}]`, space},
		{`[\r\n]`, newline},
	}
	for _, set := range sets {
		pattern := regexp.MustCompile(`^` + set.set + `$`)
		var encoded [utf8.UTFMax]byte
		for r := range rune(0x20000) {
			if !utf8.ValidRune(r) {
				continue
			}
			n := utf8.EncodeRune(encoded[:], r)
			if got, want := classOf(r)&set.members != 0, pattern.Match(encoded[:n]); got != want {
				t.Errorf("%U in %s: %t, want %t", r, set.set, got, want)
			}
		}
	}
}
