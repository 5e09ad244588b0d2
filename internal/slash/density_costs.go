package slash

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/chat"
)

// Limits that make the cost report fit a screen of 24 lines: the number of latest requests and the number
// of latest prunes.
const (
	storyRows   = 6
	storyPrunes = 4
)

// tellStory compares the cost of the requests with their cost without pruning. It lists at most most
// requests: the latest one and those that were unusual. A last line contains the sum over all requests.
func (d density) tellStory(story chat.CostComparison, stats chat.Stats, ledger []chat.PruneRecord, most int) []string {
	if len(story.Bills) == 0 {
		return nil
	}
	freed := map[int]int{}
	for _, p := range ledger {
		if p.Cut != nil {
			freed[p.Cut.Request] += p.Tokens
		}
	}
	var notable []chat.RequestCost
	spent, none, cold := 0.0, 0.0, 0
	for i, b := range story.Bills {
		spent, none = spent+b.Spent, none+b.None
		if b.Cold {
			cold++
		}
		if describeUnusual(b, freed[b.Request]) != "" || i == len(story.Bills)-1 {
			notable = append(notable, b)
		}
	}
	if cost, known := sessionCost(d.Settings, stats); known && cost > 0 && story.Dollars > 0 && stats.Requests >= len(story.Bills) {
		// The sum is the cost by the provider's usage reports, including replies, like in /stats.
		spent, none = cost/story.Dollars, (cost+stats.Saving.Cost)/story.Dollars
	}
	rows := [][]string{{"request", "sent", "of tokens", "input cost", "unpruned", ""}}
	for _, b := range notable[max(0, len(notable)-most):] {
		rows = append(rows, []string{strconv.Itoa(b.Request), humanize.Tokens(b.Tokens), humanize.Tokens(b.All), money(story, b.Spent), money(story, b.None), describeUnusual(b, freed[b.Request])})
	}
	sum := fmt.Sprintf("%s: %s", humanize.Count(len(story.Bills), "request"), money(story, spent))
	if story.Dollars == 0 {
		sum += fullPrice
	}
	if none > 0 {
		sum += fmt.Sprintf(", %.0f%% of the cost without pruning (%s)", 100*spent/none, money(story, none))
	}
	if cold > 0 {
		sum += fmt.Sprintf("; the cache expired %s", humanize.Count(cold, "time"))
	}
	lines := []string{sum}
	if left := len(notable) - most; left > 0 {
		lines[0] += fmt.Sprintf("; %s not shown", humanize.Count(left, "unusual request"))
	}
	lines = append(lines, table.Lines("rrrrrl", rows)...)
	if story.Shortfalls {
		lines = append(lines, "The provider caches less than expected. Pruning now assumes that only the end of the latest request is cached.")
	}
	if stats.Void > 0 {
		lines = append(lines, fmt.Sprintf("The reasoning of %s is no longer sent: an earlier part of the conversation changed%s.", humanize.Count(stats.Void, "reply"), stats.VoidText()))
	}
	if stats.Dropped > 0 {
		lines = append(lines, fmt.Sprintf("The provider dropped %s of earlier reasoning: an earlier part of the conversation changed.", humanize.Count(stats.Dropped, "block")))
	}
	return append(lines, "")
}

// latestPrunes lists the latest prunes, a line each, and the sum over the whole ledger.
func (d density) latestPrunes(ledger []chat.PruneRecord) []string {
	if len(ledger) == 0 {
		return []string{nothingPruned}
	}
	const subject, why = 20, 44 // fits 80 columns; at 60 a row wraps
	rows := [][]string{{"#", "tokens", "what", "why"}}
	for i := max(0, len(ledger)-storyPrunes); i < len(ledger); i++ {
		p := ledger[i]
		rows = append(rows, []string{strconv.Itoa(i + 1), humanize.Tokens(p.Tokens), d.subject(p.Subject, subject), cutRight(p.Reason, why)})
	}
	sum := sumOf(ledger)
	if left := len(ledger) - storyPrunes; left > 0 {
		sum += fmt.Sprintf("; %d not shown", left)
	}
	return append(table.Lines("rrll", rows), sum)
}

