package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/chat"
	"agent/internal/chat/cachemiss"
	"agent/internal/chat/window"
	"agent/internal/command"
	"agent/internal/settings"
)

func contextCommand(d Deps) command.Command {
	return command.Command{
		Name: "context", Aliases: []string{"ctx"},
		Help: "list the content of the context",
		Forms: []command.Form{
			{Does: "list the entries, largest first: Enter shows one, Ctrl+X removes it, Ctrl+T pins it", Run: func(ctx context.Context, _ []string) (command.Output, error) {
				return d.contextMap(ctx)
			}},
			{Args: "figures", Does: "show the size by kind of content", Run: func(ctx context.Context, _ []string) (command.Output, error) {
				out, _, err := d.contextFigures(ctx)
				return out, err
			}},
			{Args: "NUMBER", Does: "show entry NUMBER of the list", Run: showOne(d.showItem)},
		},
	}
}

// contextFigures shows how much of the context window each kind of content fills.
func (d Deps) contextFigures(ctx context.Context) (command.Output, chat.ContextUsage, error) {
	usage, err := d.Context.ContextUsage(ctx)
	if err != nil {
		return command.Output{}, usage, err
	}
	bar := usageBar(usage)
	out := command.Output{Bar: &bar, Lines: describeUsage(usage, bar)}
	if d.Notes != nil {
		if line := d.Notes.UsageLine(); line != "" {
			out.Lines = append(out.Lines, "notes        "+line)
		}
	}
	return out, usage, nil
}

// contextMap shows the figures by kind, and the parts of the context to choose from.
func (d Deps) contextMap(ctx context.Context) (command.Output, error) {
	out, usage, err := d.contextFigures(ctx)
	if err != nil {
		return out, err
	}
	items, err := d.Context.Items(ctx)
	if err != nil || len(items) == 0 {
		return out, err
	}
	out.Pick = d.pickItem(ctx, usage, items)
	out.Lines = append(out.Lines, "")
	var rows [][]string
	shown := items[:min(len(items), mostItems)]
	left := usage.Total()
	for i, item := range shown {
		left -= item.Tokens
		rows = append(rows, []string{strconv.Itoa(i + 1), humanize.Tokens(item.Tokens), share(item, usage), itemName(item), d.itemHelp(item)})
	}
	out.Lines = append(out.Lines, table.Lines("rrrll", rows)...)
	if more := len(items) - len(shown); more > 0 {
		out.Lines = append(out.Lines, fmt.Sprintf("and %s with %s tokens", humanize.Count(more, "smaller part"), humanize.Tokens(left)))
	}
	return out, nil
}

// mostItems limits the parts of the context that are listed as text, without a screen to choose
// from.
const mostItems = 12

func (d Deps) pickItem(ctx context.Context, usage chat.ContextUsage, items []chat.Item) *command.ChoiceList {
	pick := &command.ChoiceList{Tells: true, Title: fmt.Sprintf("%s of %s tokens in the context", humanize.Tokens(usage.Total()), humanize.Tokens(usage.Limit))}
	byLine := map[string]chat.Item{}
	for i, item := range items {
		line := fmt.Sprintf("/context %d", i+1)
		byLine[line] = item
		pick.Choices = append(pick.Choices, command.Choice{
			Name: fmt.Sprintf("%6s %4s  %s", humanize.Tokens(item.Tokens), share(item, usage), itemName(item)), Help: d.itemHelp(item), Line: line, Faded: item.Waiting,
			Also: func() string { return item.Path },
		})
	}
	again := func() (*command.ChoiceList, error) {
		out, err := d.contextMap(ctx)
		return out.Pick, err
	}
	pick.Actions = []command.ChoiceAction{
		{Key: "ctrl+x", Name: "remove", Run: func(c command.Choice, _ string) (*command.ChoiceList, error) {
			if _, err := d.Session.PruneItem(ctx, byLine[c.Line]); err != nil {
				return nil, err
			}
			return again()
		}},
		{Key: "ctrl+t", Name: "pin or unpin", Run: func(c command.Choice, _ string) (*command.ChoiceList, error) {
			item := byLine[c.Line]
			if item.Path == "" {
				return nil, errors.New("only files can be pinned")
			}
			if _, err := d.Context.Pin(ctx, item.Path, !item.Pinned); err != nil {
				return nil, err
			}
			return again()
		}},
	}
	return pick
}

func share(item chat.Item, usage chat.ContextUsage) string {
	if percent := chat.Percent(item.Tokens, usage.Total()); percent > 0 {
		return fmt.Sprintf("%d%%", percent)
	}
	return "<1%"
}

