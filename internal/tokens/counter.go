package tokens

import "unicode/utf8"

// Counter counts tokens in one encoding. Every method may be called from any
// goroutine.
type Counter struct {
	enc   Encoding
	split splitter
	ranks rankTable
}

// Vocabulary names the encoding, so that recorded counts can be told from the counts of
// another encoding.
func (c *Counter) Vocabulary() string { return string(c.enc) }

// Count returns the number of tokens of text, special tokens such as
// <|endoftext|> read as ordinary text. The time it takes grows linearly with the text, whatever the text.
func (c *Counter) Count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // U+FFFD for each invalid byte, as the wire has it
	}
	pieces := merger{ranks: c.ranks}
	count := 0
	for len(text) > 0 {
		end := c.split(text)
		count += pieces.count(text[:end])
		text = text[end:]
	}
	return count
}
