package compression

import (
	"context"
	"math"
)

// middleOut keeps the beginning and the end of a conversation and has a model
// summarise what lies between (D-34).
type middleOut struct{}

func (middleOut) Name() string      { return "middle-out" }
func (middleOut) RequiresLLM() bool { return true }

func (middleOut) Trigger() Trigger {
	return Trigger{Mode: TriggerThreshold, DefaultThreshold: defaultThreshold}
}

// fewestBetween is how many entries must lie between top and tail (D-34).
const fewestBetween = 4

func (s middleOut) Compress(ctx context.Context, c Context) (Result, error) {
	reason, err := c.nothingToSummarise()
	switch {
	case err != nil:
		return Result{}, err
	case reason != "":
		return noop(s, c, reason), nil
	}
	n := len(c.History)
	g := groupEntries(c.History)
	part := span{g.boundary(topSize(n, c.TopPreserveThreshold)), g.boundary(min(n-tailSize(n, c.PreserveThreshold), runningCalls(c.History)))}
	if part.to-part.from < fewestBetween {
		return noop(s, c, reasonBetween), nil
	}
	return summarise(ctx, s, c, part)
}

// topSize is how many of n entries are kept at the beginning (D-34).
func topSize(n int, preserve float64) int {
	if math.IsNaN(preserve) || preserve <= 0 {
		return 0
	}
	return int(math.Ceil(float64(n) * min(preserve, 1)))
}

// oneShot has a model summarise everything before the preserved tail (D-35).
type oneShot struct{}

func (oneShot) Name() string      { return "one-shot" }
func (oneShot) RequiresLLM() bool { return true }

func (oneShot) Trigger() Trigger {
	return Trigger{Mode: TriggerThreshold, DefaultThreshold: defaultThreshold}
}

func (s oneShot) Compress(ctx context.Context, c Context) (Result, error) {
	reason, err := c.nothingToSummarise()
	switch {
	case err != nil:
		return Result{}, err
	case reason != "":
		return noop(s, c, reason), nil
	}
	n := len(c.History)
	tail := groupEntries(c.History).boundary(min(n-tailSize(n, c.PreserveThreshold), runningCalls(c.History)))
	if tail == 0 {
		return noop(s, c, reasonTail), nil
	}
	return summarise(ctx, s, c, span{0, tail})
}
