package command

import (
	"slices"
	"strings"
)

// plainBarWidth is the width of a bar without a screen, in characters.
const plainBarWidth = 60

// Plain is the output as lines of text, for where there is no screen.
func (o Output) Plain() []string {
	var lines []string
	if o.Bar != nil {
		lines = append(lines, o.Bar.Text(plainBarWidth))
	}
	lines = append(lines, o.Lines...)
	for _, text := range []string{o.Diff, o.Copy} {
		if text != "" {
			lines = append(lines, strings.TrimRight(text, "\n"))
		}
	}
	return lines
}

// IsCommand reports whether a line is meant as a slash command: a slash, a name and
// arguments. A line that begins with a path (/etc/hosts …) is not.
func IsCommand(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return word != "/" && IsCommandWord(word)
}

// IsCommandWord reports whether a word is, or begins to be, the name of a command:
// a slash, and then nothing but letters, digits, - _ : and ?.
func IsCommandWord(word string) bool {
	name, slash := strings.CutPrefix(word, "/")
	return slash && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_:?", r)
	}) < 0
}

// Bar is the context window by kind.
type Bar struct {
	Segments []Segment
	// Total is the size of the window in tokens, Mark the compression threshold.
	Total, Mark int
}

// Segment is one part of a Bar.
type Segment struct {
	Label  string
	Tokens int
	// Free marks the unused rest.
	Free bool
	// Letter represents the segment where there are no colours.
	Letter string
}

// Cells shares width cells out among the segments, one for each that is not
// empty and the rest in proportion to tokens. They add up to width unless every
// segment is empty.
func (b Bar) Cells(width int) []int {
	cells := make([]int, len(b.Segments))
	filled, rest := 0, width
	for i, s := range b.Segments {
		if s.Tokens > 0 && rest > 0 {
			cells[i]++
			rest--
		}
	}
	// Rounding the running sum instead of the parts keeps the sum exact.
	sum, total := 0, b.size()
	for i, s := range b.Segments {
		if s.Tokens > 0 {
			sum += s.Tokens
			end := (sum*rest + total/2) / total
			cells[i] += end - filled
			filled = end
		}
	}
	return cells
}

// MarkCell returns the cell in which the threshold lies, from 0, or -1 when it is
// outside the bar.
func (b Bar) MarkCell(width int) int {
	cell := b.Mark * width / max(1, b.size())
	if b.Mark <= 0 || cell >= width {
		return -1
	}
	return cell
}

// Text draws the bar with letters, for a terminal without colours and for files.
func (b Bar) Text(width int) string {
	var drawn strings.Builder
	for i, n := range b.Cells(width) {
		drawn.WriteString(strings.Repeat(b.Segments[i].Letter, n))
	}
	text := drawn.String()
	if mark := b.MarkCell(width); mark >= 0 && mark < len(text) {
		text = text[:mark] + "|" + text[mark+1:]
	}
	return "[" + text + "]"
}

// size is the sum of all segments; it exceeds Total when the window overflows.
func (b Bar) size() int {
	sum := 0
	for _, s := range b.Segments {
		sum += max(0, s.Tokens)
	}
	return sum
}

// Pick is a list to choose from. A screen shows it in place of Lines; without one,
// Lines say the same.
type Pick struct {
	// Title says in a word or two what is chosen.
	Title string
	// Query is searched for until a person types something else; "" shows all choices.
	Query string
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
	// Name is what is chosen, and Help is a remark about it on the same line. Both
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
	// Faded has the choice shown less clearly than others.
	Faded bool
	// Preview returns what a choice looks like, for the pane beside the list; nil shows
	// none. It is called when the choice is selected, beside everything else, once.
	Preview func() string
	// Theme names a theme that the pane shows a sample of; "" for none.
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
