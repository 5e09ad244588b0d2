package tokens

// longMerge merges a piece of any length: the parts are a linked list over the
// bytes, and a heap gives the next pair to merge. Each step takes one pair off the
// heap and puts at most two on it, so that n bytes take at most 3n steps.
type longMerge struct {
	ranks *rankTable
	piece string
	// nodes[i] is the part that begins at byte i, if there is one; the last node
	// is the end of the piece.
	nodes []node
	queue pairQueue
	// parts is how many parts the piece is in.
	parts int
}

// node is a part of a piece. It ends where the next one begins.
type node struct {
	previous, next int32
	// rank is that of the pair which the part makes with the next one.
	rank uint32
}

// reset begins with a piece that is in as many parts as it has bytes.
func (m *longMerge) reset(ranks *rankTable, piece string) {
	m.ranks, m.piece, m.parts = ranks, piece, len(piece)
	m.nodes, m.queue = m.nodes[:0], m.queue[:0]
	for i := range int32(len(piece) + 1) {
		m.nodes = append(m.nodes, node{previous: i - 1, next: i + 1})
	}
	for i := range int32(len(piece)) {
		m.offer(i)
	}
}

// step takes the best pair and merges it unless it has changed since it was
// queued. It reports whether there was one.
func (m *longMerge) step() bool {
	if len(m.queue) == 0 {
		return false
	}
	rank, left := m.queue.pop()
	part := &m.nodes[left]
	if part.rank != rank {
		return true
	}
	merged := &m.nodes[part.next]
	merged.rank = noRank
	part.next = merged.next
	m.nodes[part.next].previous = left
	m.parts--

	m.offer(left)
	if part.previous >= 0 {
		m.offer(part.previous)
	}
	return true
}

// offer ranks the pair that begins with the part at byte left and queues it if it
// is a token.
func (m *longMerge) offer(left int32) {
	part := &m.nodes[left]
	part.rank = noRank
	if int(part.next) == len(m.piece) {
		return
	}
	end := m.nodes[part.next].next
	part.rank = m.ranks.rank(m.piece[left:end])
	if part.rank != noRank {
		m.queue.push(part.rank, left)
	}
}
