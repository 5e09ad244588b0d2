package compression

import "context"

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
