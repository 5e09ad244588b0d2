package tokens

import (
	"slices"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
)

// The patterns as OpenAI published them with tiktoken.
var patterns = map[Encoding]*regexp2.Regexp{
	O200K: regexp2.MustCompile(`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`, regexp2.None),
	CL100K: regexp2.MustCompile(`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}`+
		`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`, regexp2.None),
}

func requireSamePieces(t *testing.T, enc Encoding, text string) {
	t.Helper()
	var want, got []string
	match, err := patterns[enc].FindStringMatch(text)
	for ; match != nil && err == nil; match, err = patterns[enc].FindNextMatch(match) {
		want = append(want, match.String())
	}
	if err != nil {
		t.Fatal(err)
	}
	split := NewCounter(enc).split
	for rest := string([]rune(text)); len(rest) > 0; {
		end := split(rest)
		got = append(got, rest[:end])
		rest = rest[end:]
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s splits %q\ninto %q,\nwant %q", enc, text, got, want)
	}
}

func TestSplitMatchesPattern(t *testing.T) {
	t.Parallel()
	for _, enc := range encodings {
		for _, first := range seeds {
			for _, second := range seeds {
				requireSamePieces(t, enc, cut(first)+cut(second))
			}
		}
	}
}

// A quarter of a mebibyte is split in milliseconds. Quadratic time would be minutes, so the limit
// is far from both.
func TestSplitIsNotQuadratic(t *testing.T) {
	t.Parallel()
	for _, enc := range encodings {
		split := NewCounter(enc).split
		for name, text := range adversarial {
			began := time.Now()
			for rest := string([]rune(text(256 << 10))); len(rest) > 0; {
				rest = rest[split(rest):]
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("%s, %s: took %v", enc, name, took)
			}
		}
	}
}

func FuzzSplitMatchesPattern(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxOracleBytes {
			t.Skip("the oracle is quadratic")
		}
		for _, enc := range encodings {
			requireSamePieces(t, enc, text)
		}
	})
}
