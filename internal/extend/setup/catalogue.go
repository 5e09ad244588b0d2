package setup

import (
	"fmt"
	"sort"
	"strings"
)

const (
	// budgetShare makes the budget of the catalogue one fiftieth of the window, or 2 %.
	budgetShare = 50
	// leastBudget and mostBudget bound the budget, in tokens.
	leastBudget = 1500
	mostBudget  = 6000
	// leastDescription is the least length of a cut description, in characters.
	leastDescription = 40
)

// Budget returns the most tokens that the catalogue may take, given the size of the window in
// tokens.
func Budget(window int) int { return min(max(window/budgetShare, leastBudget), mostBudget) }

// Catalogue returns a list of the skills that the model may use, a line for each. If it takes more
// than budget tokens, all descriptions are cut to one common length, but no skill is omitted. cut
// counts the cut descriptions, and whole the tokens of the uncut catalogue.
func (f Listing) Catalogue(budget int, count func(string) int) (text string, cut, whole int) {
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
	// Search the greatest common length that fits.
	length := longest - sort.Search(longest-leastDescription, func(less int) bool { return count(lines(offered, longest-less)) <= budget })
	for _, s := range offered {
		if len([]rune(s.Description)) > length {
			cut++
		}
	}
	return lines(offered, length), cut, whole
}

// lines returns the catalogue with descriptions of at most length characters.
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