// itemName names a part of the context by its tool and its subject.
func itemName(item chat.Item) string {
	return humanize.Line(strings.TrimSpace(item.Kind+" "+item.Subject), ledgerWidth)
}

// itemHelp describes a part of the context: how to make it smaller, or its age and how often it was sent.
// It adds whether the part is pinned, or why it waits to be pruned.
func (d Deps) itemHelp(item chat.Item) string {
	switch item.Kind {
	case window.PromptItem:
		return "in each request · to replace it, write prompts/system.md"
	case window.ToolsItem:
		if settings.Tools.Value(d.Settings) == settings.AllTools {
			return "in each request · for fewer, type /set tools few"
		}
		return "in each request · for fewer, set agents or notes to off; see /mcp"
	case window.InstructionsItem:
		return "in each request · shorten the file, or set instructions.files"
	case window.NotesItem:
		return "in each request · /forget deletes one, notes.budget limits them"
	case window.ReasoningItem, window.OtherItem:
		return "/compress removes it"
	}
	age := "this turn"
	if item.Turns > 0 {
		age = humanize.Count(item.Turns, "turn") + " ago"
	}
	parts := []string{age, fmt.Sprintf("sent %d×", item.Sent)}
	switch {
	case item.Pinned:
		parts = append(parts, "pinned")
	case item.Reason != "":
		parts = append(parts, item.Reason)
	}
	return strings.Join(parts, " · ")
}

// showItem shows a part of the context as the model reads it.
func (d Deps) showItem(ctx context.Context, number string) ([]string, error) {
	items, err := d.Context.Items(ctx)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(items) {
		return nil, fmt.Errorf("no entry %q: use 1 to %d. Run: /context", number, len(items))
	}
	item := items[n-1]
	return append([]string{itemName(item) + " · " + d.itemHelp(item), ""}, strings.Split(item.Text, "\n")...), nil
}

// usageBar returns a bar of the context window, with a segment for each kind of content.
func usageBar(u chat.ContextUsage) command.Bar {
	return command.Bar{Mark: u.Threshold, Segments: []command.BarSegment{
		{Label: "system", Tokens: u.System, Letter: "s"},
		{Label: "tools", Tokens: u.Tools, Letter: "t"},
		{Label: "human", Tokens: u.Human, Letter: "h"},
		{Label: "assistant", Tokens: u.AI, Letter: "a"},
		{Label: "tool calls", Tokens: u.Calls, Letter: "c"},
		{Label: "tool results", Tokens: u.Results, Letter: "r"},
		{Label: "free", Tokens: max(0, u.Limit-u.Total()), Free: true, Letter: "."},
	}}
}

// describeUsage describes the segments of the bar in numbers. The lines after that describe the compression
// threshold, the cache and the effect of pruning.
func describeUsage(u chat.ContextUsage, bar command.Bar) []string {
	share := func(n int) string { return fmt.Sprintf("%d%%", chat.Percent(n, u.Limit)) }
	var rows [][]string
	for _, s := range bar.Segments {
		rows = append(rows, []string{s.Letter, s.Label, humanize.Tokens(s.Tokens), share(s.Tokens)})
	}
	lines := append(table.Lines("llrr", rows), "",
		fmt.Sprintf("used         %s of %s tokens (%s)", humanize.Tokens(u.Total()), humanize.Tokens(u.Limit), share(u.Total())),
		fmt.Sprintf("compression  starts at %s (%s)", humanize.Tokens(u.Threshold), share(u.Threshold)))
	if why := whyBelowThreshold(u); why != "" {
		lines = append(lines, "             "+why)
	}
	if u.Prompt > 0 {
		lines = append(lines, fmt.Sprintf("cache        %s of %s input tokens, last request (%d%%)", humanize.Tokens(u.Cached), humanize.Tokens(u.Prompt), chat.Percent(u.Cached, u.Prompt)))
	}
	if u.Written > 0 {
		lines = append(lines, fmt.Sprintf("             %s of them written to the cache", humanize.Tokens(u.Written)))
	}
	lines = append(lines, fmt.Sprintf("pruned       %s tokens so far", humanize.Tokens(u.Freed)))
	if held := heldBack(u.Prunable); held != "" {
		lines = append(lines, "held back    "+held)
	}
	return lines
}

