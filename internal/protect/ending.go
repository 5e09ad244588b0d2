package protect

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// entry is one protected name, split for comparison: its last component and the folders above it,
// both folded.
type entry struct {
	group
	name, above, last string
	// place is the position in the lists; if several entries match, the first one counts.
	place int
	// secret is set for a name from secretNames.
	secret bool
	// builder is set for a name that builds write, see group.builders.
	builder bool
}

// entries finds protected names by the last component of a path. Most paths match none of them,
// so exact names are kept in a map and only patterns are tried one by one.
type entries struct {
	exact    map[string][]entry
	patterns []entry
}

// listed returns the entries of all lists.
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

// endingAt returns the entries that match a folded path up to end, where one of its components
// ends.
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

// ByName reports how a file or folder is protected by the last components of its path: runsLater
// means that other programs run or obey it later, so that no command may change it, and holdsKeys
// that it may hold keys. Protected folders further up do not count.
func ByName(rel string) (runsLater, holdsKeys bool) {
	folded := strings.TrimSuffix(fold(rel), "/") // shells name folders with a slash at the end
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

// entryIn returns the first entry of one list that matches any part of a path: of secretNames if
// secret is set, else of runLater.
func entryIn(rel string, secret bool) (first entry, ok bool) {
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

// IsBuildFolder reports whether package managers fill folders of this name.
func IsBuildFolder(name string) bool {
	return slices.ContainsFunc(runLater, func(g group) bool { return slices.Contains(g.builders, fold(name)) })
}
