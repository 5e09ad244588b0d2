package compression

import "agent/internal/history"

// truncation drops groups of entries from a history, one by one, until it fits.
// Tokens are added up once; each drop is a subtraction. All that was dropped,
// now and by earlier truncations, is told by one marker, whose own cost counts.
type truncation struct {
	groups
	entries []*history.Content
	tokens  []int // of each entry
	count   func(*history.Content) int

	weight []int // tokens of each group, by root
	size   []int // entries of each group, by root
	gone   []bool
	total  int // overhead included, without what is gone
	left   int // entries left, markers apart
	// dropped counts the entries that are gone, with those that the markers in the
	// history stand for. The markers go with the first drop.
	dropped     int
	markersCost int
	markerCost  int // of the new marker, 0 before the first drop
}

func newTruncation(entries []*history.Content, tokens []int, overhead int, g groups, count func(*history.Content) int) *truncation {
	t := &truncation{
		left:    len(entries),
		groups:  g,
		entries: entries,
		tokens:  tokens,
		count:   count,
		weight:  make([]int, len(entries)),
		size:    make([]int, len(entries)),
		gone:    make([]bool, len(entries)),
		total:   overhead,
	}
	for i, c := range entries {
		t.total += tokens[i]
		t.weight[t.root[i]] += tokens[i]
		t.size[t.root[i]]++
		if n := droppedBy(c); n > 0 {
			t.left--
			t.dropped += n
			t.markersCost += tokens[i]
		}
	}
	return t
}

// droppable reports whether a group that can still be dropped begins at entry i.
func (t *truncation) droppable(i int) bool {
	return t.root[i] == i && !t.gone[i] && !isMarker(t.entries[i])
}

// drop takes out the group that begins at entry i.
func (t *truncation) drop(i int) {
	if t.markerCost == 0 {
		// The count that the marker will show is not known yet; the highest possible
		// costs the most.
		t.markerCost = t.count(newMarker(t.dropped + t.left))
		t.total += t.markerCost - t.markersCost
	}
	t.gone[i] = true
	t.total -= t.weight[i]
	t.left -= t.size[i]
	t.dropped += t.size[i]
}

// dropUntil drops the groups that begin before end and that pick wants, oldest
// first, until the total is at most target. It reports whether it is.
func (t *truncation) dropUntil(target, end int, pick func(i int) bool) bool {
	for i := 0; i < end && t.total > target; i++ {
		if t.droppable(i) && pick(i) {
			t.drop(i)
		}
	}
	return t.total <= target
}

// result returns what is left, the marker standing where the first gap is, and
// its total.
func (t *truncation) result() ([]*history.Content, int) {
	if t.markerCost == 0 {
		return t.entries, t.total
	}
	kept := make([]*history.Content, 0, t.left+1)
	var marker *history.Content
	for i, c := range t.entries {
		if !t.gone[t.root[i]] && !isMarker(c) {
			kept = append(kept, c)
			continue
		}
		if marker == nil {
			marker = newMarker(t.dropped)
			kept = append(kept, marker)
		}
	}
	return kept, t.total - t.markerCost + t.count(marker)
}
