package tokens

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
)

// The vocabularies, made from the files of tiktoken by TestVocabularyFiles. Each is
// compressed: the length of every token in the order of their ranks, a byte each,
// then the tokens themselves.
var (
	//go:embed cl100k_base.gz
	cl100kFile []byte
	//go:embed o200k_base.gz
	o200kFile []byte
)

// vocabulary says where an encoding's tokens are and how it splits text.
type vocabulary struct {
	file  []byte
	split splitter
	// tokens and bytes are the size of the vocabulary.
	tokens, bytes int
}

func vocabularyOf(enc Encoding) vocabulary {
	if enc == CL100K {
		return vocabulary{file: cl100kFile, split: splitCL100K, tokens: 100_256, bytes: 643_830}
	}
	return vocabulary{file: o200kFile, split: splitO200K, tokens: 199_998, bytes: 1_397_670}
}

// load reads the vocabulary out of the program itself. It panics if that fails:
// the file is compiled in, so it can fail only in a build whose tests fail too.
func (v vocabulary) load() *rankTable {
	table := newRankTable(v.tokens, v.bytes)
	file, err := gzip.NewReader(bytes.NewReader(v.file))
	if err == nil {
		err = table.read(bufio.NewReader(file))
	}
	if err != nil {
		panic(fmt.Sprintf("tokens: embedded vocabulary: %v", err))
	}
	return table
}

// read fills an empty table. It reads the tokens into their place and leaves no
// garbage: the memory a loader takes for a moment stays with the process for good.
func (t *rankTable) read(file *bufio.Reader) error {
	total := 0
	for range cap(t.offsets) - 1 {
		length, err := file.ReadByte()
		if err != nil {
			return fmt.Errorf("the length of token %d: %w", len(t.offsets)-1, err)
		}
		total += int(length)
		t.offsets = append(t.offsets, uint32(total))
	}
	if total != cap(t.arena) {
		return fmt.Errorf("the tokens have %d bytes, want %d", total, cap(t.arena))
	}
	t.arena = t.arena[:total]
	if _, err := io.ReadFull(file, t.arena); err != nil {
		return fmt.Errorf("the tokens: %w", err)
	}
	if _, err := file.ReadByte(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the tokens")
	}
	for rank := range len(t.offsets) - 1 {
		t.index(rank)
	}
	return nil
}
