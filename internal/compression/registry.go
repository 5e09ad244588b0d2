package compression

import (
	"fmt"
	"strings"

	"agent/internal/nearest"
)

// DefaultName is the strategy used when no setting names one (D-05).
const DefaultName = "high-density"

// strategies are all there are, in the order they are shown. A new one is a file
// of its own and a line here (REQ-HD-004.1).
var strategies = []Strategy{
	highDensity{},
	middleOut,
	oneShot,
	topDown{},
	cacheAware{},
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
	return nil, &UnknownStrategyError{Name: name, Valid: Names()}
}

// UnknownStrategyError is the answer to a strategy name that does not exist
// (ERR-001).
type UnknownStrategyError struct {
	Name string
	// Valid are the names that exist.
	Valid []string
}

func (e *UnknownStrategyError) Error() string {
	return fmt.Sprintf("unknown compression strategy %q%s; valid are %s", e.Name, nearest.Question(e.Name, e.Valid), strings.Join(e.Valid, ", "))
}
