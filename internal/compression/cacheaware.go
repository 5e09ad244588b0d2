package compression

import "context"

// cacheAware prunes before every request if pruning costs less than it saves. If the context is
// nevertheless too large, it compresses as high-density does.
type cacheAware struct{}

// A Pruner is a strategy whose Engine follows a conversation and plans what to prune.
type Pruner interface {
	Strategy
	// NewEngine returns an Engine for an empty conversation.
	NewEngine(o EngineOptions) Engine
}

// CacheAwareName is the name of the strategy that weighs the cost of pruning.
const CacheAwareName = "cache-aware"

func (cacheAware) Name() string      { return CacheAwareName }
func (cacheAware) RequiresLLM() bool { return false }

func (cacheAware) Trigger() Trigger {
	return Trigger{Mode: TriggerContinuous, DefaultThreshold: defaultThreshold}
}

// NewEngine implements Pruner.
func (cacheAware) NewEngine(o EngineOptions) Engine { return NewEngine(o) }

func (s cacheAware) Compress(ctx context.Context, c Context) (Result, error) {
	result, err := highDensity{}.Compress(ctx, c)
	result.Metadata.StrategyUsed = s.Name()
	return result, err
}