// describeUnusual describes why a request was unusual: an expired cache, freed tokens, or files that were
// read again. It returns "" if it was not unusual.
func describeUnusual(b chat.RequestCost, freed int) string {
	var what []string
	if b.Cold {
		what = append(what, "cache expired")
	}
	if freed > 0 {
		what = append(what, humanize.Tokens(freed)+" pruned")
	}
	for _, path := range b.Again {
		what = append(what, filepath.Base(path)+" read again")
	}
	return strings.Join(what, ", ")
}

// fullPrice is the unit of a cost if no price is known.
const fullPrice = " tokens at full price"

// money formats a cost in USD if the price is known, otherwise in tokens at the full price.
func money(story chat.CostComparison, cost float64) string {
	if story.Dollars > 0 {
		return humanize.Dollars(cost * story.Dollars)
	}
	return humanize.Tokens(int(cost))
}

// Limits for the lists about the next request, which make them fit a screen of 24 lines.
const (
	explainedLeaves = 6
	explainedHeld   = 4
)

// explain shows on one screen the cost of the next request and the parts that are held back. It also shows
// the prunes that would precede the request, with their reasons.
func (d density) explain(ctx context.Context, _ []string) ([]string, error) {
	next, err := d.Context.NextRequest(ctx)
	if err != nil {
		return nil, err
	}
	story, err := d.Context.CostComparison(ctx)
	if err != nil {
		return nil, err
	}
	lines := tellNext(story, next)
	if len(next.Leaves) > 0 {
		lines = append(lines, d.leavingLines(story, next)...)
	} else {
		lines = append(lines, "Nothing will be pruned before this request.")
	}
	if len(next.Held) > 0 {
		lines = append(lines, d.largest("Kept", "", next.Held, explainedHeld)...)
	}
	return append(lines, densityVerbs), nil
}

// tellNext describes the size of the next request and, if it is known, its cost.
func tellNext(story chat.CostComparison, next chat.NextRequest) []string {
	b := next.Cost
	size := fmt.Sprintf("The next request: %s of %s tokens (%d%%). Compression starts at %s",
		humanize.Tokens(b.Tokens), humanize.Tokens(next.Limit), chat.Percent(b.Tokens, next.Limit), humanize.Tokens(next.Trigger))
	if next.Trigger > 0 && b.Tokens >= next.Trigger {
		size += ", so the context is compressed first"
	}
	if b.None == 0 {
		return []string{size}
	}
	spent := money(story, b.Spent)
	if story.Dollars == 0 {
		spent += fullPrice
	}
	cost := fmt.Sprintf("Cost: %s. Without pruning: %s, for a request of %s tokens", spent, money(story, b.None), humanize.Tokens(b.All))
	if b.Cold {
		cost += "; nothing is cached"
	}
	return []string{size, cost}
}

// leavingLines lists the largest parts that would be pruned, and the price of pruning them.
func (d density) leavingLines(story chat.CostComparison, next chat.NextRequest) []string {
	var parts []chat.PrunablePart
	for _, p := range next.Leaves {
		parts = append(parts, chat.PrunablePart{Subject: p.Subject, Tokens: p.Tokens, Reason: p.Reason})
	}
	price := ""
	if cut := next.Cut; cut != nil && cut.Paid > 0 {
		price = fmt.Sprintf("; costs %s now, saves %s per request, pays back after %s", money(story, cut.Paid), money(story, cut.Saves), humanize.Count(cut.Back, "request"))
	} else if cut != nil {
		price = "; saves at once"
	}
	return d.largest("To prune", price, parts, explainedLeaves)
}

// largest lists at most most parts of the context, the largest first, below a line with the sum of
// all parts.
func (d density) largest(title, price string, parts []chat.PrunablePart, most int) []string {
	const subject, why = 20, 28 // 60 columns
	slices.SortStableFunc(parts, func(a, b chat.PrunablePart) int { return cmp.Compare(b.Tokens, a.Tokens) })
	tokens, rows := 0, [][]string{}
	for i, p := range parts {
		tokens += p.Tokens
		if i < most {
			rows = append(rows, []string{"", humanize.Tokens(p.Tokens), d.subject(p.Subject, subject), cutRight(p.Reason, why)})
		}
	}
	sum := fmt.Sprintf("%s: %s, %s tokens%s", title, humanize.Count(len(parts), "part"), humanize.Tokens(tokens), price)
	if left := len(parts) - most; left > 0 {
		sum += fmt.Sprintf("; %d not shown", left)
	}
	return append([]string{sum}, table.Lines("lrll", rows)...)
}
