package compression

import (
	"math"

	"agent/internal/history"
)

// Phase is one rule of density pruning and all there is to know about it: its
// settings, counts and words are declared here and nowhere else. It looks at the
// view, edits it, and records each prune. Phases are independent of each other.
type Phase struct {
	// Name is the phase in a word.
	Name string
	// Kind marks its prunes.
	Kind history.PruneKind
	// Field is the name of its count in JSON (REQ-HD-001.8).
	Field string
	// One and Many are what it prunes, in words.
	One, Many string
	// Switch turns it on and off.
	Switch Switch
	// Numbers are what else users can set about it.
	Numbers []Number

	run func(v *view, config DensityConfig)
}

// Switch is a setting of a phase that is on or off.
type Switch struct {
	// Name is the last word of the setting's key.
	Name    string
	Default bool
	// Help is one line.
	Help string
}

// Number is a whole number that users can set about a phase.
type Number struct {
	// Name is the last word of the setting's key.
	Name string
	// Default holds when nothing says otherwise, Least is the smallest value.
	Default, Least int
	// Help is one line.
	Help string
}

// Normalize makes a whole number of any: what is not a number is the default,
// fractions are floored, and what is too small is the least (D-22, REQ-HD-013.6).
func (n Number) Normalize(x float64) int {
	switch {
	case math.IsNaN(x):
		return n.Default
	case x >= math.MaxInt32:
		return math.MaxInt32
	default:
		return int(math.Floor(max(float64(n.Least), x)))
	}
}

// in returns the number a configuration gives.
func (n Number) in(config DensityConfig) int {
	x, ok := config.Numbers[n.Name]
	if !ok {
		return n.Default
	}
	return n.Normalize(x)
}

// phases run in this order, so that each sees what the ones before it left
// (BR-CONFLICT-002, BR-CONFLICT-003). A new one is a file of its own and a line
// here.
var phases = []Phase{
	staleReads,
	duplicateFiles,
	oldResults,
}

// Phases returns all phases in the order in which they run.
func Phases() []Phase { return phases }

// CountsOf returns the counts of all phases, given how many prunes there are of
// each kind.
func CountsOf(prunes map[history.PruneKind]int) history.Counts {
	counts := make(history.Counts, len(phases))
	for i, p := range phases {
		counts[i] = history.Count{Kind: p.Kind, Field: p.Field, One: p.One, Many: p.Many, N: prunes[p.Kind]}
	}
	return counts
}
