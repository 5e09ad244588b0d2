package compression

import "agent/internal/history"

// Optimizer is a strategy that also makes the context denser before every
// request (REQ-HD-001.2). It never changes its input; the indices of its result
// refer to exactly the slice it was given (D-17).
type Optimizer interface {
	Optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error)
}

// DensityConfig says what density pruning may do (REQ-HD-001.9). It is never
// changed.
type DensityConfig struct {
	// Switches says which phases run, by the names of their switches; one that is
	// absent is off.
	Switches map[string]bool
	// Numbers are the numbers of the phases by name; one that is absent has its
	// default. See Number.Normalize.
	Numbers map[string]float64
	// WorkspaceRoot is what relative paths mean in entries that name no workspace of
	// their own (D-44); absolute.
	WorkspaceRoot string
	// Facts knows what the tools do.
	Facts Facts
	// Pinned are the files that pruning leaves alone, by their absolute paths.
	Pinned map[string]bool
}
