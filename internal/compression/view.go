package compression

import (
	"slices"

	"agent/internal/history"
)

// view is the history as the phases see it: the raw entries with the edits made
// so far. Positions always are those of the raw history. Only what a phase edits
// is copied.
type view struct {
	raw []*history.Content
	// edits are the blocks of edited entries, parallel to the raw blocks; nil where
	// a block was removed.
	edits  map[int][]history.Block
	prunes []history.Prune
	// kind is that of the phase at work.
	kind history.PruneKind
}

// blocks returns the blocks of entry i as they are now, parallel to the raw
// ones; removed blocks are nil.
func (v *view) blocks(i int) []history.Block {
	if edited, ok := v.edits[i]; ok {
		return edited
	}
	return v.raw[i].Blocks
}

// current returns entry i as it is now.
func (v *view) current(i int) *history.Content {
	left := slices.DeleteFunc(slices.Clone(v.blocks(i)), func(b history.Block) bool { return b == nil })
	return v.raw[i].WithBlocks(left)
}

// set puts block in place of the one at; nil removes it.
func (v *view) set(at history.Ref, block history.Block) {
	edited, ok := v.edits[at.Entry]
	if !ok {
		edited = slices.Clone(v.raw[at.Entry].Blocks)
		if v.edits == nil {
			v.edits = make(map[int][]history.Block)
		}
		v.edits[at.Entry] = edited
	}
	edited[at.Block] = block
}

// remove takes the blocks at refs out and returns them as they were.
func (v *view) remove(refs ...history.Ref) []history.Block {
	gone := make([]history.Block, len(refs))
	for i, at := range refs {
		gone[i] = v.blocks(at.Entry)[at.Block]
		v.set(at, nil)
	}
	return gone
}

// pruned records one thing that a phase took out. Large slices grow by a quarter
// when appended to, which would copy each prune five times over; this doubles.
func (v *view) pruned(p history.Prune) {
	p.Kind = v.kind
	if len(v.prunes) == cap(v.prunes) {
		v.prunes = slices.Grow(v.prunes, len(v.prunes)+1)
	}
	v.prunes = append(v.prunes, p)
}

// result merges all edits into removals and replacements (REQ-HD-001.6). An
// entry that says nothing any more goes: one without blocks, and an ai entry of
// which only blank text or thinking is left (D-13, EC-053).
func (v *view) result() history.DensityResult {
	result := history.DensityResult{Prunes: v.prunes, Metadata: counts(v.prunes)}
	for _, i := range v.edited() {
		edited := v.current(i)
		if edited.Empty() {
			result.Removals = append(result.Removals, i)
			continue
		}
		if result.Replacements == nil {
			result.Replacements = make(map[int]*history.Content, len(v.edits))
		}
		result.Replacements[i] = edited
	}
	return result
}

// edited returns the entries that have edits, in order.
func (v *view) edited() []int {
	entries := make([]int, 0, len(v.edits))
	for i := range v.edits {
		entries = append(entries, i)
	}
	slices.Sort(entries)
	return entries
}

// counts counts prunes by kind, so that the counts are what happened by
// construction (REQ-HD-013.7, D-16).
func counts(prunes []history.Prune) history.Counts {
	byKind := make(map[history.PruneKind]int)
	for _, p := range prunes {
		byKind[p.Kind]++
	}
	return CountsOf(byKind)
}
