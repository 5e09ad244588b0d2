package compression

import "context"

// cacheAware prunes before every request, where pruning pays for itself. If the context is too
// large nevertheless, it compresses as high-density does.
type cacheAware struct{}

// A Pruner is a strategy that follows a conversation and prunes by the plans of its Follower.
type Pruner interface {
	Strategy
	// Follower returns a Follower of an empty conversation.
	Follower(o FollowerOptions) Follower
}

// CacheAwareName is the name of the strategy that weighs the cost of pruning.
const CacheAwareName = "cache-aware"

func (cacheAware) Name() string      { return CacheAwareName }
func (cacheAware) RequiresLLM() bool { return false }

func (cacheAware) Trigger() Trigger {
	return Trigger{Mode: TriggerContinuous, DefaultThreshold: defaultThreshold}
}

// Follower implements Pruner.
func (cacheAware) Follower(o FollowerOptions) Follower { return NewFollower(o) }

func (s cacheAware) Compress(ctx context.Context, c Context) (Result, error) {
	result, err := highDensity{}.Compress(ctx, c)
	result.Metadata.StrategyUsed = s.Name()
	return result, err
}
