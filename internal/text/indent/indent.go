// Package indent carries the indentation of quoted lines over to that of a file: where a
// model quotes lines of which only the blanks are not the file's, what it writes in their
// place is shifted as they are. Nothing is guessed: what the quoted lines do not say is
// refused.
package indent

import (
	"errors"
	"slices"
	"strings"
)

// ErrUnclear is why new lines are not shifted: the quoted ones do not say how.
var ErrUnclear = errors.New("the indentation of the quoted lines does not say what that of the new lines would be in the file")

// Of is what a line begins with, and the rest of it.
func Of(line string) (indentation, rest string) {
	rest = strings.TrimLeft(line, " \t")
	return line[:len(line)-len(rest)], rest
}

// Shift returns lines as they are to be in a file, in which the quoted lines are as the
// actual ones say: those are the same but for blanks at their ends. A line with an
// indentation that a quoted one has gets the file's. Any other needs one step that holds
// for all quoted lines: one prefix that is added or removed, or one unit for another at a
// constant difference of depth.
func Shift(quoted, actual, lines []string) ([]string, error) {
	known := map[string]string{}
	var from, to []string
	for i, line := range quoted {
		indentation, rest := Of(line)
		if strings.TrimSpace(rest) == "" {
			continue // an empty line has no indentation
		}
		there, _ := Of(actual[i])
		if was, ok := known[indentation]; ok && was != there {
			return nil, ErrUnclear
		}
		known[indentation] = there
		from, to = append(from, indentation), append(to, there)
	}
	var others []string
	for _, line := range lines {
		indentation, rest := Of(line)
		if _, ok := known[indentation]; rest != "" && !ok {
			others = append(others, indentation)
		}
	}
	if len(others) > 0 {
		shifted, ok := stepped(from, to, others)
		if !ok {
			return nil, ErrUnclear
		}
		for i, other := range others {
			known[other] = shifted[i]
		}
	}
	shifted := make([]string, len(lines))
	for i, line := range lines {
		if indentation, rest := Of(line); rest != "" {
			line = known[indentation] + rest
		}
		shifted[i] = line
	}
	return shifted, nil
}

// step turns an indentation into another; it is false where it does not apply.
type step func(from string) (to string, ok bool)

// all turns every indentation into another.
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

// stepped turns others into what the step that leads from some indentations to others makes
// of them. Where several steps do, all must lead to the same.
func stepped(from, to, others []string) (shifted []string, ok bool) {
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

// prefixes are the steps that add or remove the prefix by which two indentations differ.
func prefixes(from, to string) (steps []step) {
	if prefix, ok := strings.CutSuffix(to, from); ok {
		steps = append(steps, func(from string) (string, bool) { return prefix + from, true })
	}
	if prefix, ok := strings.CutSuffix(from, to); ok && prefix != "" {
		steps = append(steps, func(from string) (string, bool) { return strings.CutPrefix(from, prefix) })
	}
	return steps
}

// The most blanks of a unit, and levels by which depths differ.
const (
	widest  = 8
	deepest = 16
)

// units are the steps from one unit of indentation to another, so many levels deeper.
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
