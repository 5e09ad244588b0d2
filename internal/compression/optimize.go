package compression

import "agent/internal/history"

// phases run in this order, so that each sees the edits of the phases before it (BR-CONFLICT-002,
// BR-CONFLICT-003). A new phase needs a separate file and a line here.
var phases = []Phase{
	staleReads,
	duplicateFiles,
	oldResults,
}

// Phases returns all phases in the order in which they run.
func Phases() []Phase { return phases }

// CountsOf returns the counts of all phases, given the number of prunes of each kind.
func CountsOf(prunes map[history.PruneKind]int) history.PruneCounts {
	counts := make(history.PruneCounts, len(phases))
	for i, p := range phases {
		counts[i] = history.PruneCount{Kind: p.Kind, Field: p.Field, One: p.One, Many: p.Many, N: prunes[p.Kind]}
	}
	return counts
}

// optimize runs the enabled phases on one view of raw and merges their edits. It takes linear time. Its
// memory grows with the size of the edits and with the number of distinct files and tools. It also
// needs four bytes per entry.
func optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error) {
	config.Facts = config.Facts.memoized()
	// No request has contained the entries after the model's latest reply, so no strategy removes a
	// tool result among them (D-120).
	v := &view{raw: raw, unseen: lastReply(raw) + 1}
	for _, phase := range phases {
		if config.Switches[phase.Switch.Name] {
			v.kind = phase.Kind
			phase.run(v, config)
		}
	}
	return v.result(), nil
}

// result merges all edits into removals and replacements (REQ-HD-001.6), and ends the use of the view.
// It removes entries without content: an entry without blocks, and an ai entry whose remaining blocks
// are only blank text or thinking (D-13, EC-053).
func (v *view) result() history.DensityResult {
	result := history.DensityResult{Prunes: v.prunes, Metadata: counts(v.prunes), Skipped: v.skipped}
	for i, edit := range v.edited {
		if edit == 0 {
			continue
		}
		edited := v.raw[i].WithBlocks(dropNil(v.edits[edit-1]))
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

// counts counts prunes by kind, so that the counts always agree with the prunes (REQ-HD-013.7, D-16).
func counts(prunes []history.Prune) history.PruneCounts {
	byKind := make(map[history.PruneKind]int)
	for _, p := range prunes {
		byKind[p.Kind]++
	}
	return CountsOf(byKind)
}
