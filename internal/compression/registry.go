package compression

import (
	"fmt"
	"strings"

	"agent/internal/base/suggest"
)

// strategies lists all strategies, in the order in which they are shown. A new strategy needs a
// separate file and a line here (REQ-HD-004.1).
var strategies = []Strategy{
	highDensity{},
	middleOut,
	oneShot,
	topDown{},
	cacheAware{},
}

// Names lists the names of the strategies, which are the values of the setting
// compression.strategy (REQ-HD-004.4).
func Names() []string {
	names := make([]string, len(strategies))
	for i, s := range strategies {
		names[i] = s.Name()
	}
	return names
}

// Get returns the strategy with a name, or an *UnknownStrategyError.
func Get(name string) (Strategy, error) {
	for _, s := range strategies {
		if s.Name() == name {
			return s, nil
		}
	}
	return nil, &UnknownStrategyError{Name: name, Valid: Names()}
}

// UnknownStrategyError is returned if no strategy has the name (ERR-001).
type UnknownStrategyError struct {
	Name string
	// Valid lists the names that exist.
	Valid []string
}

func (e *UnknownStrategyError) Error() string {
	return fmt.Sprintf("unknown compression strategy %q%s (valid: %s)", e.Name, suggest.Question(e.Name, e.Valid), strings.Join(e.Valid, ", "))
}
