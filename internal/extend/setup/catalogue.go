package setup

import (
	"fmt"
	"sort"
	"strings"
)

const (
	// budgetShare is the divisor that determines the budget of the catalog: one fiftieth (2 %) of
	// the context window.
	budgetShare = 50
	// leastBudget and mostBudget are the limits of the budget, in tokens.
	leastBudget = 1500
	mostBudget  = 6000
	// leastDescription is the least length of a cut description, in characters.
	leastDescription = 40
)

// Budget returns the greatest number of tokens of the catalog for a context window of window
// tokens.
func Budget(window int) int { return min(max(window/budgetShare, leastBudget), mostBudget) }

// Catalogue returns a list of the skills that the model may use, with one line for each. If it
// exceeds budget tokens, all descriptions are cut to one common length, but no skill is omitted.
// cut is the number of cut descriptions. whole is the number of tokens of the uncut list.
func (f Listing) Catalogue(budget int, count func(string) int) (text string, cut, whole int) {
	var offered []*Entry
	longest := 0
	for _, s := range f.Entries {
		if s.IsForModel() {
			offered = append(offered, s)
			longest = max(longest, len([]rune(s.Description)))
		}
	}
	text = lines(offered, longest)
	whole = count(text)
	if whole <= budget {
		return text, 0, whole
	}
	// Search the greatest common length that fits.
	length := longest - sort.Search(longest-leastDescription, func(less int) bool { return count(lines(offered, longest-less)) <= budget })
	for _, s := range offered {
		if len([]rune(s.Description)) > length {
			cut++
		}
	}
	return lines(offered, length), cut, whole
}

// lines returns the catalog with descriptions of at most length characters.
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
