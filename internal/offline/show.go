package offline

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"agent/internal/compression"
	"agent/internal/history"
)

// Shown is what a context holds.
type Shown struct {
	Entries int `json:"entries"`
	Tokens  int `json:"tokens"`
	Limit   int `json:"limit"`
	// Threshold is the size at which compression is due.
	Threshold int    `json:"threshold"`
	Kinds     []Kind `json:"kinds"`
	// Largest are the entries that take the most room, largest first.
	Largest []LargeEntry `json:"largest"`
}

// Kind is the share of one kind of content.
type Kind struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

// LargeEntry is one entry and its size.
type LargeEntry struct {
	Index   int    `json:"index"`
	Speaker string `json:"speaker"`
	Tokens  int    `json:"tokens"`
	What    string `json:"what"`
}

// shownEntries is how many of the largest entries are told.
const shownEntries = 10

// Show measures a history.
func (e *Engine) Show(in Input) (*Shown, error) {
	if _, err := e.configure(in); err != nil {
		return nil, err
	}
	strategy, err := compression.Get(e.Settings.CompressionStrategy())
	if err != nil {
		return nil, err
	}
	service, err := e.service(in)
	if err != nil {
		return nil, err
	}
	threshold, set := e.Settings.CompressionThreshold()
	if !set {
		threshold = strategy.Trigger().DefaultThreshold
	}
	usage := service.Usage()
	shown := &Shown{
		Entries:   len(in.History),
		Tokens:    service.TotalTokens(),
		Limit:     e.contextLimit(),
		Threshold: int(threshold * float64(e.contextLimit())),
		Kinds: []Kind{
			{"human", usage.Human},
			{"assistant", usage.Assistant},
			{"tool calls", usage.ToolCalls},
			{"tool results", usage.ToolResults},
		},
	}
	for i, entry := range in.History {
		shown.Largest = append(shown.Largest, LargeEntry{i, string(entry.Speaker), service.CountContent(entry), describe(entry)})
	}
	slices.SortStableFunc(shown.Largest, func(a, b LargeEntry) int { return b.Tokens - a.Tokens })
	shown.Largest = shown.Largest[:min(shownEntries, len(shown.Largest))]
	return shown, nil
}

// describe says in a few words what an entry is.
func describe(entry *history.Content) string {
	for _, block := range entry.Blocks {
		switch b := block.(type) {
		case *history.ToolResponse:
			return b.ToolName + ": " + shorten(b.Result.Text()+b.Error, 60)
		case *history.ToolCall:
			return b.Name + " " + shorten(string(b.Parameters), 60)
		case *history.Text:
			return shorten(b.Text, 60)
		}
	}
	return ""
}

// barWidth is the length of the bar in characters.
const barWidth = 50

// Print writes the bar and the largest entries for people.
func (s *Shown) Print(out io.Writer) error {
	var b strings.Builder
	glyphs := []string{"█", "▓", "▒", "░"}
	drawn := 0
	for i, k := range s.Kinds {
		n := k.Tokens * barWidth / max(1, s.Limit)
		b.WriteString(strings.Repeat(glyphs[i], n))
		drawn += n
	}
	b.WriteString(strings.Repeat("·", max(0, barWidth-drawn)))
	fmt.Fprintf(&b, "\n%d entries, %d of %d tokens (%.1f%%), compression at %d\n\n", s.Entries, s.Tokens, s.Limit, 100*float64(s.Tokens)/float64(max(1, s.Limit)), s.Threshold)
	for i, k := range s.Kinds {
		fmt.Fprintf(&b, "%s %-13s %9d  %5.1f%%\n", glyphs[i], k.Name, k.Tokens, 100*float64(k.Tokens)/float64(max(1, s.Tokens)))
	}
	b.WriteString("\nLargest entries:\n")
	for _, e := range s.Largest {
		fmt.Fprintf(&b, "%7d  #%-5d %-5s %s\n", e.Tokens, e.Index, e.Speaker, e.What)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
