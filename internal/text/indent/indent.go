// Package indent corrects the indentation of new lines. A model may quote lines of a file with
// other blanks than the file has. The difference between quote and file then determines how to
// indent the lines that replace them. If it does not, Shift returns an error instead of guessing.
package indent

import (
	"errors"
	"slices"
	"strings"
)

// ErrAmbiguous is returned if the quoted lines do not determine how to shift the new lines.
var ErrAmbiguous = errors.New("can't infer the indentation of the new lines from the quoted lines")

// Split splits a line into its indentation and the rest.
func Split(line string) (indentation, rest string) {
	rest = strings.TrimLeft(line, " \t")
	return line[:len(line)-len(rest)], rest
}

// Shift returns lines with the indentation of the file. quoted and actual are the same lines in the
// quote and in the file, apart from blanks. A line with the indentation of a quoted line gets the
// indentation of the corresponding actual line. For any other line, all quoted lines must agree on
// one step. A step adds or removes a prefix, or replaces the unit of indentation and adds a
// constant depth. If the quoted lines do not agree, the error is ErrAmbiguous.
func Shift(quoted, actual, lines []string) ([]string, error) {
	known := map[string]string{}
	var from, to []string
	for i, line := range quoted {
		indentation, rest := Split(line)
		if strings.TrimSpace(rest) == "" {
			continue // an empty line has no indentation
		}
		there, _ := Split(actual[i])
		if was, ok := known[indentation]; ok && was != there {
			return nil, ErrAmbiguous
		}
		known[indentation] = there
		from, to = append(from, indentation), append(to, there)
	}
	var others []string
	for _, line := range lines {
		indentation, rest := Split(line)
		if _, ok := known[indentation]; rest != "" && !ok {
			others = append(others, indentation)
		}
	}
	if len(others) > 0 {
		shifted, ok := findStep(from, to, others)
		if !ok {
			return nil, ErrAmbiguous
		}
		for i, other := range others {
			known[other] = shifted[i]
		}
	}
	shifted := make([]string, len(lines))
	for i, line := range lines {
		if indentation, rest := Split(line); rest != "" {
			line = known[indentation] + rest
		}
		shifted[i] = line
	}
	return shifted, nil
}

// A step converts an indentation. ok is false if the step does not apply to it.
type step func(from string) (to string, ok bool)

// all converts every indentation.
func (s step) all(from []string) ([]string, bool) {
	to := make([]string, len(from))
	for i := range from {
		var ok bool
		if to[i], ok = s(from[i]); !ok {
			return nil, false
		}
	}
	return to, true
}

// findStep finds the step that converts all of from to to, and applies it to others. If there are
// several such steps, their results for others must be equal.
func findStep(from, to, others []string) (shifted []string, ok bool) {
	if len(from) == 0 {
		return nil, false
	}
	for _, steps := range [][]step{prefixes(from[0], to[0]), units(0), unitsAtOtherDepths()} {
		for _, s := range steps {
			if there, holds := s.all(from); !holds || !slices.Equal(there, to) {
				continue
			}
			made, applies := s.all(others)
			if applies && shifted != nil && !slices.Equal(made, shifted) {
				return nil, false
			}
			if applies {
				shifted = made
			}
		}
		if shifted != nil {
			return shifted, true
		}
	}
	return nil, false
}

// prefixes returns the steps that add or remove the prefix in which two indentations differ.
func prefixes(from, to string) (steps []step) {
	if prefix, ok := strings.CutSuffix(to, from); ok {
		steps = append(steps, func(from string) (string, bool) { return prefix + from, true })
	}
	if prefix, ok := strings.CutSuffix(from, to); ok && prefix != "" {
		steps = append(steps, func(from string) (string, bool) { return strings.CutPrefix(from, prefix) })
	}
	return steps
}

// The limits of the search: the widest unit of indentation in blanks, and the greatest difference
// of depth in levels.
const (
	widest  = 8
	deepest = 16
)

// units returns the steps that replace one unit of indentation by another and add deeper levels.
func units(deeper int) (steps []step) {
	all := []string{"\t"}
	for n := 1; n <= widest; n++ {
		all = append(all, strings.Repeat(" ", n))
	}
	for _, unit := range all {
		for _, other := range all {
			steps = append(steps, func(from string) (string, bool) {
				depth := len(from)/len(unit) + deeper
				if len(from)%len(unit) != 0 || strings.Trim(from, unit[:1]) != "" || depth < 0 {
					return "", false
				}
				return strings.Repeat(other, depth), true
			})
		}
	}
	return steps
}

func unitsAtOtherDepths() (steps []step) {
	for deeper := 1; deeper <= deepest; deeper++ {
		steps = append(append(steps, units(deeper)...), units(-deeper)...)
	}
	return steps
}
