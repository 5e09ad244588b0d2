package compression_test

import (
	"context"
	"fmt"

	"agent/internal/compression"
	"agent/internal/history"
)

// A strategy reduces a history. The task from the user stays.
func Example() {
	strategy, err := compression.Get("top-down-truncation")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := compression.Context{
		Count:        func(entry *history.Content) int { return len(entry.Text()) },
		ContextLimit: 1000, Threshold: 0.85, PreserveThreshold: 0.3,
	}
	for i := range 100 {
		entry := history.HumanText(fmt.Sprintf("This is message %d.", i))
		c.History, c.Tokens = append(c.History, entry), append(c.Tokens, c.Count(entry))
	}
	result, err := strategy.Compress(context.Background(), c)
	fmt.Println(result.Applied, result.TokensAfter <= c.Target(), err)
	// Output: true true <nil>
}
