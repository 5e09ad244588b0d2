package tokens

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// noRank is the rank of a byte sequence that is not a token. It is worse than
// every rank there is.
const noRank = math.MaxUint32

// A slot of the rank table holds rank+1 in its low bits, enough of them for either
// vocabulary, and a fingerprint of the token's hash in the others, so that the
// search for what is not a token seldom looks at the bytes of one. Zero is an empty
// slot.
const (
	rankMask        = 1<<18 - 1
	fingerprintMask = ^uint32(rankMask)
)

// rankTable maps the bytes of each token to its rank: the position in the order
// in which byte pair encoding merges. It is an open-addressing hash table over one
// arena; a Go map with 200 000 string keys takes several times the memory, and
// the garbage collector would have to visit every key.
type rankTable struct {
	// arena is all tokens in the order of their ranks; the token of rank r is
	// arena[offsets[r]:offsets[r+1]].
	arena   []byte
	offsets []uint32
	slots   []uint32
	seed    maphash.Seed
}

// newRankTable returns an empty table for so many tokens of so many bytes
// altogether. Some slots always stay empty, which ends every search.
func newRankTable(tokens, bytes int) *rankTable {
	return &rankTable{
		arena:   make([]byte, 0, bytes),
		offsets: make([]uint32, 1, tokens+1),
		slots:   make([]uint32, 1<<bits.Len(uint(tokens))),
		seed:    maphash.MakeSeed(),
	}
}

// index makes the token of a rank findable.
func (t *rankTable) index(rank int) {
	hash := maphash.Bytes(t.seed, t.arena[t.offsets[rank]:t.offsets[rank+1]])
	i := t.home(hash)
	for t.slots[i] != 0 {
		i = t.after(i)
	}
	t.slots[i] = fingerprint(hash) | uint32(rank+1)
}

// rank returns the rank of piece, or noRank if it is not a token.
func (t *rankTable) rank(piece string) uint32 {
	hash := maphash.String(t.seed, piece)
	wanted := fingerprint(hash)
	for i := t.home(hash); t.slots[i] != 0; i = t.after(i) {
		slot := t.slots[i]
		if slot&fingerprintMask != wanted {
			continue
		}
		rank := slot&rankMask - 1
		if string(t.arena[t.offsets[rank]:t.offsets[rank+1]]) == piece {
			return rank
		}
	}
	return noRank
}

// home is the slot where the search for a hash begins.
func (t *rankTable) home(hash uint64) uint64 { return hash & uint64(len(t.slots)-1) }

// after is the slot to look at after another.
func (t *rankTable) after(slot uint64) uint64 { return (slot + 1) & uint64(len(t.slots)-1) }

// fingerprint takes the bits at the far end of those that home takes.
func fingerprint(hash uint64) uint32 { return uint32(hash>>32) & fingerprintMask }