// heldBack describes the tokens that pruning could remove but has not removed. It returns "" if there are
// none.
func heldBack(s window.PrunableTokens) string {
	var parts []string
	if s.Free+s.Cold > 0 {
		parts = append(parts, fmt.Sprintf("%s outdated and %s unused, until pruning saves more than it costs", humanize.Tokens(s.Free), humanize.Tokens(s.Cold)))
	}
	if s.Pinned > 0 {
		parts = append(parts, humanize.Tokens(s.Pinned)+" pinned")
	}
	return strings.Join(parts, "; ")
}

// whyBelowThreshold explains in a line why compression starts below the configured threshold, or returns ""
// if it does not (D-40).
func whyBelowThreshold(u chat.ContextUsage) string {
	if u.Wanted <= u.Threshold {
		return ""
	}
	return fmt.Sprintf("%d%% of %s is %s. %s stay free for the reply, so compression starts at %s.",
		chat.Percent(u.Wanted, u.Limit), humanize.Tokens(u.Limit), humanize.Tokens(u.Wanted), humanize.Tokens(u.Reserve), humanize.Tokens(u.Threshold))
}

func statsCommand(d Deps) command.Command {
	return command.Command{
		Name: "stats", Aliases: []string{"cost", "usage"},
		Help: "show requests, tokens and cost",
		Forms: []command.Form{{Does: "show the totals of the session", Run: func(ctx context.Context, _ []string) (command.Output, error) {
			stats, err := d.Session.Stats(ctx)
			if err != nil {
				return command.Output{}, err
			}
			usage, err := d.Context.ContextUsage(ctx)
			if err != nil {
				return command.Output{}, err
			}
			rows := [][]string{
				{"requests", strconv.Itoa(stats.Requests)},
				{"tool calls", strconv.Itoa(stats.ToolCalls)},
				{"input tokens", humanize.Tokens(stats.PromptTokens)},
				{"cache reads", humanize.Tokens(stats.CachedTokens), shareOfInput(stats.CachedTokens, stats)},
				{"cache writes", humanize.Tokens(stats.CacheWriteTokens), shareOfInput(stats.CacheWriteTokens, stats)},
				{"output tokens", humanize.Tokens(stats.CompletionTokens), thinkingText(stats)},
				{"compressions", strconv.Itoa(stats.Compressions)},
				{"pruned tokens", humanize.Tokens(usage.Freed)},
				costRow(d.Settings, stats),
			}
			if agents := stats.Agents; agents.Agents > 0 {
				rows = append(rows, []string{"agents", strconv.Itoa(agents.Agents), "not included above: " + agents.String()})
			}
			if stats.Searches > 0 {
				rows = append(rows, []string{"searches", strconv.Itoa(stats.Searches), "web searches"})
			}
			if saved := stats.Saving.String(); saved != "" {
				rows = append(rows, []string{"pruning", "", saved})
			}
			return command.Output{Lines: table.Lines("lrl", rows)}, nil
		}}, {Args: "cache", Does: "list cache misses with their cause and cost, and cache refreshes", Run: command.ShowLines(func(ctx context.Context, _ []string) ([]string, error) {
			breaks, err := d.Views.CacheBreaks()
			if err != nil {
				return nil, err
			}
			refreshes, err := d.Views.Refreshes(ctx)
			return append(cachemiss.DescribeMisses(breaks), refreshes...), err
		})}},
	}
}

// thinkingText returns the share of the output that is reasoning, or "" if no provider reported it.
func thinkingText(s chat.Stats) string {
	if s.ThinkingTokens == 0 {
		return ""
	}
	return humanize.Tokens(s.ThinkingTokens) + " of them reasoning"
}

func shareOfInput(tokens int, s chat.Stats) string {
	return fmt.Sprintf("%d%% of the input", chat.Percent(tokens, s.PromptTokens))
}

func costRow(s *settings.Settings, stats chat.Stats) []string {
	cost, known := sessionCost(s, stats)
	if !known {
		return []string{"cost", "?", "set price.input and price.output"}
	}
	return []string{"cost", humanize.Dollars(cost)}
}

// sessionCost returns the cost of the session's requests in USD, or false if prices are missing. Requests
// that were sent before their prices were known are charged at the current prices.
func sessionCost(s *settings.Settings, stats chat.Stats) (usd float64, known bool) {
	rest := stats.Unpriced
	if rest == (chat.UsageReported{}) {
		return stats.Cost, true
	}
	prices, ok := settings.PricesOf(s, nil)
	if !ok {
		return 0, false
	}
	return stats.Cost + prices.Cost(rest.PromptTokens, rest.CachedTokens, rest.CacheWriteTokens, rest.CompletionTokens), true
}
