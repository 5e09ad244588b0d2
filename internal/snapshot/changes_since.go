package snapshot

import (
	"context"
	"slices"
	"strings"

	"agent/internal/text/textdiff"
)

// Changes holds the difference between the files at two moments.
type Changes struct {
	// Files has the paths of the files that differ, relative to the workspace and sorted.
	Files []string
	// Added and Removed count lines, in the files whose contents are text and are kept.
	Added, Removed int
}

// mostCounted is the number of changed files up to which lines are counted. Counting reads
// both contents of each file.
const mostCounted = 200

// Since returns the changes that edits and commands have made since a mark. Returning to the mark
// would undo exactly these changes. Since returns none for an invalid mark.
func (s *Store) Since(ctx context.Context, m Mark) Changes {
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
	counts := len(way) <= mostCounted && s.contents.fetch(ctx, targetsOf(way)) == nil
	outcomes := make([]outcome, len(way))
	if counts {
		links := linksThatGo(way)
		_ = atOnce(len(way), func(i int) error { outcomes[i] = s.outcome(way[i], links); return nil })
	}
	var changes Changes
	for i, p := range way {
		if counts && outcomes[i] == (outcome{}) {
			continue // the file was changed and changed back
		}
		changes.Files = append(changes.Files, p.path)
		if step := outcomes[i].step; step != nil {
			removed, added := textdiff.Stat(step.Diff) // the step leads back
			changes.Added, changes.Removed = changes.Added+added, changes.Removed+removed
		}
	}
	return changes
}
