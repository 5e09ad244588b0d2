package slash

import (
	"context"
	"fmt"
	"strconv"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/settings"
	"agent/internal/table"
	"agent/internal/words"
)

func statsCommand(d Deps) command.Command {
	return command.Command{
		Name: "stats", Aliases: []string{"cost", "usage"},
		Help: "show requests, tokens and cost",
		Run: func(ctx context.Context, _ []string) (command.Output, error) {
			stats, err := d.Session.Stats(ctx)
			if err != nil {
				return command.Output{}, err
			}
			usage, err := d.Session.ContextUsage(ctx)
			if err != nil {
				return command.Output{}, err
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
				costRow(d.Settings, stats),
			}
			if saved := stats.Saving.String(); saved != "" {
				rows = append(rows, []string{"saved", saved, "by pruning"})
			}
			return command.Output{Lines: table.Lines("lrl", rows)}, nil
		},
	}
}

func shareOfInput(tokens int, s chat.Stats) string {
	return fmt.Sprintf("%d%% of the input", chat.Percent(tokens, s.PromptTokens))
}

// costRow is what the session cost. Requests whose prices were not known are counted
// by those that are set now.
func costRow(s *settings.Settings, stats chat.Stats) []string {
	rest := stats.Unpriced
	if rest == (chat.UsageReported{}) {
		return []string{"cost", words.Dollars(stats.Cost)}
	}
	prices, ok := settings.PricesOf(s, nil)
	if !ok {
		return []string{"cost", "?", "/set price.input and price.output"}
	}
	return []string{"cost", words.Dollars(stats.Cost + prices.Cost(rest.PromptTokens, rest.CachedTokens, rest.CacheWriteTokens, rest.CompletionTokens))}
}
