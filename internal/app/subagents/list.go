package subagents

import (
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/extend/setup/agents"
)

// Limits of the list of subagents, in tokens: a hundredth of the context window, but at least leastList and
// at most mostList.
const (
	listShare           = 100
	leastList, mostList = 400, 2000
	shortest            = 20 // the shortest description, in bytes
)

// A Catalogue is the list of subagents that the model reads.
type Catalogue struct {
	Text string
	// Shortened holds the names of the subagents whose descriptions are cut. LeftOut holds the names of the
	// subagents that do not fit. The model can still name them.
	Shortened, LeftOut []string
}

// NewCatalogue returns the subagents as the model reads them, one per line. Until the list fits into a share of the
// window, it shortens descriptions, the longest first, and then omits the last names. count returns the
// number of tokens of a text.
func NewCatalogue(set agents.Set, window int, count func(text string) int) Catalogue {
	most := min(max(window/listShare, leastList), mostList)
	longest := 0
	for _, a := range set.Agents {
		longest = max(longest, len(a.Description))
	}
	for ; ; longest = longest * 3 / 4 {
		c := catalogue(set.Agents, longest)
		for n := len(set.Agents); longest <= shortest && count(c.Text) > most && n > 0; {
			n = min(n-1, n*most/count(c.Text))
			c = catalogue(set.Agents[:n], shortest)
			for _, a := range set.Agents[n:] {
				c.LeftOut = append(c.LeftOut, a.Name)
			}
			c.Text += humanize.Count(len(c.LeftOut), "more agent") + "\n"
		}
		if longest <= shortest || len(c.Text) <= most || count(c.Text) <= most {
			return c
		}
	}
}

// catalogue lists agents with descriptions of at most longest bytes.
func catalogue(all []agents.Agent, longest int) (c Catalogue) {
	var list strings.Builder
	for _, a := range all {
		line := humanize.Line(a.Description, longest)
		if line != humanize.Line(a.Description, 0) {
			c.Shortened = append(c.Shortened, a.Name)
		}
		list.WriteString("- " + a.Name + ": " + line + "\n")
	}
	c.Text = list.String()
	return c
}
