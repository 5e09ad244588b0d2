package setup

import (
	"fmt"
	"sort"
	"strings"
)

// Bounds of the catalogue's budget in tokens: a share of the window, never less and
// never more than these.
const (
	budgetShare = 50 // 2 %
	leastBudget = 1500
	mostBudget  = 6000
	// leastDescription is what a description is never cut below, in characters.
	leastDescription = 40
)

// Budget is how many tokens the catalogue may take in a window of that size.
func Budget(window int) int { return min(max(window/budgetShare, leastBudget), mostBudget) }

// Catalogue lists the skills that the model may use, by name, one a line. If it takes
// more than budget tokens, all descriptions are cut to one common length; no name ever
// leaves. Cut is how many were cut, and whole what the catalogue would take uncut.
func (f Found) Catalogue(budget int, count func(string) int) (text string, cut, whole int) {
	var offered []*Entry
	longest := 0
	for _, s := range f.Entries {
		if s.ForModel() {
			offered = append(offered, s)
			longest = max(longest, len([]rune(s.Description)))
		}
	}
	text = lines(offered, longest)
	whole = count(text)
	if whole <= budget {
		return text, 0, whole
	}
	// The longest common length that fits.
	length := longest - sort.Search(longest-leastDescription, func(less int) bool { return count(lines(offered, longest-less)) <= budget })
	for _, s := range offered {
		if len([]rune(s.Description)) > length {
			cut++
		}
	}
	return lines(offered, length), cut, whole
}

// lines is the catalogue with descriptions of at most that many characters.
func lines(skills []*Entry, length int) string {
	var b strings.Builder
	for _, s := range skills {
		description := []rune(s.Description)
		if len(description) > length {
			description = append(description[:max(0, length-1):max(0, length-1)], '…')
		}
		fmt.Fprintf(&b, "- %s: %s\n", s.Name, string(description))
	}
	return b.String()
}
