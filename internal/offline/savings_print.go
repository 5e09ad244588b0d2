package offline

import (
	"fmt"
	"html"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
)

// GroupBy is the property that groups the sessions of a table.
type GroupBy string

// The groupings of a table of savings. An empty GroupBy prints projects and models.
const (
	ByProject GroupBy = "project"
	ByModel   GroupBy = "model"
	ByAgent   GroupBy = "agent"
)

// GroupNames returns the groupings that a user can select.
func GroupNames() []string { return []string{string(ByProject), string(ByModel), string(ByAgent)} }

// Print writes the savings as tables for people. Paths below home are shortened; home
// may be empty.
func (s *Savings) Print(out io.Writer, by GroupBy, home string) error {
	if len(s.Sessions) == 0 {
		said := "no sessions" + s.when() + " were found"
		if s.Older > 0 {
			said = fmt.Sprintf("no sessions%s were found, but %s (latest %s). To include them, run: agent savings --days 0", s.when(), humanize.Count(s.Older, "older one"), s.LatestOlder.Local().Format(time.DateOnly))
		}
		if _, err := fmt.Fprintln(out, said); err != nil {
			return err
		}
		return s.printSkipped(out, home)
	}
	for _, table := range []struct {
		by     GroupBy
		groups []NamedSaving
		usual  bool
	}{{ByProject, s.Projects, true}, {ByModel, s.Models, true}, {ByAgent, s.Agents, false}} {
		if by == table.by || by == "" && table.usual {
			if err := s.table(out, table.by, table.groups, home); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(out, s.conclusion())
	return s.printSkipped(out, home)
}

func (s *Savings) when() string {
	if s.Days == 0 {
		return ""
	}
	return " of the last " + humanize.Count(s.Days, "day")
}

func (s *Savings) table(out io.Writer, by GroupBy, groups []NamedSaving, home string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "sessions\trequests\tsent\tcost\twith\tcost\t×\tmissing\t  %s\n", by)
	for _, g := range append(groups, NamedSaving{"all", s.Total}) {
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\t%.2f\t%d\t  %s\n", g.Sessions, g.Requests,
			humanize.Tokens(g.Sent), usdCell(g.Cost), humanize.Tokens(g.With), usdCell(g.WithCost), g.Relative(), g.Missing, name(g.Name, home))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

// conclusion describes the outcome in a sentence.
func (s *Savings) conclusion() string {
	t := s.Total
	line := fmt.Sprintf("%s%s sent %s input tokens in %s%s", humanize.Count(t.Sessions, "session"), s.when(), humanize.Tokens(t.Sent), humanize.Count(t.Requests, "request"), forCost(t.Cost))
	p := t.Pruned
	if p.Sent < t.Sent {
		line += fmt.Sprintf("; with cache-aware it would have been %s%s", humanize.Tokens(t.With), forCost(t.WithCost))
		if t.Cost == 0 {
			line += fmt.Sprintf(", at %.2f of the price", t.Relative())
		}
	}
	line += "."
	if p.Sent > 0 {
		line += fmt.Sprintf("\nOf these, %s of agent ran with cache-aware and sent %s%s; without pruning it would have been %s%s (×%.2f).",
			humanize.Count(p.Sessions, "session"), humanize.Tokens(p.Sent), forCost(p.Cost), humanize.Tokens(p.Without), forCost(p.WithoutCost), p.Units/p.WithoutUnits)
	}
	line += fmt.Sprintf("\n%d of the %d texts that edits quoted would have been read again, which is part of the cost.", t.Missing, t.Edits)
	if t.Void > 0 {
		line += fmt.Sprintf("\nThe reasoning of %s would not have been sent again because pruning changed earlier messages.", humanize.Count(t.Void, "reply"))
	}
	return line
}

// forCost returns " for $N", or "" if the cost is unknown.
func forCost(usd float64) string {
	if usd == 0 {
		return ""
	}
	return " for " + humanize.Dollars(usd)
}

func (s *Savings) printSkipped(out io.Writer, home string) error {
	for _, skipped := range s.Skipped {
		if _, err := fmt.Fprintf(out, "%s: %s\n", name(skipped.File, home), skipped.Reason); err != nil {
			return err
		}
	}
	return nil
}

func usdCell(cost float64) string {
	if cost == 0 {
		return "–"
	}
	return humanize.Dollars(cost)
}

func name(path, home string) string {
	return humanize.Line(fsutil.Tilde(path, home), 0)
}

// The size of the picture, in pixels.
const (
	barsWidth  = 760
	labelWidth = 250
	barHeight  = 14
	rowHeight  = 44
	// barRows is the number of projects drawn as bars. All other projects share one row.
	barRows = 12
)

// Picture draws the projects as an SVG, each with its recorded cost and its cost with
// cache-aware.
func (s *Savings) Picture(home string) string {
	groups := s.Projects
	if len(groups) > barRows {
		rest := NamedSaving{Name: fmt.Sprintf("%d others", len(groups)-barRows+1)}
		for _, g := range groups[barRows-1:] {
			rest.add(g.Saving, g.Sessions)
		}
		groups = append(groups[:barRows-1:barRows-1], rest)
	}
	largest := 1.0
	for _, g := range groups {
		largest = max(largest, g.Units, g.WithUnits)
	}
	height := 60 + rowHeight*len(groups)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-sans-serif,system-ui,sans-serif" font-size="13">`+"\n", barsWidth, height)
	b.WriteString("<style>text{fill:#1f2328}.was{fill:#8c959f}.with{fill:#1f7a8c}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.was{fill:#6e7681}.with{fill:#4fb3c4}}</style>\n")
	fmt.Fprintf(&b, `<text x="10" y="24" font-weight="600">%s</text>`+"\n", html.EscapeString("Cost of input"+s.when()+": as recorded, and with cache-aware"))
	for i, g := range groups {
		y := 46 + i*rowHeight
		fmt.Fprintf(&b, `<text x="10" y="%d">%s</text>`+"\n", y+barHeight, html.EscapeString(tail(name(g.Name, home), 34)))
		bar(&b, "was", y, g.Units/largest, g.label(g.Units, g.Cost))
		bar(&b, "with", y+barHeight+2, g.WithUnits/largest, g.label(g.WithUnits, g.WithCost))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func bar(b *strings.Builder, class string, y int, share float64, label string) {
	const room = barsWidth - labelWidth - 110
	fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/><text x="%.1f" y="%d" font-size="11">%s</text>`+"\n",
		class, labelWidth, y, share*room, barHeight, labelWidth+share*room+6, y+barHeight-3, html.EscapeString(label))
}

// label formats a cost in USD, or in tokens at their full price if the price is unknown.
func (g NamedSaving) label(units, cost float64) string {
	if cost > 0 {
		return usdCell(cost)
	}
	return humanize.Tokens(int(units)) + " tokens"
}

// tail truncates a text at its beginning.
func tail(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return "…" + string(runes[len(runes)-n+1:])
}
