package consent

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/nearest"
	"agent/internal/words"
)

// Answer keeps a person's answer about the named items. Without names, it is about the waiting
// items as they were last shown, or as they are now if none were shown. It returns lines for the
// person. It returns an error if a name matches no item, or if the answer cannot be kept.
func (t *Trust) Answer(yes bool, names ...string) ([]string, error) {
	chosen, err := t.itemsNamed(names)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return []string{"There is nothing that waits for an answer."}, nil
	}
	keep, did := t.Store.Refuse, "never used"
	if yes {
		keep, did = t.Store.Agree, "agreed"
	}
	if err := keep(t.now(), chosen...); err != nil {
		return nil, err
	}
	t.Answered()
	var lines []string
	for _, r := range chosen {
		lines = append(lines, fmt.Sprintf("%s: %s of %s", did, r, t.short(r.File)))
		if yes {
			lines = append(lines, t.changedSince(r)...)
		}
	}
	if !t.Store.Kept() {
		lines = append(lines, "This holds until the program ends: nothing is kept for the home folder.")
	}
	return lines, nil
}

// changedSince returns a line if an item has changed since it was shown, because the answer does not count
// for the changed item.
func (t *Trust) changedSince(shown Reviewed) []string {
	var now *Reviewed
	for _, i := range t.present() {
		if i.Kind != shown.Kind || i.Name != shown.Name || i.File != shown.File {
			continue
		}
		looked := t.Store.look(i)
		if looked.Hash == shown.Hash {
			return nil
		}
		now = &looked
	}
	if now == nil {
		return nil
	}
	changes := difference(shown.Content, now.Content)
	return []string{fmt.Sprintf("It has changed since it was shown, so it is not used (%s); agent trust shows it as it is now.", strings.Join(changes, "; "))}
}

// Forget removes every answer about the workspace.
func (t *Trust) Forget() ([]string, error) {
	items := t.present()
	if err := t.Store.Forget(items...); err != nil {
		return nil, err
	}
	t.Answered()
	return []string{"Forgotten: all answers about " + t.Store.Root() + "; " + words.Count(len(items), "item") + " of it will be asked about."}, nil
}

// itemsNamed returns the items with these names. Without names it returns the items that were shown, or
// the waiting items if none were shown.
func (t *Trust) itemsNamed(names []string) ([]Reviewed, error) {
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
