package command

import (
	"context"
	"fmt"
	"strconv"

	"agent/internal/chat"
	"agent/internal/settings"
	"agent/internal/table"
	"agent/internal/words"
)

func (c *Commands) statsCommand() Command {
	return Command{
		Name: "stats", Aliases: []string{"cost", "usage"},
		Help: "show requests, tokens and cost",
		Run: func(ctx context.Context, _ []string) (Output, error) {
			stats, err := c.deps.Session.Stats(ctx)
			if err != nil {
				return Output{}, err
			}
			usage, err := c.deps.Session.ContextUsage(ctx)
			if err != nil {
				return Output{}, err
			}
			rows := [][]string{
				{"requests", strconv.Itoa(stats.Requests)},
				{"tool calls", strconv.Itoa(stats.ToolCalls)},
				{"input tokens", words.Tokens(stats.PromptTokens)},
				{"cache reads", words.Tokens(stats.CachedTokens), shareOfInput(stats.CachedTokens, stats)},
				{"cache writes", words.Tokens(stats.CacheWriteTokens), shareOfInput(stats.CacheWriteTokens, stats)},
				{"output tokens", words.Tokens(stats.CompletionTokens)},
				{"compressions", strconv.Itoa(stats.Compressions)},
				{"freed tokens", words.Tokens(usage.Freed), "by density"},
				c.costRow(stats),
			}
			if saved := stats.Saving.String(); saved != "" {
				rows = append(rows, []string{"saved", saved, "by pruning"})
			}
			return Output{Lines: table.Lines("lrl", rows)}, nil
		},
	}
}

func shareOfInput(tokens int, s chat.Stats) string {
	return fmt.Sprintf("%d%% of the input", chat.Percent(tokens, s.PromptTokens))
}

// costRow is what the session cost. Requests whose prices were not known are counted
// by those that are set now.
func (c *Commands) costRow(stats chat.Stats) []string {
	rest := stats.Unpriced
	if rest == (chat.UsageReported{}) {
		return []string{"cost", words.Dollars(stats.Cost)}
	}
	prices, ok := settings.PricesOf(c.deps.Settings, nil)
	if !ok {
		return []string{"cost", "?", "/set price.input and price.output"}
	}
	return []string{"cost", words.Dollars(stats.Cost + prices.Cost(rest.PromptTokens, rest.CachedTokens, rest.CacheWriteTokens, rest.CompletionTokens))}
}
