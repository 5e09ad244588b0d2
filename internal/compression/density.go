package compression

import (
	"math"

	"agent/internal/history"
)

// Optimizer is a strategy that also makes the context denser before every
// request (REQ-HD-001.2). It never changes its input; the indices of its result
// refer to exactly the slice it was given (D-17).
type Optimizer interface {
	Optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error)
}

// DensityConfig says what density pruning may do (REQ-HD-001.9). It is a value
// and is never changed.
type DensityConfig struct {
	// ReadWritePruning removes reads of files that were written later.
	ReadWritePruning bool
	// FileDedupe strips @ inclusions of files that were included again later.
	FileDedupe bool
	// RecencyPruning replaces all but the newest results of each tool.
	RecencyPruning bool
	// RecencyRetention is how many results of each tool stay; see
	// NormalizeRetention.
	RecencyRetention float64
	// WorkspaceRoot is what relative paths are resolved against; absolute.
	WorkspaceRoot string
	// Facts knows which tools read and write files.
	Facts Facts
}

// DefaultRetention is how many results of each tool recency pruning keeps when
// nothing says otherwise (REQ-HD-007.4).
const DefaultRetention = 3

// NormalizeRetention makes a count of any number: what is not a number is the
// default, fractions are floored, and at least one result stays (D-22,
// REQ-HD-013.6).
func NormalizeRetention(retention float64) int {
	switch {
	case math.IsNaN(retention):
		return DefaultRetention
	case retention >= math.MaxInt32:
		return math.MaxInt32
	default:
		return int(math.Floor(max(1, retention)))
	}
}
