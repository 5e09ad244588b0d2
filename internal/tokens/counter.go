package tokens

import "unicode/utf8"

// Counter counts tokens in one encoding. Every method may be called from any
// goroutine.
type Counter struct {
	enc   Encoding
	split splitter
	// loaded is closed when ranks is set; ranks never changes afterwards.
	loaded chan struct{}
	ranks  *rankTable
}

// Load returns a counter at once and reads its vocabulary, which is part of the
// program, in the background. Each call loads a vocabulary of its own; share
// counters through Vocabularies.
func Load(enc Encoding) *Counter {
	v := vocabularyOf(enc)
	c := &Counter{enc: enc, split: v.split, loaded: make(chan struct{})}
	go func() {
		c.ranks = v.load()
		close(c.loaded)
	}()
	return c
}

// Vocabulary names what the counts depend on, so that recorded counts can be determined
// from those of another encoding.
func (c *Counter) Vocabulary() string { return string(c.enc) }

// Ready is closed as soon as the vocabulary is loaded and Count no longer waits.
func (c *Counter) Ready() <-chan struct{} { return c.loaded }

// Count returns the number of tokens of text, special tokens such as
// <|endoftext|> read as ordinary text. It waits for the vocabulary if it must.
// The time it takes grows linearly with the text, whatever the text.
func (c *Counter) Count(text string) int {
	<-c.loaded
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
