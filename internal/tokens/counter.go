package tokens

import "unicode/utf8"

// Counter counts tokens in one encoding. It is safe for concurrent use.
type Counter struct {
	enc   Encoding
	split splitter
	ranks rankTable

	recent recent
}

// Vocabulary returns the name of the encoding. Recorded counts contain the name, to distinguish them
// from counts in another encoding.
func (c *Counter) Vocabulary() string { return string(c.enc) }

// Count returns the number of tokens of text. It counts special tokens such as <|endoftext|> as
// ordinary text. Its time grows linearly with the length of the text.
func (c *Counter) Count(text string) int {
	if len(text) < longText {
		return c.count(text)
	}
	return c.recent.size(text, c.count)
}

func (c *Counter) count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // U+FFFD for each invalid byte, as in JSON
	}
	merge := merger{ranks: c.ranks}
	count := 0
	for len(text) > 0 {
		end := c.split(text)
		count += merge.count(text[:end])
		text = text[end:]
	}
	return count
}
