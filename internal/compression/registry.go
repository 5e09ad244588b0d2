package compression

import (
	"fmt"
	"strings"
)

// DefaultName is the strategy used when no setting names one (D-05).
const DefaultName = "high-density"

// strategies are all there are, in the order they are shown. A new one is a file
// of its own and a line here (REQ-HD-004.1).
var strategies = []Strategy{
	highDensity{},
	topDown{},
}

// Names lists the strategies; the enum of the setting compression.strategy is
// made of it (REQ-HD-004.4).
func Names() []string {
	names := make([]string, len(strategies))
	for i, s := range strategies {
		names[i] = s.Name()
	}
	return names
}

// Get returns the strategy of that name, or an *UnknownStrategyError.
func Get(name string) (Strategy, error) {
	for _, s := range strategies {
		if s.Name() == name {
			return s, nil
		}
	}
	return nil, &UnknownStrategyError{Name: name, Valid: Names(), Nearest: nearest(name, Names())}
}

// UnknownStrategyError is the answer to a strategy name that does not exist
// (ERR-001).
type UnknownStrategyError struct {
	Name string
	// Valid are the names that exist.
	Valid []string
	// Nearest is the valid name the user probably meant, or empty.
	Nearest string
}

func (e *UnknownStrategyError) Error() string {
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf(" did you mean %q?", e.Nearest)
	}
	return fmt.Sprintf("unknown compression strategy %q;%s valid are %s", e.Name, hint, strings.Join(e.Valid, ", "))
}

// nearest returns the name that differs from word in the fewest letters, if that
// is at most a third of them.
func nearest(word string, names []string) string {
	best, bestDistance := "", len(word)/3+1
	for _, name := range names {
		if d := editDistance(strings.ToLower(word), name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// editDistance is how many bytes must be inserted, removed or exchanged to make
// b of a (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
