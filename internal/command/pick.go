package command

import (
	"slices"
	"strings"
)

// Pick is a list to choose from. A screen shows it in place of Lines; without one,
// Lines say the same.
type Pick struct {
	// Title says in a word or two what is chosen.
	Title string
	// Choices are in the order in which they are shown. Without any, there is no pick.
	Choices []Choice
}

// Choice is one thing of a Pick.
type Choice struct {
	// Name is what is chosen, and Help what there is to say of it on the same line. Both
	// are searched.
	Name, Help string
	// Also returns more text that is searched, for words that neither Name nor Help has;
	// nil for none.
	Also func() string
	// Line is the command line that the choice runs.
	Line string
	// InUse marks what is in force now. It is selected first.
	InUse bool
	// Preview returns what a choice looks like, for the pane beside the list; nil shows
	// none. It is called when the choice is selected, beside everything else, once.
	Preview func() string
}

// Matches returns the indexes of the choices that hold every word of a query, in
// their own order: those that hold all of them in their name come first.
func (p *Pick) Matches(query string) []int {
	wanted := strings.Fields(strings.ToLower(query))
	var named, described, within []int
	for i, c := range p.Choices {
		switch name := strings.ToLower(c.Name); {
		case holdsAll(name, wanted):
			named = append(named, i)
		case holdsAll(name+" "+strings.ToLower(c.Help), wanted):
			described = append(described, i)
		case c.Also != nil && holdsAll(strings.ToLower(name+" "+c.Help+" "+c.Also()), wanted):
			within = append(within, i)
		}
	}
	return slices.Concat(named, described, within)
}

func holdsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// pickOf makes a pick of proposals: each runs the command line with its value.
func pickOf(title, line string, proposals []Completion, inUse string) *Pick {
	p := &Pick{Title: title}
	for _, proposal := range proposals {
		p.Choices = append(p.Choices, Choice{
			Name: proposal.Value, Help: proposal.Help, Line: line + " " + quoteWord(proposal.Value), InUse: proposal.Value == inUse,
		})
	}
	return p
}
