package tokens

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"flag"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

var update = flag.Bool("update", false, "write the vocabulary files anew")

// The embedded files hold what tiktoken's do. With -update they are written.
func TestVocabularyFiles(t *testing.T) {
	t.Parallel()
	for _, enc := range encodings {
		want := tiktokenFile(t, enc)
		if *update {
			var file bytes.Buffer
			w, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
			must(t, err)
			_, err = w.Write(want)
			must(t, errors.Join(err, w.Close(), os.WriteFile(string(enc)+".gz", file.Bytes(), 0o600)))
			continue
		}
		file, err := gzip.NewReader(bytes.NewReader(vocabularyOf(enc).file))
		must(t, err)
		got, err := io.ReadAll(file)
		must(t, err)
		if !bytes.Equal(got, want) {
			t.Errorf("%s.gz is not made from the file of tiktoken; run go test ./internal/tokens -run VocabularyFiles -update", enc)
		}
	}
}

// tiktokenFile is tiktoken's vocabulary in our form. Theirs has a line a token: its
// bytes in base64, a space, its rank.
func tiktokenFile(t *testing.T, enc Encoding) []byte {
	t.Helper()
	file, err := assets.Assets.Open(string(enc) + ".tiktoken")
	must(t, err)
	var lengths, tokens []byte
	for lines := bufio.NewScanner(file); lines.Scan(); {
		encoded, _, _ := strings.Cut(lines.Text(), " ")
		token, err := base64.StdEncoding.DecodeString(encoded)
		must(t, err)
		lengths, tokens = append(lengths, byte(len(token))), append(tokens, token...)
	}
	return append(lengths, tokens...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A wrong size costs memory for good. This test runs alone, as what others allocate
// would count.
func TestVocabularyIsAllocatedOnce(t *testing.T) {
	for _, enc := range encodings {
		v := vocabularyOf(enc)
		if table := v.load(); len(table.offsets)-1 != v.tokens || len(table.arena) != v.bytes {
			t.Errorf("%s has %d tokens of %d bytes, vocabularyOf says %d and %d",
				enc, len(table.offsets)-1, len(table.arena), v.tokens, v.bytes)
		}
		// What is read with is small: the decompressor has a table for each block.
		const besides = 512 << 10
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		table := v.load()
		runtime.ReadMemStats(&after)
		want := uint64(cap(table.arena) + 4*cap(table.offsets) + 4*cap(table.slots) + besides)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > want {
			t.Errorf("%s takes %d bytes to load, want at most %d", enc, allocated, want)
		}
	}
}

func TestReadVocabulary(t *testing.T) {
	t.Parallel()
	table := newRankTable(3, 4)
	must(t, table.read(bufio.NewReader(strings.NewReader("\x01\x01\x02abab"))))
	for rank, token := range []string{"a", "b", "ab"} {
		if got := table.rank(token); got != uint32(rank) {
			t.Errorf("rank of %q is %d, want %d", token, got, rank)
		}
	}
	for _, other := range []string{"", "c", "ba", "abc"} {
		if got := table.rank(other); got != noRank {
			t.Errorf("rank of %q is %d, want none", other, got)
		}
	}
}

func TestReadVocabularyRefusesDamage(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"":                  "the length of token 0",
		"\x01\x01":          "the length of token 2",
		"\x01\x01\x01abc":   "the tokens have 3 bytes, want 4",
		"\x01\x01\x02aba":   "the tokens: unexpected EOF",
		"\x01\x01\x02ababc": "something follows",
	} {
		err := newRankTable(3, 4).read(bufio.NewReader(strings.NewReader(file)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q in it", file, err, want)
		}
	}
	broken := errors.New("broken")
	if err := newRankTable(1, 1).read(bufio.NewReader(iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error is %v, want %v", err, broken)
	}
}
