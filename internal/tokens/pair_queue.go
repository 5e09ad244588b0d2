package tokens

// pairQueue is a binary heap of pairs that may be merged. The pair with the lowest rank is first. Of
// equal ranks, the leftmost is first. A pair is one number, with the rank in the upper half and the
// position in the lower half, so that comparing numbers compares pairs. container/heap would box each
// pair.
type pairQueue []uint64

func (q *pairQueue) push(rank uint32, left int32) {
	*q = append(*q, uint64(rank)<<32|uint64(left))
	h := *q
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent] <= h[i] {
			return
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
}

func (q *pairQueue) pop() (rank uint32, left int32) {
	h := *q
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[i] <= h[child] {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	*q = h
	return uint32(top >> 32), int32(uint32(top))
}
