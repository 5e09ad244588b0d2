package consent

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/nearest"
	"agent/internal/words"
)

// Answer keeps a person's answer about named items or, without names, about those that wait: as
// they were last shown, else as they are now. It returns a line for each item. It returns an
// error if there is no such item, or if the answer cannot be kept.
func (t *Trust) Answer(yes bool, names ...string) ([]string, error) {
	chosen, err := t.chosen(names)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return []string{"There is nothing that waits for an answer."}, nil
	}
	keep, did := t.Refuse, "never used"
	if yes {
		keep, did = t.Agree, "agreed"
	}
	if err := keep(t.now(), chosen...); err != nil {
		return nil, err
	}
	t.Answered()
	var lines []string
	for _, r := range chosen {
		lines = append(lines, fmt.Sprintf("%s: %s of %s", did, r, t.short(r.File)))
	}
	if !t.Kept() {
		lines = append(lines, "This holds until the program ends: nothing is kept for the home folder.")
	}
	return lines, nil
}

// Forget forgets every answer about the workspace.
func (t *Trust) Forget() ([]string, error) {
	if err := t.Store.Forget(t.items...); err != nil {
		return nil, err
	}
	t.Answered()
	return []string{"Forgotten: all answers about " + t.Root() + "; " + words.Count(len(t.items), "item") + " of it will be asked about."}, nil
}

// chosen returns the items that names mean.
func (t *Trust) chosen(names []string) ([]Reviewed, error) {
	if len(names) == 0 {
		t.mu.Lock()
		shown := t.shown
		t.shown = nil
		t.mu.Unlock()
		if len(shown) > 0 {
			return shown, nil
		}
		return t.waiting()
	}
	all, err := t.Review()
	if err != nil {
		return nil, err
	}
	var chosen []Reviewed
	taken := map[int]bool{}
	for _, name := range names {
		meant := 0
		var known []string
		for n, r := range all {
			file := t.short(r.File)
			known = append(known, r.Name, r.String())
			if !slices.Contains([]string{r.Name, r.String(), file, file + ": " + r.String()}, name) && !(len(name) >= shortID && strings.HasPrefix(r.Hash, name)) {
				continue
			}
			if meant++; !taken[n] {
				taken[n], chosen = true, append(chosen, r)
			}
		}
		if meant == 0 {
			return nil, fmt.Errorf("there is no item %q%s; agent trust lists them", name, nearest.Question(name, known))
		}
	}
	return chosen, nil
}
