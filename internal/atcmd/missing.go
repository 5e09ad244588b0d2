package atcmd

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// MissingError says which @paths of a message name nothing. The message is not
// to be sent.
type MissingError struct{ Missing []Missing }

// Missing is one path that names nothing.
type Missing struct {
	Path string
	// Nearest are the paths the user may have meant, best first; at most three.
	Nearest []string
}

func (e *MissingError) Error() string {
	var b strings.Builder
	b.WriteString("not sent, because there is ")
	for i, m := range e.Missing {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString("no file @" + m.Path)
		if len(m.Nearest) > 0 {
			b.WriteString(" (did you mean " + strings.Join(m.Nearest, " or ") + "?)")
		}
	}
	return b.String() + `; write \@ for an @ that is not a file`
}

// missed collects the path-like words that name nothing.
func (e *expander) missed(m mention) {
	for _, known := range e.missing {
		if known.Path == m.path {
			return
		}
	}
	e.missing = append(e.missing, Missing{m.path, nearest(m.path, e.workspace.all())})
}

// nearest returns up to three of files whose names are most like name.
func nearest(name string, files []string) []string {
	const most = 3
	type scored struct {
		file  string
		score int
	}
	name = strings.ToLower(path.Clean(name))
	var near []scored
	for _, file := range files {
		if score, ok := likeness(name, strings.ToLower(file)); ok {
			near = append(near, scored{file, score})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	var best []string
	for _, s := range near[:min(most, len(near))] {
		best = append(best, s.file)
	}
	return best
}

// likeness scores how far file is from name, 0 being equal, and whether it is
// near at all: the same base name elsewhere, a base name that contains the
// other, or one with few letters changed.
func likeness(name, file string) (score int, near bool) {
	base, wanted := path.Base(file), path.Base(name)
	elsewhere := 0
	if path.Dir(file) != path.Dir(name) {
		elsewhere = 1
	}
	slack := max(1, len(wanted)/3)
	if gap := len(base) - len(wanted); gap > slack || gap < -slack {
		return 10 + elsewhere, len(wanted) > 2 && strings.Contains(base, wanted)
	}
	changed := distance(base, wanted)
	return 2*changed + elsewhere, changed <= slack
}

// distance counts the letters to insert, delete, change or swap with their
// neighbour to turn a into b.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before := make([]int, len(to)+1)
	row := make([]int, len(to)+1)
	next := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		next[0] = i + 1
		for j := range to {
			change := row[j]
			if from[i] != to[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(to)]
}
