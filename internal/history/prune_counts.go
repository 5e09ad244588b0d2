package history

import (
	"encoding/json"
	"fmt"
	"strings"
)

// PruneCount is the number of prunes of one density phase, with the names that the phase declares.
type PruneCount struct {
	Kind PruneKind
	// Field is the name of the count in JSON, for example "recencyPruned".
	Field string
	// One and Many are the singular and plural name of the pruned content: "old result", "old results".
	One, Many string
	N         int
}

// PruneCounts contains the prunes of all phases, in the order in which the phases run (REQ-HD-001.8,
// REQ-HD-013.7, D-16). The counts include their names, so that code that shows them does not depend on
// the phases.
type PruneCounts []PruneCount

// CountOf returns the count of one kind.
func (c PruneCounts) CountOf(kind PruneKind) int {
	for _, count := range c {
		if count.Kind == kind {
			return count.N
		}
	}
	return 0
}

// Total returns the sum of all counts.
func (c PruneCounts) Total() int {
	total := 0
	for _, count := range c {
		total += count.N
	}
	return total
}

// Plus returns the sums of two PruneCounts by kind. Both must be of the same phases.
func (c PruneCounts) Plus(other PruneCounts) PruneCounts {
	sums := make(PruneCounts, len(c))
	for i, count := range c {
		count.N += other.CountOf(count.Kind)
		sums[i] = count
	}
	return sums
}

// String lists the counts above zero: "4 stale reads, 1 duplicate file".
func (c PruneCounts) String() string {
	var parts []string
	for _, count := range c {
		switch {
		case count.N == 1:
			parts = append(parts, "1 "+count.One)
		case count.N > 1:
			parts = append(parts, fmt.Sprintf("%d %s", count.N, count.Many))
		}
	}
	return strings.Join(parts, ", ")
}

// MarshalJSON implements json.Marshaler. It writes an object with every count by its field.
func (c PruneCounts) MarshalJSON() ([]byte, error) {
	data := []byte{'{'}
	for i, count := range c {
		if i > 0 {
			data = append(data, ',')
		}
		field, err := json.Marshal(count.Field)
		if err != nil {
			return nil, err
		}
		data = fmt.Appendf(data, "%s:%d", field, count.N)
	}
	return append(data, '}'), nil
}
