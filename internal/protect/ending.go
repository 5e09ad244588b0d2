package protect

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// entry is a name of the lists: its last component, and what is above that, folded.
type entry struct {
	group
	name, above, last string
	// place orders the entries as the lists do.
	place int
	// secret says that it is of the list of what holds keys, builder that building writes it.
	secret, builder bool
}

// entries are the names of the lists by their last part, or apart when that is a
// pattern: for many paths, most of which are none of them.
type entries struct {
	exact    map[string][]entry
	patterns []entry
}

var listed = sync.OnceValue(func() entries {
	all := entries{exact: map[string][]entry{}}
	place := 0
	add := func(names []string, e entry) {
		for _, name := range names {
			place++
			e.name, e.place, e.last = name, place, path.Base(fold(name))
			e.above = strings.TrimSuffix(strings.TrimSuffix(fold(name), e.last), "/")
			if strings.Contains(e.last, "*") {
				all.patterns = append(all.patterns, e)
			} else {
				all.exact[e.last] = append(all.exact[e.last], e)
			}
		}
	}
	for _, g := range runLater {
		add(g.names, entry{group: g})
		add(g.builders, entry{group: g, builder: true})
	}
	for _, g := range secretNames {
		add(g.names, entry{group: g, secret: true})
	}
	return all
})

// endingAt are the entries by which a folded path is protected whose last component ends
// at a place of it.
func (all entries) endingAt(path string, end int) (found []entry) {
	begin := strings.LastIndexByte(path[:end], '/') + 1
	above, last := path[:max(begin-1, 0)], path[begin:end]
	add := func(e entry) {
		if e.above == "" || above == e.above || strings.HasSuffix(above, "/"+e.above) {
			found = append(found, e)
		}
	}
	for _, e := range all.exact[last] {
		add(e)
	}
	for _, e := range all.patterns {
		if matches(e.last, last) {
			add(e)
		}
	}
	return found
}

// Ends says what a file or folder is by the end of its path: whether other programs
// run or obey it later, so that no command changes it, and whether it holds keys.
// What it would be by a folder further up is not asked.
func Ends(rel string) (runsLater, holdsKeys bool) {
	folded := strings.TrimSuffix(fold(rel), "/") // as a shell's message has it
	for _, e := range listed().endingAt(folded, len(folded)) {
		switch {
		case e.secret:
			holdsKeys = !isPublic(path.Base(folded))
		case !e.builder:
			runsLater = true
		}
	}
	return runsLater, holdsKeys
}

// within is the first name of one of the lists that a path has among its components.
func within(rel string, secret bool) (first entry, ok bool) {
	folded := fold(rel)
	for end := range len(folded) + 1 {
		if end < len(folded) && folded[end] != '/' {
			continue
		}
		for _, e := range listed().endingAt(folded, end) {
			if e.secret == secret && (!ok || e.place < first.place) {
				first, ok = e, true
			}
		}
	}
	return first, ok
}

// Built reports whether a folder of this name is one that package managers fill.
func Built(name string) bool {
	return slices.ContainsFunc(runLater, func(g group) bool { return slices.Contains(g.builders, fold(name)) })
}
