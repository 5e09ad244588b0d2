package chat

import (
	"fmt"
	"strings"
)

// String tells the event in one quiet line, as the screen shows it:
// "density: 4 stale reads, 1 duplicate file, −12.3k tokens (41% → 31%)".
func (e DensityApplied) String() string {
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(e.Metadata.ReadWritePairsPruned, "stale read", "stale reads")
	add(e.Metadata.FileDeduplicationsPruned, "duplicate file", "duplicate files")
	add(e.Metadata.RecencyPruned, "old result", "old results")
	return fmt.Sprintf("density: %s, %s", strings.Join(parts, ", "), saved(e.TokensBefore, e.TokensAfter, e.Limit))
}

// String tells the event in one line.
func (e Compressed) String() string {
	if !e.Applied {
		return fmt.Sprintf("compression (%s): nothing done: %s", e.Strategy, e.Reason)
	}
	return fmt.Sprintf("compression (%s): %s", e.Strategy, saved(e.TokensBefore, e.TokensAfter, e.Limit))
}

// saved says what a change of the context saved: "−12.3k tokens (41% → 31%)".
func saved(before, after, limit int) string {
	return fmt.Sprintf("−%s tokens (%d%% → %d%%)", thousands(before-after), percent(before, limit), percent(after, limit))
}

func percent(part, whole int) int { return (100*part + whole/2) / max(1, whole) }
