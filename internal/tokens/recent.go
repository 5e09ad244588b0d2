package tokens

import (
	"hash/maphash"
	"sync"
)

const (
	// longText is the least length in bytes of a text whose size is remembered.
	longText = 512
	// recentTexts is the number of texts whose sizes are remembered.
	recentTexts = 1 << 10
)

// recent remembers the sizes of long texts that were counted lately, because the history, the
// strategies and the ledger each count the same text. It keeps no text, only a hash, whose seed
// differs in each process, and the length.
type recent struct {
	mu    sync.Mutex
	texts [recentTexts]struct {
		hash           uint64
		length, tokens int
	}
}

var hashSeed = maphash.MakeSeed()

// size returns the remembered size of a text. If there is none, it counts the text.
func (r *recent) size(text string, count func(string) int) int {
	hash := maphash.String(hashSeed, text)
	r.mu.Lock()
	known := r.texts[hash%recentTexts]
	r.mu.Unlock()
	if known.hash == hash && known.length == len(text) {
		return known.tokens
	}
	known.hash, known.length, known.tokens = hash, len(text), count(text)
	r.mu.Lock()
	r.texts[hash%recentTexts] = known
	r.mu.Unlock()
	return known.tokens
}
