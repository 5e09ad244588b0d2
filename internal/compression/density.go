package compression

import (
	"slices"

	"agent/internal/history"
)

// Optimizer is a strategy that also makes the context denser before every
// request (REQ-HD-001.2). It never changes its input; the indices of its result
// refer to exactly the slice it was given (D-17).
type Optimizer interface {
	Optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error)
}

// DensityConfig says what density pruning may do (REQ-HD-001.9). It is never
// changed.
type DensityConfig struct {
	// Switches says which phases run, by the names of their switches; one that is
	// absent is off.
	Switches map[string]bool
	// Numbers are the numbers of the phases by name; one that is absent has its
	// default. See Number.Normalize.
	Numbers map[string]float64
	// WorkspaceRoot is what relative paths mean in entries that name no workspace of
	// their own (D-44); absolute.
	WorkspaceRoot string
	// Facts knows what the tools do.
	Facts Facts
	// Pinned are the files that pruning leaves alone, by their absolute paths.
	Pinned map[string]bool
}

// optimize runs the phases that are switched on over one view of raw and merges
// their edits. It takes linear time; memory grows with what is edited and with the
// number of distinct files and tools, and besides takes four bytes an entry.
func optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error) {
	config.Facts = config.Facts.remembered()
	v := &view{raw: raw, unseen: firstUnseen(raw)}
	for _, phase := range phases {
		if config.Switches[phase.Switch.Name] {
			v.kind = phase.Kind
			phase.run(v, config)
		}
	}
	return v.result(), nil
}

// view is the history as the phases see it: the raw entries with the edits made
// so far. Positions always are those of the raw history. Only what a phase edits
// is copied.
type view struct {
	raw []*history.Content
	// edits are the blocks of edited entries, parallel to the raw blocks; nil where
	// a block was removed.
	edits [][]history.Block
	// edited holds for each entry the index of its edit plus one, 0 when it has
	// none. Nil before the first edit. A map would be half of the time on a long
	// history.
	edited []int32
	prunes []history.Prune
	// skipped are entries with a call that no phase can make sense of.
	skipped []int
	// kind is that of the phase at work.
	kind history.PruneKind
	// unseen is the index of the first entry that no request has carried, see firstUnseen.
	unseen int
}

// firstUnseen returns the index behind the model's latest reply. No request has carried the
// entries from there on, so no strategy takes a tool result among them (D-120).
func firstUnseen(entries []*history.Content) int { return lastReply(entries) + 1 }

// blocks returns the blocks of entry i as they are now, parallel to the raw
// ones; removed blocks are nil.
func (v *view) blocks(i int) []history.Block {
	if v.edited != nil && v.edited[i] > 0 {
		return v.edits[v.edited[i]-1]
	}
	return v.raw[i].Blocks
}

// current returns entry i with the blocks that are left of it now.
func (v *view) current(i int) *history.Content {
	return v.raw[i].WithBlocks(left(slices.Clone(v.blocks(i))))
}

// left takes the places of removed blocks out, in place.
func left(blocks []history.Block) []history.Block {
	return slices.DeleteFunc(blocks, func(b history.Block) bool { return b == nil })
}

// set puts block in place of the one at; nil removes it.
func (v *view) set(at history.Ref, block history.Block) {
	if v.edited == nil {
		v.edited = make([]int32, len(v.raw))
	}
	if v.edited[at.Entry] == 0 {
		v.edits = append(v.edits, slices.Clone(v.raw[at.Entry].Blocks))
		v.edited[at.Entry] = int32(len(v.edits))
	}
	v.blocks(at.Entry)[at.Block] = block
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

// pruned records one thing that a phase took out.
func (v *view) pruned(p history.Prune) {
	p.Kind = v.kind
	v.prunes = append(v.prunes, p)
}

// result merges all edits into removals and replacements (REQ-HD-001.6), and ends
// the use of the view. An entry that says nothing any more leaves: one without
// blocks, and an ai entry of which only blank text or thinking is left (D-13,
// EC-053).
func (v *view) result() history.DensityResult {
	result := history.DensityResult{Prunes: v.prunes, Metadata: counts(v.prunes), Skipped: v.skipped}
	for i, edit := range v.edited {
		if edit == 0 {
			continue
		}
		edited := v.raw[i].WithBlocks(left(v.edits[edit-1]))
		if edited.Empty() {
			result.Removals = append(result.Removals, i)
			continue
		}
		if result.Replacements == nil {
			result.Replacements = make(map[int]*history.Content, len(v.edits)-len(result.Removals))
		}
		result.Replacements[i] = edited
	}
	return result
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
