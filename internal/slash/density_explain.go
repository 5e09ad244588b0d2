package slash

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/table"
	"agent/internal/words"
)

// What is shown of each part of the next request so that it fits a screen of 24 lines.
const (
	explainedLeaves = 6
	explainedHeld   = 4
)

// explain says on one screen what the next request costs, what would leave before it and
// why, and what is held back.
func (d density) explain(ctx context.Context) (command.Output, error) {
	next, err := d.session.Upcoming(ctx)
	if err != nil {
		return command.Output{}, err
	}
	story, err := d.session.Story(ctx)
	if err != nil {
		return command.Output{}, err
	}
	lines := tellNext(story, next)
	if len(next.Leaves) > 0 {
		lines = append(lines, d.leaves(story, next)...)
	} else {
		lines = append(lines, "Nothing leaves before it.")
	}
	if len(next.Held) > 0 {
		tokens := 0
		for _, h := range next.Held {
			tokens += h.Tokens
		}
		lines = append(lines, d.largest(fmt.Sprintf("Held back: %s, %s tokens", words.Count(len(next.Held), "unit"), words.Tokens(tokens)), next.Held, explainedHeld)...)
	}
	return command.Output{Lines: append(lines, densityVerbs)}, nil
}

// tellNext says how large the next request is, and what it costs where that is known.
func tellNext(story chat.Story, next chat.Upcoming) []string {
	b := next.Bill
	size := fmt.Sprintf("The next request: %s of %s tokens (%d%%), compression at %s",
		words.Tokens(b.Tokens), words.Tokens(next.Limit), chat.Percent(b.Tokens, next.Limit), words.Tokens(next.Due))
	if next.Due > 0 && b.Tokens >= next.Due {
		size += ": it is due"
	}
	if b.None == 0 {
		return []string{size}
	}
	cost := fmt.Sprintf("It costs %s; without pruning %s for %s tokens", money(story, b.Spent), money(story, b.None), words.Tokens(b.All))
	if b.Cold {
		cost += "; nothing of it is cached"
	}
	return []string{size, cost}
}

// leaves lists what would leave, the largest, and the price of that.
func (d density) leaves(story chat.Story, next chat.Upcoming) []string {
	tokens := 0
	var parts []chat.Held
	for _, p := range next.Leaves {
		tokens += p.Tokens
		parts = append(parts, chat.Held{Subject: p.Subject, Tokens: p.Tokens, Reason: p.Reason})
	}
	sum := fmt.Sprintf("Leaves: %s, %s tokens", words.Count(len(next.Leaves), "unit"), words.Tokens(tokens))
	if cut := next.Cut; cut != nil && cut.Paid > 0 {
		sum += fmt.Sprintf("; %s at once, %s less with each request: pays back after %d", money(story, cut.Paid), money(story, cut.Saves), cut.Back)
	} else if cut != nil {
		sum += "; cheaper at once"
	}
	return d.largest(sum, parts, explainedLeaves)
}

// largest lists parts of the context, the largest first and at most so many, below a line
// that sums up all.
func (d density) largest(sum string, parts []chat.Held, most int) []string {
	const subject, why = 20, 28 // 60 columns
	slices.SortStableFunc(parts, func(a, b chat.Held) int { return cmp.Compare(b.Tokens, a.Tokens) })
	var rows [][]string
	for _, p := range parts[:min(most, len(parts))] {
		rows = append(rows, []string{words.Tokens(p.Tokens), d.subject(chat.PruneRecord{Subject: p.Subject}, subject), cutRight(p.Reason, why)})
	}
	if left := len(parts) - most; left > 0 {
		sum += fmt.Sprintf("; %d more", left)
	}
	lines := []string{sum}
	for _, row := range table.Lines("rll", rows) {
		lines = append(lines, "  "+row)
	}
	return lines
}
