package tokens

// A long piece is merged window by window, so that a megabyte of one letter needs
// the memory of a window and the cache holds it. The result is the same as without windows:
//
// Parts t1 … tn are the encoding of their text exactly if each pair of neighbours
// ti ti+1 is the encoding of its own text. For suppose all pairs are, and a merge
// crosses a boundary, the first to do so. Until then no part has had anything to do
// with its neighbours, so the two parts at the boundary went through the same
// merges as they do alone, and alone they would cross the boundary as well. The
// other direction is the same argument.
//
// So each window begins with a part of the one before. If that part comes out
// again, then it is the neighbour of one part in either window, and all pairs of
// neighbours are right. If it does not, windows of this size are too small for the
// text, and larger ones are tried.
const (
	// firstWindow, in bytes, was large enough for every text we tried.
	firstWindow = 4 << 10
	// widening is the factor by which a window that was too small grows.
	widening = 8
)

// mergeWindowed returns the number of tokens of a piece of any length. It tries
// windows of so many bytes first.
func mergeWindowed(merge *longMerge, piece string, window int) int {
	for {
		if count, ok := countInWindows(merge, piece, window); ok {
			return count
		}
		window *= widening
	}
}

// countInWindows returns the number of tokens of piece, merged in windows of so
// many bytes, or false if windows of that size are too small. The last eighth of a
// window, which must have room for the longest token, is left to the next one,
// because the text behind the window may change how it is merged.
func countInWindows(merge *longMerge, piece string, window int) (count int, ok bool) {
	settled := window - window/8
	for shared := 0; ; {
		last := len(piece) <= window
		if last {
			window, settled = len(piece), len(piece)
		}
		merge.run(piece[:window])
		if shared > 0 && merge.partAt(0) != shared {
			return 0, false
		}
		start := 0
		for start < settled {
			start += merge.partAt(start)
			count++
		}
		if last {
			return count, true
		}
		shared = merge.partAt(start)
		piece = piece[start:]
	}
}
