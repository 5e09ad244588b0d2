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
	// Actions are what keys do besides choosing.
	Actions []PickAction
	// Turns says in a word what ← and → change of a choice, "" where none of them turns.
	Turns string
}

// PickAction is what a key of a list does with the selected choice, or with the list.
type PickAction struct {
	// Key is the name of the key, and Name what it does, in a word or two.
	Key, Name string
	// Asks is the question whose yes lets it run, "" for none. It ends in the name of the
	// choice.
	Asks string
	// Edits has a person edit the name of the choice before; Run gets what it became.
	Edits bool
	// Run does it beside everything else, and returns the list as it is then.
	Run func(choice Choice, text string) (*Pick, error)
}

// Choice is one thing of a Pick.
type Choice struct {
	// Name is what is chosen, and Help what there is to say of it on the same line. Both
	// are searched.
	Name, Help string
	// Also returns more text that is searched, for words that neither Name nor Help has;
	// nil for none. It is called beside everything else.
	Also func() string
	// Line is the command line that the choice runs.
	Line string
	// Turn returns the choice as it is one step further, for ← and →; nil for none.
	Turn func(by int) Choice
	// InUse marks what is in force now. It is selected first.
	InUse bool
	// Preview returns what a choice looks like, for the pane beside the list; nil shows
	// none. It is called when the choice is selected, beside everything else, once.
	Preview func() string
	// Theme names a theme, of which the pane shows a sample; "" for none.
	Theme string
}

// Texts returns what Also of each choice returns, as Matches wants it; nil when no choice
// has any. It may read files.
func (p *Pick) Texts() []string {
	if !slices.ContainsFunc(p.Choices, func(c Choice) bool { return c.Also != nil }) {
		return nil
	}
	texts := make([]string, len(p.Choices))
	for i, c := range p.Choices {
		if c.Also != nil {
			texts[i] = strings.ToLower(c.Also())
		}
	}
	return texts
}

// Matches returns the indexes of the choices that hold every word of a query, in
// their own order: those that hold all of them in their name come first. Texts are what
// Texts returned, nil as long as it has not.
func (p *Pick) Matches(query string, texts []string) []int {
	wanted := strings.Fields(strings.ToLower(query))
	var named, described, within []int
	for i, c := range p.Choices {
		name := strings.ToLower(c.Name)
		all := name + " " + strings.ToLower(c.Help)
		switch {
		case holdsAll(name, wanted):
			named = append(named, i)
		case holdsAll(all, wanted):
			described = append(described, i)
		case texts != nil && holdsAll(all+" "+texts[i], wanted):
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

// PickOf makes a pick of proposals: each runs the command line with its value.
func PickOf(title, line string, proposals []Completion, inUse string) *Pick {
	p := &Pick{Title: title}
	for _, proposal := range proposals {
		p.Choices = append(p.Choices, Choice{
			Name: proposal.Value, Help: proposal.Help, Line: line + " " + Quote(proposal.Value), InUse: proposal.Value == inUse,
		})
	}
	return p
}
