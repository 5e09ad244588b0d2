package provenance

import (
	"fmt"
	"io"
	"strings"

	"agent/internal/base/humanize"
)

// mostParts limits the number of parts that are shown to a user.
const mostParts = 12

// Describe returns the answer as lines for a user.
func (a *Answer) Describe() []string {
	lines := []string{map[State]string{
		StateInContext: "In the next request.",
		StateShortened: "Not in the next request: the text around it was shortened.",
		StatePruned:    "Not in the next request: it was removed.",
		StateNeverHeld: "This exact text was never in the conversation. /find searches other sessions.",
	}[a.State]}
	if a.File {
		lines[0] = map[State]string{
			StateInContext: "The next request contains the file, or a part of it.",
			StateShortened: "The next request contains only shortened parts of the file.",
			StatePruned:    "The next request contains nothing of the file: it was removed.",
			StateNeverHeld: "The file was never in the conversation.",
		}[a.State]
	}
	for i, p := range a.Parts {
		if i == mostParts {
			lines = append(lines, fmt.Sprintf("and %d more places", len(a.Parts)-i))
			break
		}
		lines = append(lines, p.lines()...)
	}
	if len(a.Stays) > 0 {
		lines = append(lines, "Pruning:")
		for _, stays := range a.Stays {
			lines = append(lines, "  "+stays)
		}
	}
	if a.Problem != "" {
		lines = append(lines, a.Problem)
	}
	return lines
}

// lines describes a part: where it is, or how it was removed and can be restored.
func (p Part) lines() []string {
	if p.State == StateInContext {
		place := "in"
		if p.Entry > 0 {
			place = fmt.Sprintf("in the context, entry %d", p.Entry)
		}
		return []string{p.What, fmt.Sprintf("  %s, %s tokens", place, humanize.Tokens(p.Tokens))}
	}
	place := "removed"
	if p.State == StateShortened {
		place = "shortened"
	}
	switch {
	case p.Upcoming:
		place = "will be " + place + " before the next request"
	case p.Request > 0:
		place += fmt.Sprintf(" with request %d", p.Request)
	}
	switch {
	case p.Entry > 0 && p.State == StatePruned:
		place += fmt.Sprintf("; entry %d contains a placeholder", p.Entry)
	case p.Entry > 0:
		place += fmt.Sprintf("; the rest is in entry %d", p.Entry)
	}
	lines := []string{p.What, "  " + place, "  " + p.Reason}
	if p.Tokens > 0 {
		saving := fmt.Sprintf("  %s tokens pruned", humanize.Tokens(p.Tokens))
		if p.Cut != nil && p.Cut.Saves > 0 {
			saving += fmt.Sprintf("; the whole pruning pass saves %s tokens per request", humanize.Tokens(int(p.Cut.Saves)))
		}
		lines = append(lines, saving)
	}
	if p.Back != "" {
		lines = append(lines, "  restore: "+p.Back)
	}
	return lines
}

// Print writes the answer for a user.
func (a *Answer) Print(out io.Writer) error {
	_, err := io.WriteString(out, strings.Join(a.Describe(), "\n")+"\n")
	return err
}
