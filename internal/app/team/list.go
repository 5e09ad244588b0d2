package team

import (
	"strings"

	"agent/internal/setup/agents"
	"agent/internal/words"
)

// Bounds of the list of agents, in tokens: a hundredth of the window, within these.
const (
	listShare           = 100
	leastList, mostList = 400, 2000
	shortest            = 20 // of a description, in bytes
	bytesPerToken       = 4
)

// List returns the agents as the model reads them, a line each. It shortens descriptions, longest
// first, until the list fits a share of the window; names are never left out.
func List(set agents.Set, window int) string {
	most := min(max(window/listShare, leastList), mostList) * bytesPerToken
	for longest := most; ; longest = longest * 3 / 4 {
		var list strings.Builder
		for _, a := range set.Agents {
			list.WriteString("- " + a.Name + ": " + words.Line(a.Description, longest) + "\n")
		}
		if list.Len() <= most || longest <= shortest {
			return list.String()
		}
	}
}
