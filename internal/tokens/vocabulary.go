package tokens

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

// vocabulary says where an encoding's tokens are and how it splits text.
type vocabulary struct {
	// asset is the file with one line a token: its bytes in base64, a space, its
	// rank. The lines are in the order of the ranks, which have no gaps.
	asset string
	split splitter
	// tokens and bytes are the size of the vocabulary, so that the rank table can
	// be allocated once.
	tokens, bytes int
}

func vocabularyOf(enc Encoding) vocabulary {
	if enc == CL100K {
		return vocabulary{asset: "cl100k_base.tiktoken", split: splitCL100K, tokens: 100_256, bytes: 643_830}
	}
	return vocabulary{asset: "o200k_base.tiktoken", split: splitO200K, tokens: 199_998, bytes: 1_397_670}
}

// load reads the vocabulary out of the program itself. It panics if that fails:
// the asset is compiled in, so it can fail only in a build whose tests fail too.
func (v vocabulary) load() *rankTable {
	file, err := assets.Assets.Open(v.asset)
	if err != nil {
		panic(fmt.Sprintf("tokens: embedded vocabulary: %v", err))
	}
	table := newRankTable(v.tokens, v.bytes)
	if err := readRanks(file, table); err != nil {
		panic(fmt.Sprintf("tokens: embedded vocabulary %s: %v", v.asset, err))
	}
	return table
}

// readRanks adds the tokens of a vocabulary file to table. It decodes line by
// line and leaves no garbage: the memory a loader takes for a moment stays with
// the process for good.
func readRanks(file io.Reader, table *rankTable) error {
	lines := bufio.NewScanner(file)
	var token []byte
	for rank := 0; lines.Scan(); rank++ {
		encoded, number, _ := bytes.Cut(lines.Bytes(), []byte{' '})
		if n, err := strconv.Atoi(string(number)); err != nil || n != rank {
			return fmt.Errorf("line %d: rank is %q, want %d", rank+1, number, rank)
		}
		var err error
		if token, err = base64.StdEncoding.AppendDecode(token[:0], encoded); err != nil {
			return fmt.Errorf("line %d: %w", rank+1, err)
		}
		table.add(token)
	}
	return lines.Err()
}
