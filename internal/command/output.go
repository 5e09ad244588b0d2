package command

import (
	"slices"
	"strings"
)

// plainBarWidth is the width of a bar without a screen, in characters.
const plainBarWidth = 60

// PlainLines returns the output as lines of text, for use without a screen.
func (o Output) PlainLines() []string {
	var lines []string
	if o.Bar != nil {
		lines = append(lines, o.Bar.Text(plainBarWidth))
	}
	lines = append(lines, o.Lines...)
	for _, text := range []string{o.Answer, o.Diff, o.Copy} {
		if text != "" {
			lines = append(lines, strings.TrimRight(text, "\n"))
		}
	}
	return lines
}

// IsCommand reports whether a line is a slash command: a slash, a name and arguments. A line that begins
// with a path (/etc/hosts …) is not a command.
func IsCommand(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return word != "/" && IsCommandWord(word)
}

// IsCommandWord reports whether a word is the name of a command or its beginning. That is a slash, and then
// only letters, digits and the characters - _ : and ?.
func IsCommandWord(word string) bool {
	name, slash := strings.CutPrefix(word, "/")
	return slash && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_:?", r)
	}) < 0
}

// A Bar shows how much of the context window each kind of content fills.
type Bar struct {
	Segments []BarSegment
	// Mark is the compression threshold in tokens.
	Mark int
}

// A BarSegment is one part of a Bar.
type BarSegment struct {
	Label  string
	Tokens int
	// Free marks the segment of the unused tokens.
	Free bool
	// Letter draws the segment without colors.
	Letter string
}

// Cells distributes width cells among the segments. Each segment that is not empty has at least one cell,
// and the rest is in proportion to tokens. The cells add up to width unless every segment is empty.
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

// MarkCell returns the index of the cell that contains the threshold, or -1 if the threshold is
// outside the bar.
func (b Bar) MarkCell(width int) int {
	cell := b.Mark * width / max(1, b.size())
	if b.Mark <= 0 || cell >= width {
		return -1
	}
	return cell
}

// Text draws the bar with letters, for a terminal without colors and for files.
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

// size returns the sum of all segments, which exceeds Total if the window overflows.
func (b Bar) size() int {
	sum := 0
	for _, s := range b.Segments {
		sum += max(0, s.Tokens)
	}
	return sum
}

// A ChoiceList is a list to choose from. A screen shows it in place of Lines. Without a screen, Lines contain the
// same list.
type ChoiceList struct {
	// Title names the choices in a word or two.
	Title string
	// Query is the initial search text. "" shows all choices.
	Query string
	// Choices holds the choices in the order in which they are shown. A Pick without choices is
	// not shown.
	Choices []Choice
	// Tells is set if the whole Help of the selected choice is shown below the list.
	Tells bool
	// Actions lists the effects of keys other than choosing.
	Actions []ChoiceAction
	// Turns is the name of the property of a choice that ← and → change, or "" if they change nothing.
	Turns string
}

// A ChoiceAction is the effect of a key on the selected choice or on the list.
type ChoiceAction struct {
	// Key is the name of the key, and Name describes its effect in a word or two.
	Key, Name string
	// Asks is a question that the user must confirm before Run, or "" for none. The name of the choice is
	// appended to it.
	Asks string
	// Edits is set if the user edits the name of the choice before the action runs; Run
	// receives the edited text.
	Edits bool
	// Run runs the action concurrently with the screen, and returns the new list.
	Run func(choice Choice, text string) (*ChoiceList, error)
	// Instead returns another choice that replaces the selected one and closes the list. It is nil for an
	// action that Run performs.
	Instead func(Choice) Choice
}

// A Choice is one entry of a Pick.
type Choice struct {
	// Name is the text of the entry, and Help is a remark on the same line. The search covers both.
	Name, Help string
	// Also returns additional text for the search. It may be nil. It is called concurrently with the
	// screen.
	Also func() string
	// Line is the command line that the choice runs.
	Line string
	// Draft is text that the choice inserts into the prompt, like a paste, in place of running Line.
	Draft string
	// Turn returns the choice changed by one step, for ← and →. It is nil if the choice cannot be changed.
	Turn func(by int) Choice
	// InUse marks the current choice, which is selected first.
	InUse bool
	// Faded is set if the choice is shown dimmed.
	Faded bool
	// Preview returns the text for the pane beside the list. If it is nil, there is no preview. It is
	// called once, when the choice is selected, concurrently with the screen.
	Preview func() string
	// Theme names a theme whose sample the pane shows, or "" for none.
	Theme string
}

// SearchTexts returns the additional search text of each choice, for Matches. It returns nil if no choice has
// such text. It may read files.
func (p *ChoiceList) SearchTexts() []string {
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

// Matches returns the indexes of the choices that contain every word of a query. Choices with all words in
// their name come first, then choices with all words in name and help. Choices with some words only in
// their additional text follow. Within each group the choices keep their order. texts is the result of
// Texts, or nil until it is available.
func (p *ChoiceList) Matches(query string, texts []string) []int {
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

// NewChoiceList returns a list of the proposals. Choosing a proposal runs the command line with its value
// appended.
func NewChoiceList(title, line string, proposals []Completion, inUse string) *ChoiceList {
	p := &ChoiceList{Title: title}
	for _, proposal := range proposals {
		p.Choices = append(p.Choices, Choice{
			Name: proposal.Value, Help: proposal.Help, Line: line + " " + Quote(proposal.Value), InUse: proposal.Value == inUse,
		})
	}
	return p
}
