package command

import (
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// Complete implements Runner.
func (c *Commands) Complete(line string) (start int, proposals []Completion) {
	if !strings.HasPrefix(line, "/") {
		return len(line), nil
	}
	words, _ := split(line)
	last := words[len(words)-1]
	if len(words) == 1 {
		return 0, c.withMeant(last.text, rank(last.text, c.names(last.text)))
	}
	command, err := c.find(strings.TrimPrefix(words[0].text, "/"))
	if err != nil {
		if found := c.withMeant(line, nil); len(found) > 0 {
			return 0, found
		}
		return last.start, nil
	}
	var args []string
	for _, w := range words[1 : len(words)-1] {
		args = append(args, w.text)
	}
	proposals = rank(last.text, command.complete(args))
	for i := range proposals {
		proposals[i].Value = Quote(proposals[i].Value)
	}
	return last.start, proposals
}

// names proposes the commands. It proposes an alias only if the user has typed its beginning.
func (c *Commands) names(typed string) []Completion {
	var names []Completion
	for _, command := range c.all {
		names = append(names, Completion{Value: "/" + command.Name, Help: command.Help, Loses: command.Loses})
	}
	for _, file := range c.callable() {
		names = append(names, Completion{Value: "/" + file.Name, Help: strings.TrimSpace(file.Hint + "  " + file.Help)})
	}
	for _, command := range c.all {
		for _, alias := range command.Aliases {
			if len(typed) > 1 && hasPrefixFold("/"+alias, typed) {
				names = append(names, Completion{Value: "/" + alias, Help: "same as /" + command.Name, Loses: command.Loses})
			}
		}
	}
	return names
}

// leastMeant is the number of letters from which commands are also found by their meaning.
const leastMeant = 3

// withMeant adds the commands whose names and meanings match most of the typed words. A word occurs in the
// help, or is the name of a command of another program for the same purpose.
func (c *Commands) withMeant(typed string, proposals []Completion) []Completion {
	var meant []Completion
	most := 1
	for _, command := range c.all {
		matching := 0
		for word := range strings.FieldsSeq(strings.ToLower(strings.TrimPrefix(typed, "/"))) {
			if len(word) >= leastMeant && (strings.Contains(command.Name, word) || c.means(command, word)) {
				matching++
			}
		}
		if matching > most {
			most, meant = matching, nil
		}
		value := "/" + command.Name
		if matching == most && !slices.ContainsFunc(proposals, func(p Completion) bool { return p.Value == value }) {
			meant = append(meant, Completion{Value: value, Help: command.Help, Loses: command.Loses})
		}
	}
	return append(proposals, meant...)
}

func (c *Commands) means(command Command, word string) bool {
	for _, told := range strings.Fields(command.Help) {
		if hasPrefixFold(told, word) {
			return true
		}
	}
	for name, answer := range c.elsewhere {
		first, _, _ := strings.Cut(answer, " ")
		if hasPrefixFold(name, word) && strings.TrimSuffix(first, ",") == "/"+command.Name {
			return true
		}
	}
	return false
}

// completions is a list of proposals that fuzzy can search.
type completions []Completion

// String implements fuzzy.Source.
func (c completions) String(i int) string { return c[i].Value }

// Len implements fuzzy.Source.
func (c completions) Len() int { return len(c) }

// rank returns the proposals that match the typed text. Proposals that begin with it come first, in their
// original order. Proposals that contain its letters follow, best match first.
func rank(typed string, all []Completion) []Completion {
	if typed == "" {
		return all
	}
	var ranked, rest []Completion
	for _, candidate := range all {
		if candidate.BeginsWith(typed) {
			ranked = append(ranked, candidate)
		} else {
			rest = append(rest, candidate)
		}
	}
	for _, match := range fuzzy.FindFrom(typed, completions(rest)) {
		ranked = append(ranked, rest[match.Index])
	}
	return ranked
}

// BeginsWith reports whether the value begins with the typed text, in any case. Other proposals are found
// by their letters or their meaning.
func (c Completion) BeginsWith(typed string) bool { return hasPrefixFold(c.Value, typed) }

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
