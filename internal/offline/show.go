package offline

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/history"
)

// Overview describes the contents of a context.
type Overview struct {
	Entries int `json:"entries"`
	Tokens  int `json:"tokens"`
	Limit   int `json:"limit"`
	// Threshold is the size at which compression is due.
	Threshold int         `json:"threshold"`
	Kinds     []KindShare `json:"kinds"`
	// Largest lists the largest entries, largest first.
	Largest []LargeEntry `json:"largest"`
}

// KindShare is the share of one kind of content.
type KindShare struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`

	letter string // represents the kind in the bar
}

// LargeEntry is one entry and its size.
type LargeEntry struct {
	Index   int    `json:"index"`
	Speaker string `json:"speaker"`
	Tokens  int    `json:"tokens"`
	What    string `json:"what"`
}

// shownEntries is the number of largest entries that are listed.
const shownEntries = 10

// Show measures the sizes of the parts of a history.
func (e *Engine) Show(in Input) (*Overview, error) {
	p, err := e.prepare(in)
	if err != nil {
		return nil, err
	}
	usage := p.window.History.Usage()
	shown := &Overview{
		Entries:   len(p.History),
		Tokens:    p.window.History.TotalTokens(),
		Limit:     p.window.Limits.Size(),
		Threshold: p.window.Limits.CompressionThreshold(p.strategy),
		Kinds: []KindShare{
			{"human", usage.Human, "h"},
			{"assistant", usage.Assistant, "a"},
			{"tool calls", usage.ToolCalls, "c"},
			{"tool results", usage.ToolResults, "r"},
		},
	}
	for i, entry := range p.History {
		shown.Largest = append(shown.Largest, LargeEntry{i, string(entry.Speaker), p.window.History.CountContent(entry), describe(entry)})
	}
	slices.SortStableFunc(shown.Largest, func(a, b LargeEntry) int { return b.Tokens - a.Tokens })
	shown.Largest = shown.Largest[:min(shownEntries, len(shown.Largest))]
	return shown, nil
}

func describe(entry *history.Content) string {
	const width = 60
	for _, block := range entry.Blocks {
		switch b := block.(type) {
		case *history.ToolResponse:
			what := b.Result.Text()
			if b.Error != "" {
				what = b.Error
			}
			return humanize.Line(b.ToolName+": "+what, width)
		case *history.ToolCall:
			return humanize.Line(b.Name+" "+string(b.Parameters), width)
		case *history.Text:
			return humanize.Line(b.Text, width)
		case *history.Media:
			return humanize.Line(b.MimeType, width)
		}
	}
	return ""
}

// barWidth is the length of the bar in characters.
const barWidth = 50

// Print writes the bar and the largest entries for people.
func (s *Overview) Print(out io.Writer) error {
	var b strings.Builder
	bar := s.bar()
	fmt.Fprintf(&b, "%s\n%d entries, %d of %d tokens (%s), compression at %d\n\n", bar.Text(barWidth), s.Entries, s.Tokens, s.Limit, share(s.Tokens, s.Limit), s.Threshold)
	for _, k := range s.Kinds {
		fmt.Fprintf(&b, "%s %-13s %9d  %6s\n", k.letter, k.Name, k.Tokens, share(k.Tokens, s.Tokens))
	}
	b.WriteString("\nLargest entries:\n")
	for _, e := range s.Largest {
		fmt.Fprintf(&b, "%7d  #%-5d %-5s %s\n", e.Tokens, e.Index, e.Speaker, e.What)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// bar returns the bar of /context, without the parts that only a live session has.
func (s *Overview) bar() command.Bar {
	bar := command.Bar{Mark: s.Threshold}
	for _, k := range s.Kinds {
		bar.Segments = append(bar.Segments, command.BarSegment{Label: k.Name, Tokens: k.Tokens, Letter: k.letter})
	}
	bar.Segments = append(bar.Segments, command.BarSegment{Label: "free", Tokens: max(0, s.Limit-s.Tokens), Free: true, Letter: "."})
	return bar
}
