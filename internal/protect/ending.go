package protect

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// ending is a name of the lists, taken apart at its slashes.
type ending struct {
	parts []string
	// runsLater and holds say of which list it is; builders counts as neither.
	runsLater, builders, holds bool
}

// endings are the names of the lists by their last part, or apart when that is a
// pattern: for many paths, most of which are none of them.
type endings struct {
	exact    map[string][]ending
	patterns []ending
}

var listed = sync.OnceValue(func() endings {
	all := endings{exact: map[string][]ending{}}
	add := func(names []string, e ending) {
		for _, name := range names {
			e.parts = strings.Split(fold(name), "/")
			last := e.parts[len(e.parts)-1]
			if strings.Contains(last, "*") {
				all.patterns = append(all.patterns, e)
			} else {
				all.exact[last] = append(all.exact[last], e)
			}
		}
	}
	for _, group := range runLater {
		add(group.names, ending{runsLater: true})
		add(group.builders, ending{builders: true})
	}
	for _, group := range secretNames {
		add(group.names, ending{holds: true})
	}
	return all
})

// Ends says what a file or folder is by the end of its path: whether other programs
// run or obey it later, so that no command changes it, and whether it holds keys.
// What it would be by a folder further up is not asked.
func Ends(rel string) (runsLater, holdsKeys bool) {
	base := fold(path.Base(rel))
	all := listed()
	candidates := all.exact[base]
	for _, e := range all.patterns {
		if matches(e.parts[len(e.parts)-1], base) {
			candidates = append(candidates[:len(candidates):len(candidates)], e)
		}
	}
	if len(candidates) == 0 {
		return false, false
	}
	parts := strings.Split(fold(rel), "/")
	for _, e := range candidates {
		above := len(parts) - len(e.parts)
		if above < 0 || !slices.Equal(parts[above:len(parts)-1], e.parts[:len(e.parts)-1]) {
			continue
		}
		runsLater = runsLater || e.runsLater
		holdsKeys = holdsKeys || e.holds && !isPublic(base)
	}
	return runsLater, holdsKeys
}

// mayHoldKeys reports whether one of the names of files with keys ends at a component of
// a path. A search asks for every file of the workspace, and of most it is none.
func mayHoldKeys(rel string) bool { return endsWithin(rel, func(e ending) bool { return e.holds }) }

// mayRunLater is mayHoldKeys for the names of what runs later. It is asked for every word of
// a command line, of which a here-document has many.
func mayRunLater(rel string) bool {
	return endsWithin(rel, func(e ending) bool { return e.runsLater || e.builders })
}

func endsWithin(rel string, is func(ending) bool) bool {
	all := listed()
	for part := range strings.SplitSeq(fold(rel), "/") {
		if slices.ContainsFunc(all.exact[part], is) {
			return true
		}
		for _, e := range all.patterns {
			if is(e) && matches(e.parts[len(e.parts)-1], part) {
				return true
			}
		}
	}
	return false
}

// Built reports whether a folder of this name is one that package managers fill.
func Built(name string) bool {
	return slices.ContainsFunc(runLater, func(g group) bool { return slices.Contains(g.builders, fold(name)) })
}
