package tokens

import "slices"

// merger merges a piece of any length. The parts are a linked list over the bytes, and a heap
// returns the next pair to merge. Each step removes one pair from the heap, and each merge adds at most
// two, so n bytes take fewer than 3n steps.
type merger struct {
	ranks rankTable
	piece string
	// nodes[i] is the part that begins at byte i, if there is one. The last node is the end of the
	// piece.
	nodes []node
	queue pairQueue
}

// node is a part of a piece. It ends where the next part begins.
type node struct {
	previous, next int32
	// rank is the rank of the part joined with the next one.
	rank uint32
}

// count returns the number of tokens of a piece.
func (m *merger) count(piece string) int {
	if m.ranks.rank(piece) != noRank {
		return 1
	}
	return mergeWindowed(m, piece, firstWindow)
}

// run merges piece as far as possible. Its parts are in nodes until the next run.
func (m *merger) run(piece string) {
	m.reset(piece)
	for m.step() {
	}
}

// reset starts to merge a piece. The first parts are its single bytes.
func (m *merger) reset(piece string) {
	m.piece = piece
	m.nodes = slices.Grow(m.nodes[:0], len(piece)+1)
	for i := range int32(len(piece) + 1) {
		m.nodes = append(m.nodes, node{previous: i - 1, next: i + 1})
	}
	m.queue = slices.Grow(m.queue[:0], len(piece))
	for i := range int32(len(piece)) {
		m.offer(i)
	}
}

// step removes the best pair from the queue and merges it, unless one of its parts was merged
// meanwhile. It reports whether there was a pair.
func (m *merger) step() bool {
	if len(m.queue) == 0 {
		return false
	}
	rank, left := m.queue.pop()
	part := &m.nodes[left]
	if part.rank != rank {
		return true
	}
	absorbed := &m.nodes[part.next]
	absorbed.rank = noRank
	part.next = absorbed.next
	m.nodes[part.next].previous = left

	m.offer(left)
	if part.previous >= 0 {
		m.offer(part.previous)
	}
	return true
}

// offer determines the rank of the pair that begins with the part at byte left, and queues the pair
// if it is a token.
func (m *merger) offer(left int32) {
	part := &m.nodes[left]
	part.rank = noRank
	if int(part.next) == len(m.piece) {
		return
	}
	part.rank = m.ranks.rank(m.piece[left:m.nodes[part.next].next])
	if part.rank != noRank {
		m.queue.push(part.rank, left)
	}
}

// partAt returns the length of the part that begins at byte start.
func (m *merger) partAt(start int) int { return int(m.nodes[start].next) - start }
