package permissions

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// maxLooked is the greatest number of files and folders that denied compares with patterns.
const maxLooked = 50_000

// UnreadablePaths returns the absolute paths of existing files and folders that rules deny reading.
// A sandbox needs the paths, because it cannot hide patterns. unbound has a line for each rule for
// which the search was incomplete.
func (r Rules) UnreadablePaths() (paths, unbound []string) { return r.denied(reads) }

// UnwritablePaths is like UnreadablePaths, for files and folders that rules deny changing.
func (r Rules) UnwritablePaths() (paths, unbound []string) { return r.denied(edits) }

// AsksToRead reports whether a rule requires approval for reading files.
func (r Rules) AsksToRead() bool {
	return slices.ContainsFunc(r.all, func(rule Rule) bool { return rule.Effect == Ask && rule.about == reads })
}

func (r Rules) denied(about subject) (paths, unbound []string) {
	bases := map[string][]Rule{}
	var order []string
	for _, rule := range r.all {
		if rule.Effect != Deny || rule.about != about {
			continue
		}
		if about == edits && rule.below != "" {
			paths = append(paths, rule.below)
		}
		for _, place := range rule.places {
			if place.literal != "" {
				paths = append(paths, place.literal)
				continue
			}
			if bases[place.base] == nil {
				order = append(order, place.base)
			}
			bases[place.base] = append(bases[place.base], rule)
		}
	}
	looked := 0
	for _, base := range order {
		found, whole := below(base, bases[base], &looked)
		paths = append(paths, found...)
		if !whole {
			for _, rule := range bases[base] {
				unbound = append(unbound, fmt.Sprintf("%s does not protect all files from commands: agent compared only the first %d files below %s. Replace the * with folder names, so that there are fewer files to compare", rule, maxLooked, base))
			}
		}
	}
	return paths, unbound
}

// below returns the files and folders below base that rules match. whole reports whether it
// compared all of them. looked counts the comparisons.
func below(base string, rules []Rule, looked *int) (found []string, whole bool) {
	whole = true
	_ = filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // commands cannot read this file either
		}
		if *looked++; *looked > maxLooked {
			whole = false
			return fs.SkipAll
		}
		for _, rule := range rules {
			if rule.matches(path) {
				if found = append(found, path); entry.IsDir() {
					return fs.SkipDir
				}
				break
			}
		}
		return nil
	})
	return found, whole
}

// Parse parses rules with one effect from the file of a skill. Their paths are relative to root.
func Parse(effect Effect, texts []string, file, root, home string) Rules {
	r := Rules{home: home, problems: map[string][]string{}}
	r.add(effect, texts, file, basesAt(root, home))
	return r
}

// PrependRules puts the rules of above before the rules of r. The result has the offers and sources of r.
func (r Rules) PrependRules(above Rules) Rules {
	r.all, r.Problems = slices.Concat(above.all, r.all), slices.Concat(above.Problems, r.Problems)
	return r
}

// Join combines the rules of a and b.
func Join(a, b Rules) Rules {
	return Rules{all: slices.Concat(a.all, b.all), home: cmp.Or(a.home, b.home), Problems: slices.Concat(a.Problems, b.Problems)}
}
