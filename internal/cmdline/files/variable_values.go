package files

import (
	"maps"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// A choice holds one value for each variable of a word. It implements [expand.WriteEnviron].
type choice struct {
	values map[string]string
	// number is the index of the choice among all choices of a word.
	number int
}

// Get implements [expand.Environ].
func (c choice) Get(name string) expand.Variable {
	switch name { // ~+ and ~-
	case "HOME +":
		name = "PWD"
	case "HOME -":
		name = "OLDPWD"
	case "IFS", "LINENO":
		return expand.Variable{}
	}
	value, known := c.values[name]
	if !known && (strings.HasPrefix(name, "HOME ") || name == "#" || name == "?" || name == "$" || name == "!") {
		return expand.Variable{Set: true, Kind: expand.String, Str: "0"}
	}
	return expand.Variable{Set: known, Kind: expand.String, Str: value}
}

// Each implements [expand.Environ].
func (c choice) Each(func(string, expand.Variable) bool) {}

// Set implements [expand.WriteEnviron]. It does nothing, because the reader stores the values
// itself.
func (c choice) Set(string, expand.Variable) error { return nil }

// choices returns all combinations of values for the variables in a word.
func (r *reader) choices(word *syntax.Word) []choice {
	names := []string{"PWD", "HOME"} // patterns are looked up in PWD
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.ParamExp:
			if node.Param != nil {
				names = append(names, node.Param.Value)
			}
		case *syntax.Lit:
			if strings.HasPrefix(node.Value, "~-") {
				names = append(names, "OLDPWD")
			}
		}
		return true
	})
	all := []choice{{values: map[string]string{}}}
	for _, name := range names {
		values := r.values[name]
		if _, chosen := all[0].values[name]; chosen || len(values) == 0 {
			continue
		}
		var more []choice
		for _, c := range all {
			for _, value := range values {
				with := map[string]string{name: value}
				maps.Copy(with, c.values)
				more = append(more, choice{values: with, number: len(more)})
			}
			if r.own[name] && r.Values[name] == nil { // the command that sets the value may not run
				more = append(more, choice{values: c.values, number: len(more)})
			}
		}
		if all = more; len(all) > maxChoices {
			r.sure = false
			return all[:maxChoices]
		}
	}
	return all
}

// maxChoices limits the combinations of values that are tried for a word.
const maxChoices = 1000

// braces returns the number of words that the braces of a word expand to.
func braces(word *syntax.Word) int {
	if !strings.Contains(literal(word), "{") {
		return 1
	}
	count := 1
	split := &syntax.Word{Parts: append([]syntax.WordPart{}, word.Parts...)}
	syntax.SplitBraces(split)
	for _, part := range split.Parts {
		if b, ok := part.(*syntax.BraceExp); ok {
			if count *= bracesIn(b); count > maxValues {
				return count
			}
		}
	}
	return count
}

// bracesIn returns the number of words that one pair of braces expands to.
func bracesIn(b *syntax.BraceExp) int {
	if b.Sequence {
		return sequence(b)
	}
	count := 0
	for _, e := range b.Elems {
		inner := 1
		for _, part := range e.Parts {
			if b, ok := part.(*syntax.BraceExp); ok {
				inner *= bracesIn(b)
			}
			if inner > maxValues {
				return inner
			}
		}
		if count += inner; count > maxValues {
			return count
		}
	}
	return count
}

// sequence returns the largest possible number of words of {x..y}.
func sequence(b *syntax.BraceExp) int {
	var ends [2]int
	for n := range ends {
		text := b.Elems[n].Lit()
		number, err := strconv.Atoi(text)
		switch {
		case err == nil && number > -1<<30 && number < 1<<30:
			ends[n] = number
		case len(text) == 1:
			ends[n] = int(text[0])
		default:
			return maxValues + 1
		}
	}
	return max(ends[0]-ends[1], ends[1]-ends[0]) + 1
}

func literal(word *syntax.Word) string {
	var b strings.Builder
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}
