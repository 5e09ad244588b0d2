package compression

import "agent/internal/history"

// phase is one rule of density pruning. It looks at the view, edits it, and
// records each prune. Phases are independent of each other.
type phase func(*view, DensityConfig)

// phases run in this order, so that each sees what the ones before it left
// (BR-CONFLICT-002, BR-CONFLICT-003). A new one is a file of its own and a line
// here.
var phases = []phase{
	pruneStaleReads,
	dedupeInclusions,
	pruneOldResults,
}

// optimize runs the phases over one view of raw and merges their edits. It takes
// linear time; memory grows with what is edited and with the number of distinct
// files and tools, not with the history.
func optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error) {
	if err := checkEntries(raw); err != nil {
		return history.DensityResult{}, err
	}
	config.Facts = config.Facts.remembered()
	v := &view{raw: raw}
	for _, run := range phases {
		run(v, config)
	}
	return v.result(), nil
}
