package compression

import (
	"math"

	"agent/internal/history"
)

// A Phase is one rule of density pruning. Its settings, counts and words are declared only here. A
// phase reads the view, edits it, and records each prune. Phases are independent of each other.
type Phase struct {
	// Kind marks the prunes of the phase.
	Kind history.PruneKind
	// Field is the name of the phase's count in JSON (REQ-HD-001.8).
	Field string
	// One and Many are the singular and the plural name of the content that the phase prunes.
	One, Many string
	// Switch enables or disables the phase.
	Switch Switch
	// Numbers lists the other settings of the phase.
	Numbers []Number

	run func(v *view, config DensityConfig)
}

// A Switch is a setting of a phase that is on or off.
type Switch struct {
	// Name is the last word of the setting's key.
	Name    string
	Default bool
	// Help explains the setting in one line.
	Help string
}

// A Number is a setting of a phase that is a whole number.
type Number struct {
	// Name is the last word of the setting's key.
	Name string
	// Default is the value if it is not set, and Least the smallest value.
	Default, Least int
	// Help explains the setting in one line.
	Help string
}

// Normalize converts any value to a whole number: the default if the value is not a number, the floor
// of a fraction, and Least if the value is too small (D-22, REQ-HD-013.6).
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

func (n Number) in(config DensityConfig) int {
	x, ok := config.Numbers[n.Name]
	if !ok {
		return n.Default
	}
	return n.Normalize(x)
}
