// Package indent carries the indentation of quoted lines over to that of a file: where a
// model quotes lines of which only the blanks are not the file's, what it writes in their
// place is shifted as they are. Nothing is guessed: what the quoted lines do not say is
// refused.
package indent

import (
	"errors"
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
	var pairs []pair
	for i, line := range quoted {
		from, rest := Of(line)
		if strings.TrimSpace(rest) == "" {
			continue // an empty line has no indentation
		}
		to, _ := Of(actual[i])
		if was, ok := known[from]; ok && was != to {
			return nil, ErrUnclear
		} else if !ok {
			known[from] = to
			pairs = append(pairs, pair{from, to})
		}
	}
	shifted := make([]string, len(lines))
	var others []string
	for _, line := range lines {
		if from, rest := Of(line); rest != "" && !has(known, from) {
			others = append(others, from)
		}
	}
	step, ok := stepOf(pairs, others)
	if !ok && len(others) > 0 {
		return nil, ErrUnclear
	}
	for i, line := range lines {
		from, rest := Of(line)
		to, ok := known[from]
		switch {
		case rest == "":
			shifted[i] = line
			continue
		case !ok:
			to, _ = step(from)
		}
		shifted[i] = to + rest
	}
	return shifted, nil
}

func has(known map[string]string, from string) bool {
	_, ok := known[from]
	return ok
}

// pair is the indentation of a quoted line, and that of the line in the file.
type pair struct{ from, to string }

// step turns an indentation into another; it is false where it does not apply.
type step func(from string) (to string, ok bool)

// stepOf finds the step that holds for all pairs and applies to all others. Where several
// do, all must lead to the same.
func stepOf(pairs []pair, others []string) (step, bool) {
	if len(pairs) == 0 {
		return nil, false
	}
	for _, steps := range [][]step{prefixes(pairs[0]), units(pairs, 0), unitsAtOtherDepths(pairs)} {
		var found step
		for _, s := range steps {
			if !holds(s, pairs, others) {
				continue
			}
			if found != nil && !agree(found, s, others) {
				return nil, false
			}
			found = s
		}
		if found != nil {
			return found, true
		}
	}
	return nil, false
}

func holds(s step, pairs []pair, others []string) bool {
	for _, p := range pairs {
		if to, ok := s(p.from); !ok || to != p.to {
			return false
		}
	}
	for _, from := range others {
		if _, ok := s(from); !ok {
			return false
		}
	}
	return true
}

func agree(a, b step, others []string) bool {
	for _, from := range others {
		one, _ := a(from)
		if other, _ := b(from); one != other {
			return false
		}
	}
	return true
}

// prefixes are the steps that add or remove the prefix by which a pair differs.
func prefixes(p pair) (steps []step) {
	if prefix, ok := strings.CutSuffix(p.to, p.from); ok {
		steps = append(steps, func(from string) (string, bool) { return prefix + from, true })
	}
	if prefix, ok := strings.CutSuffix(p.from, p.to); ok && prefix != "" {
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
func units(pairs []pair, deeper int) (steps []step) {
	all := []string{"\t"}
	for n := 1; n <= widest; n++ {
		all = append(all, strings.Repeat(" ", n))
	}
	for _, from := range all {
		for _, to := range all {
			s := unitStep(from, to, deeper)
			if holds(s, pairs, nil) {
				steps = append(steps, s)
			}
		}
	}
	return steps
}

func unitsAtOtherDepths(pairs []pair) (steps []step) {
	for deeper := 1; deeper <= deepest; deeper++ {
		steps = append(append(steps, units(pairs, deeper)...), units(pairs, -deeper)...)
	}
	return steps
}

func unitStep(unit, other string, deeper int) step {
	return func(from string) (string, bool) {
		depth := len(from)/len(unit) + deeper
		if len(from)%len(unit) != 0 || strings.Trim(from, unit[:1]) != "" || depth < 0 {
			return "", false
		}
		return strings.Repeat(other, depth), true
	}
}
