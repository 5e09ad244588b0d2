package tokens

import (
	"hash/maphash"
	"sync"
)

const (
	// longText is the minimum length in bytes of a text whose size is cached.
	longText = 512
	// recentTexts is the number of texts whose sizes are cached.
	recentTexts = 1 << 10
)

// recent caches the sizes of recently counted long texts, because the history, the strategies and the
// ledger each count the same text. It stores no text, only the length and a hash, whose seed differs in
// each process.
type recent struct {
	mu    sync.Mutex
	texts [recentTexts]struct {
		hash           uint64
		length, tokens int
	}
}

var hashSeed = maphash.MakeSeed()

// size returns the cached size of a text. If there is none, it counts the text.
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
