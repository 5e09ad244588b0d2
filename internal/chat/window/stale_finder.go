package window

import (
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// strategies looks up the strategy in use.
type strategies struct {
	settings *settings.Settings
	find     func(name string) (compression.Strategy, error)
}

func (s *strategies) active() (compression.Strategy, error) {
	return s.find(settings.CompressionStrategy.Value(s.settings))
}

// pruner returns the active strategy if it weighs prices.
func (s *strategies) pruner() (compression.Pruner, bool) {
	strategy, err := s.active()
	pruner, ok := strategy.(compression.Pruner)
	return pruner, err == nil && ok
}

// StaleFinder finds content that newer content has made stale. It is for strategies that do not weigh
// prices.
type StaleFinder struct {
	strategies *strategies
	history    *history.Service
	facts      compression.TraitsLookup
	root       string
	pins       map[string]bool
}

// parts returns the parts of the context that are about files.
func (s *StaleFinder) parts() []compression.FilePart {
	return compression.Parts(s.history.RawHistory(), s.Config())
}

// Config returns the settings for the engine (REQ-HD-001.9).
func (s *StaleFinder) Config() compression.DensityConfig {
	config := settings.DensityConfig(s.strategies.settings)
	config.WorkspaceRoot, config.Facts, config.Pinned = s.root, s.facts, s.pins
	return config
}

// next returns the prunes that a strategy without prices would make before the next request. It returns
// false if the strategy prunes nothing.
func (s *StaleFinder) next() (prunes []history.Prune, ok bool) {
	strategy, err := s.strategies.active()
	optimizer, ok := strategy.(compression.Optimizer)
	if err != nil || !ok {
		return nil, false
	}
	result, err := optimizer.Optimize(s.history.RawHistory(), s.Config())
	if err != nil {
		return nil, true
	}
	return result.Prunes, true
}

// leaving maps each block that pruning would remove before the next request to the reason. It returns
// nil if the strategy prunes nothing.
func (s *StaleFinder) leaving() map[history.Block]string {
	prunes, ok := s.next()
	if !ok {
		return nil
	}
	reasons := make(map[history.Block]string)
	for _, p := range prunes {
		for _, block := range p.Gone {
			reasons[block] = p.Reason
		}
	}
	return reasons
}
