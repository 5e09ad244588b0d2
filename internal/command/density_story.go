package command

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"agent/internal/chat"
	"agent/internal/table"
	"agent/internal/words"
)

// storyRows is how many requests the story shows, so that it fits one screen.
const storyRows = 12

// tellStory says what each request cost beside what it would have: those at which something
// happened, the latest of them, and the sum of all.
func tellStory(story chat.Story, ledger []chat.PruneRecord) []string {
	if len(story.Bills) == 0 {
		return nil
	}
	freed := map[int]int{}
	for _, p := range ledger {
		if p.Cut != nil {
			freed[p.Cut.Request] += p.Tokens
		}
	}
	var notable []chat.Bill
	spent, none, cold := 0.0, 0.0, 0
	for i, b := range story.Bills {
		spent, none = spent+b.Spent, none+b.None
		if b.Cold {
			cold++
		}
		if happened(b, freed[b.Request]) != "" || i == len(story.Bills)-1 {
			notable = append(notable, b)
		}
	}
	rows := [][]string{{"request", "sent", "of", "cost", "without", ""}}
	for _, b := range notable[max(0, len(notable)-storyRows):] {
		rows = append(rows, []string{strconv.Itoa(b.Request), words.Tokens(b.Tokens), words.Tokens(b.All), money(story, b.Spent), money(story, b.None), happened(b, freed[b.Request])})
	}
	sum := fmt.Sprintf("%s: %s, without pruning %s", words.Count(len(story.Bills), "request"), money(story, spent), money(story, none))
	if none > 0 {
		sum += fmt.Sprintf(" (%.0f%%)", 100*spent/none)
	}
	if cold > 0 {
		sum += fmt.Sprintf("; the cache was cold %s", words.Count(cold, "time"))
	}
	lines := append([]string{sum}, table.Lines("rrrrrl", rows)...)
	if story.Shortfalls {
		lines = append(lines, "The provider finds less in its cache than it should: only the end of the latest request is counted on.")
	}
	return append(lines, "")
}

// happened says what was particular about a request, "" for nothing.
func happened(b chat.Bill, freed int) string {
	var what []string
	if b.Cold {
		what = append(what, "cold")
	}
	if freed > 0 {
		what = append(what, words.Tokens(freed)+" freed")
	}
	for _, path := range b.Again {
		what = append(what, filepath.Base(path)+" read again")
	}
	return strings.Join(what, ", ")
}

// money is a cost in USD where the price is known, else in tokens at the full price.
func money(story chat.Story, cost float64) string {
	if story.Dollars > 0 {
		return words.Dollars(cost * story.Dollars)
	}
	return words.Tokens(int(cost))
}
