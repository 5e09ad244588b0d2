package compression

import (
	"context"

	"agent/internal/compression/cacheaware"
)

// cacheAware prunes before every request, where pruning pays for itself. If the context is too
// large nevertheless, it compresses as high-density does.
type cacheAware struct{}

// A Pruner is a strategy that follows a conversation with an engine and prunes by the engine's
// plans.
type Pruner interface {
	Strategy
	// Engine returns an engine for an empty conversation.
	Engine(o cacheaware.Options) *cacheaware.Engine
}

// CacheAwareName is the name of the strategy that weighs the cost of pruning.
const CacheAwareName = "cache-aware"

func (cacheAware) Name() string      { return CacheAwareName }
func (cacheAware) RequiresLLM() bool { return false }

func (cacheAware) Trigger() Trigger {
	return Trigger{Mode: TriggerContinuous, DefaultThreshold: defaultThreshold}
}

// Engine implements Pruner.
func (cacheAware) Engine(o cacheaware.Options) *cacheaware.Engine { return cacheaware.New(o) }

func (s cacheAware) Compress(ctx context.Context, c Context) (Result, error) {
	result, err := highDensity{}.Compress(ctx, c)
	result.Metadata.StrategyUsed = s.Name()
	return result, err
}
