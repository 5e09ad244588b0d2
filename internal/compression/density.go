package compression

import (
	"slices"

	"agent/internal/history"
)

// An Optimizer is a strategy that also prunes before every request (REQ-HD-001.2). It never changes its
// input. The indexes in its result refer to exactly the slice that it received (D-17).
type Optimizer interface {
	Optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error)
}

// DensityConfig holds the settings of density pruning (REQ-HD-001.9). It is immutable.
type DensityConfig struct {
	// Switches turns phases on or off, by the name of their switch. An absent switch is off.
	Switches map[string]bool
	// Numbers holds the numbers of the phases by name. An absent number has its default; see
	// Number.Normalize.
	Numbers map[string]float64
	// WorkspaceRoot is the absolute folder for relative paths in entries that name no workspace (D-44).
	WorkspaceRoot string
	// Facts returns the traits of tools.
	Facts TraitsLookup
	// Pinned holds the absolute paths of the files that pruning keeps.
	Pinned map[string]bool
}

// A view is the history as the phases see it: the raw entries with the edits made so far. Positions
// always refer to the raw history. Only edited entries are copied.
type view struct {
	raw []*history.Content
	// edits holds the blocks of edited entries, parallel to the raw blocks. A removed block is
	// nil.
	edits [][]history.Block
	// edited holds, for each entry, the index of its edit plus one, or 0 if it has none. It is
	// nil before the first edit. A map would take half of the time on a long history.
	edited []int32
	prunes []history.Prune
	// skipped lists the entries with a call that no phase supports.
	skipped []int
	// kind is the kind of the phase that is running.
	kind history.PruneKind
	// unseen is the index of the first entry that no request has contained.
	unseen int
}

// blocks returns the current blocks of entry i, parallel to the raw blocks. A removed block is nil.
func (v *view) blocks(i int) []history.Block {
	if v.edited != nil && v.edited[i] > 0 {
		return v.edits[v.edited[i]-1]
	}
	return v.raw[i].Blocks
}

// current returns entry i without the blocks removed so far.
func (v *view) current(i int) *history.Content {
	return v.raw[i].WithBlocks(dropNil(slices.Clone(v.blocks(i))))
}

// dropNil removes the nil entries of removed blocks, in place.
func dropNil(blocks []history.Block) []history.Block {
	return slices.DeleteFunc(blocks, func(b history.Block) bool { return b == nil })
}

// set replaces the block at a position; a nil block removes it.
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

func (v *view) remove(refs ...history.Ref) []history.Block {
	gone := make([]history.Block, len(refs))
	for i, at := range refs {
		gone[i] = v.blocks(at.Entry)[at.Block]
		v.set(at, nil)
	}
	return gone
}

func (v *view) recordPrune(p history.Prune) {
	p.Kind = v.kind
	v.prunes = append(v.prunes, p)
}
