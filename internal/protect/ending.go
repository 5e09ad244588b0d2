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
	// place is the position in the lists. If several entries match, the first one is used.
	place int
	// secret is set for a name from secretNames.
	secret bool
	// builder is set for a name that build tools write, see group.builders.
	builder bool
}

// entries finds protected names by the last component of a path. Most paths match no name, so exact
// names are stored in a map and only patterns are tried one by one.
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

// endingAt returns the entries that match a folded path up to end, which is the end of a path
// component.
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

// ClassifyByName reports how a file or folder is protected by the last components of its path. runsLater
// means that it is auto-executed or read as configuration later, so that no command may change it.
// holdsKeys means that it may be a secret file. Protected folders above it are ignored.
func ClassifyByName(rel string) (runsLater, holdsKeys bool) {
	folded := strings.TrimSuffix(fold(rel), "/") // shells append a slash to names of folders
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

// entryIn returns the first entry that matches any part of a path. It searches secretNames if
// secret is set, else runLater.
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

// IsBuildFolder reports whether a folder with this name is filled by package managers.
func IsBuildFolder(name string) bool {
	return slices.ContainsFunc(runLater, func(g group) bool { return slices.Contains(g.builders, fold(name)) })
}
