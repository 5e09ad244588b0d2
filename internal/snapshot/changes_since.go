package snapshot

import (
	"context"
	"slices"
	"strings"

	"agent/internal/text/textdiff"
)

// Changes is the difference between two states of the files.
type Changes struct {
	// Files lists the paths of the files that differ, relative to the workspace and sorted.
	Files []string
	// Added and Removed count lines in files whose contents are text and are stored.
	Added, Removed int
}

// maxCountedFiles is the largest number of changed files for which lines are counted. Counting reads
// both contents of each file.
const maxCountedFiles = 200

// ChangesSince returns the changes that edits and commands have made since a mark. A return to the mark
// would undo exactly these changes. Since returns none for an invalid mark.
func (s *Store) ChangesSince(ctx context.Context, m Mark) Changes {
	if !s.use() {
		return Changes{}
	}
	defer s.mu.Unlock()
	to, err := s.node(m)
	if err != nil || to == s.tree.head {
		return Changes{}
	}
	way, _, _ := s.tree.way(s.tree.head, to)
	slices.SortFunc(way, func(a, b *passage) int { return strings.Compare(a.path, b.path) })
	counts := len(way) <= maxCountedFiles && s.contents.fetch(ctx, targetsOf(way)) == nil
	outcomes := make([]outcome, len(way))
	if counts {
		links := linksThatGo(way)
		_ = atOnce(len(way), func(i int) error { outcomes[i] = s.outcome(way[i], links); return nil })
	}
	var changes Changes
	for i, p := range way {
		if counts && outcomes[i] == (outcome{}) {
			continue // the file was changed and the change was reversed
		}
		changes.Files = append(changes.Files, p.path)
		if step := outcomes[i].step; step != nil {
			removed, added := textdiff.Stat(step.Diff) // the step is the reverse of the change
			changes.Added, changes.Removed = changes.Added+added, changes.Removed+removed
		}
	}
	return changes
}
