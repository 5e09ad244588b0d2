package tokens

import (
	"math"
	"math/bits"
)

// noRank is the rank of a byte sequence that is not a token. It is greater than every rank.
const noRank = math.MaxUint32

// rankTable maps the bytes of each token to its rank, which is its position in the order in which byte
// pair encoding merges. The hash table has the same form as in the program's file. So only the used
// parts are read, and processes share them. Numbers are 32 bits, little-endian:
//
//	buckets   for each bucket the offset of its entries, from the beginning of the
//	          table, and in the low bucketBits bits their number
//	entries   bucket by bucket: the marks of its tokens, then the bytes of its
//	          tokens, one after the other
//
// A mark has the token's rank in the low rankBits bits. The bits above are compared before the
// bytes of the token: the length less one in lengthBits bits, and then bits of the hash.
type rankTable string

const (
	buckets    = 1 << 15
	bucketBits = 9
	rankBits   = 18
	lengthBits = 7
)

// rank returns the rank of piece, or noRank if it is not a token.
func (t rankTable) rank(piece string) uint32 {
	if len(piece) == 0 || len(piece) > 1<<lengthBits {
		return noRank
	}
	hash := hashOf(piece)
	bucket := t.number(4 * int(hash%buckets))
	mark, count := int(bucket>>bucketBits), int(bucket&(1<<bucketBits-1))
	for token, wanted := mark+4*count, markOf(hash, piece); count > 0; count-- {
		got := t.number(mark)
		if got>>rankBits == wanted && string(t[token:token+len(piece)]) == piece {
			return got & (1<<rankBits - 1)
		}
		token += int(got>>rankBits&(1<<lengthBits-1)) + 1
		mark += 4
	}
	return noRank
}

func (t rankTable) number(at int) uint32 { return uint32At(string(t), at) }

// markOf returns the part of a token's mark above its rank.
func markOf(hash uint64, piece string) uint32 {
	return uint32(hash>>32)>>(rankBits+lengthBits)<<lengthBits | uint32(len(piece)-1)
}

// hashOf returns a hash that is the same in every process. Knowing it does not help an attacker,
// because the buckets are fixed and none is large.
func hashOf(piece string) uint64 {
	hash := uint64(len(piece))
	for ; len(piece) > 8; piece = piece[8:] {
		hash = mix(hash ^ uint64At(piece, 0))
	}
	switch {
	case len(piece) >= 4:
		hash ^= uint64(uint32At(piece, 0))<<32 | uint64(uint32At(piece, len(piece)-4))
	case len(piece) > 0:
		hash ^= uint64(piece[0])<<16 | uint64(piece[len(piece)/2])<<8 | uint64(piece[len(piece)-1])
	}
	return mix(hash)
}

func mix(hash uint64) uint64 {
	high, low := bits.Mul64(hash^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return high ^ low
}

func uint32At(s string, at int) uint32 {
	s = s[at : at+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func uint64At(s string, at int) uint64 {
	return uint64(uint32At(s, at)) | uint64(uint32At(s, at+4))<<32
}
