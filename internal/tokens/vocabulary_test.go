package tokens

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

var update = flag.Bool("update", false, "write the vocabulary files anew")

// The embedded tables have the same ranks as tiktoken's files. With -update the test writes them.
func TestVocabularyFiles(t *testing.T) {
	t.Parallel()
	for _, enc := range encodings {
		tokens := tiktokenFile(t, enc)
		want := tableOf(t, tokens)
		if *update {
			must(t, os.WriteFile(string(enc)+".ranks", []byte(want), 0o600))
			continue
		}
		if NewCounter(enc).ranks != want {
			t.Errorf("%s.ranks is not made from the file of tiktoken; run go test ./internal/tokens -run VocabularyFiles -update", enc)
		}
		for rank, token := range tokens {
			if got := want.rank(token); got != uint32(rank) {
				t.Fatalf("%s: rank of %q is %d, want %d", enc, token, got, rank)
			}
		}
	}
}

// tableOf returns the table of the tokens in the order of their ranks.
func tableOf(t *testing.T, tokens []string) rankTable {
	t.Helper()
	var marks, texts [buckets][]byte
	for rank, token := range tokens {
		if len(token) == 0 || len(token) > 1<<lengthBits || rank >= 1<<rankBits {
			t.Fatalf("token %d, %q, has no place", rank, token)
		}
		hash := hashOf(token)
		bucket := hash % buckets
		marks[bucket] = binary.LittleEndian.AppendUint32(marks[bucket], markOf(hash, token)<<rankBits|uint32(rank))
		texts[bucket] = append(texts[bucket], token...)
	}
	var index, entries []byte
	for i := range buckets {
		at, count := 4*buckets+len(entries), len(marks[i])/4
		// A lookup reads a whole bucket, which has six tokens on average.
		if count > 40 || at >= 1<<(32-bucketBits) {
			t.Fatalf("bucket %d has %d tokens, at %d", i, count, at)
		}
		index = binary.LittleEndian.AppendUint32(index, uint32(at<<bucketBits|count))
		entries = append(append(entries, marks[i]...), texts[i]...)
	}
	return rankTable(append(index, entries...))
}

// tiktokenFile returns tiktoken's vocabulary in the order of ranks. Each line of its file has the
// token's bytes in base64, a space, and the rank.
func tiktokenFile(t *testing.T, enc Encoding) []string {
	t.Helper()
	file, err := assets.Assets.Open(string(enc) + ".tiktoken")
	must(t, err)
	var tokens []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		encoded, _, _ := strings.Cut(lines.Text(), " ")
		token, err := base64.StdEncoding.DecodeString(encoded)
		must(t, err)
		tokens = append(tokens, string(token))
	}
	return tokens
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRanks(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("x", 1<<lengthBits)
	tokens := []string{"a", "b", "ab", "abcdefgh", "abcdefghi", longest}
	table := tableOf(t, tokens)
	for rank, token := range tokens {
		if got := table.rank(token); got != uint32(rank) {
			t.Errorf("rank of %q is %d, want %d", token, got, rank)
		}
	}
	for _, other := range []string{"", "c", "ba", "abc", "abcdefg", "abcdefgj", longest + "x", longest[1:]} {
		if got := table.rank(other); got != noRank {
			t.Errorf("rank of %q is %d, want none", other, got)
		}
	}
}
