package compression

import (
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// A truncation drops groups of entries from a history, one by one, until it fits. The tokens are added
// up once, and each drop subtracts. One marker represents everything that was dropped, now and by
// earlier truncations. The size of the marker counts too.
type truncation struct {
	groups
	entries []*history.Content
	tokens  []int // of each entry
	count   func(*history.Content) int

	weight []int // tokens of each group, by root
	size   []int // entries of each group, by root
	gone   []bool
	total  int // tokens left, overhead included
	left   int // entries left, without markers
	// dropped is the content of the new marker: the groups that were dropped, and the entries that the
	// markers in the history represent. The first drop removes these markers.
	dropped gap
	// writes maps the root of each group to the files that the group wrote.
	writes map[int][]string
	// latest is the root of the calls whose results the model has not read, or -1. fates counts their
	// outcomes.
	latest      int
	fates       map[string]int
	markersCost int
	markerCost  int // of the new marker, 0 before the first drop
}

// newTruncation begins to drop from entries. tokens contains their sizes as counted by c.Count, and g
// their groups. dropHead replaces elements of entries when it drops inclusions, so entries must then be
// a clone of the history.
func newTruncation(c Context, entries []*history.Content, tokens []int, g groups) *truncation {
	t := &truncation{
		left:    len(entries),
		groups:  g,
		entries: entries,
		tokens:  tokens,
		count:   c.Count,
		writes:  make(map[int][]string),
		weight:  make([]int, len(entries)),
		size:    make([]int, len(entries)),
		gone:    make([]bool, len(entries)),
		total:   c.Overhead,
		latest:  -1,
		fates:   make(map[string]int),
	}
	for i, c := range entries {
		t.total += tokens[i]
		t.weight[t.root[i]] += tokens[i]
		t.size[t.root[i]]++
		if isMarker(c) {
			t.left--
			t.dropped.join(c, entries[i+1:])
			t.markersCost += tokens[i]
		}
	}
	facts, fates, latest := c.Facts.memoized(), g.outcomes(entries), latestCalls(entries)
	for _, pair := range g.pairing.Pairs {
		if pair.At.Entry == latest && !t.dropped.whole {
			t.latest = t.root[latest]
			t.fates[fates[pair.Call]]++
		}
		if paths := writtenBy(pair, entries, facts); len(paths) > 0 {
			t.writes[t.root[pair.At.Entry]] = append(t.writes[t.root[pair.At.Entry]], paths...)
		}
	}
	return t
}

// droppable reports whether entry i begins a group that can still be dropped.
func (t *truncation) droppable(i int) bool {
	return t.root[i] == i && !t.gone[i] && !isMarker(t.entries[i])
}

// drop removes the group that begins at entry i.
func (t *truncation) drop(i int) {
	for _, path := range t.writes[i] {
		t.dropped.write(path)
	}
	if i == t.latest {
		t.dropped.unread.join(unread{fates: t.fates, whole: true})
	}
	if t.markerCost == 0 || len(t.writes[i]) > 0 || i == t.latest {
		// The count in the final marker is not known yet. The highest possible count costs the most.
		most := t.dropped
		most.entries += t.left
		t.total -= max(t.markerCost, t.markersCost)
		t.markerCost, t.markersCost = t.count(most.marker()), 0
		t.total += t.markerCost
	}
	t.gone[i] = true
	t.total -= t.weight[i]
	t.left -= t.size[i]
	t.dropped.entries += t.size[i]
}

// dropUntil drops the groups that begin before end and for which pick returns true, oldest first,
// until the total is at most target. It reports whether the target is met.
func (t *truncation) dropUntil(target, end int, pick func(i int) bool) bool {
	for i := 0; i < end && t.total > target; i++ {
		if t.droppable(i) && pick(i) {
			t.drop(i)
		}
	}
	return t.total <= target
}

// result returns the remaining entries and their total. The marker is at the first gap.
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
			marker = t.dropped.marker()
			kept = append(kept, marker)
		}
	}
	return noteReplies(kept), t.total - t.markerCost + t.count(marker)
}

// withoutInclusions returns a message of the user with a line in place of each file included with @. It
// returns the message itself if the result would not be shorter (D-47). The user's own words are kept.
func withoutInclusions(entry *history.Content) *history.Content {
	var edited []history.Block
	for i, block := range entry.Blocks {
		text, ok := block.(*history.Text)
		if !ok || text.IncludedFile == "" {
			continue
		}
		stub := fmt.Sprintf("[%s: removed to fit the context limit, %s]", humanize.Line(text.IncludedFile, maxKeyLength), size(betweenMarkers(text.Text)))
		if len(stub) >= len(text.Text) {
			continue
		}
		if edited == nil {
			edited = append(edited, entry.Blocks...)
		}
		edited[i] = &history.Text{Text: stub}
	}
	if edited == nil {
		return entry
	}
	return entry.WithBlocks(edited)
}

// betweenMarkers returns an inclusion without its first and last line.
func betweenMarkers(inclusion string) string {
	_, content, _ := strings.Cut(inclusion, "\n")
	return content[:max(0, strings.LastIndexByte(content, '\n'))]
}

// dropInclusionsUntil removes included files from human messages before index end, oldest first, until
// the total is at most target. It reports whether the target is met.
func (t *truncation) dropInclusionsUntil(target, end int) bool {
	for i := 0; i < end && t.total > target; i++ {
		if t.gone[t.root[i]] || t.entries[i].Speaker != history.Human {
			continue
		}
		stubbed := withoutInclusions(t.entries[i])
		if stubbed == t.entries[i] {
			continue
		}
		freed := t.tokens[i] - t.count(stubbed)
		t.entries[i] = stubbed
		t.weight[t.root[i]] -= freed
		t.total -= freed
	}
	return t.total <= target
}
