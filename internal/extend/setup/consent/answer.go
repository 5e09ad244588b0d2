package consent

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
)

// Answer keeps a user's answer about the named items or, without names, about all that wait. A yes
// is about the items as they were last shown, and without names about none that were not shown if
// others of the workspace were. It returns lines for the user. It returns an error if a name matches no item, or if
// the answer cannot be kept.
func (t *Trust) Answer(yes bool, names ...string) ([]string, error) {
	chosen, err := t.itemsNamed(names)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return []string{"Nothing needs your approval."}, nil
	}
	var left []string
	var unshown map[itemKey][]string
	if yes && len(names) == 0 {
		chosen, left = t.hideUnshown(chosen)
	}
	if yes {
		chosen, unshown = t.asShown(chosen)
	}
	lines, err := t.answer(yes, chosen, unshown)
	return append(lines, left...), err
}

// AgreeShown keeps a user's yes to exactly these items. It returns a line for each that has changed
// since it was shown, or an error if the answer cannot be kept.
func (t *Trust) AgreeShown(shown []Reviewed) (changed []string, err error) {
	if _, err := t.answer(true, shown, nil); err != nil {
		return nil, err
	}
	for _, r := range shown {
		for _, line := range t.changedSince(r) {
			changed = append(changed, fmt.Sprintf("%s of %s: %s", r, t.short(r.File), line))
		}
	}
	return changed, nil
}

// answer keeps an answer about items, and shows the user the items that have not been shown yet.
func (t *Trust) answer(yes bool, chosen []Reviewed, unshown map[itemKey][]string) ([]string, error) {
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
		for _, line := range unshown[r.key()] {
			lines = append(lines, "    "+line)
		}
		if yes {
			lines = append(lines, t.changedSince(r)...)
		}
	}
	if !t.Store.OutlastsRun() {
		lines = append(lines, "For this run only: approvals for the home folder are not saved.")
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
	t.noteShown([]Reviewed{*now}) // only the lines that differ count as shown
	changes := difference(shown.Content, now.Content)
	return []string{fmt.Sprintf("Not used, because it changed after it was shown (%s). To see it now, run agent trust.", strings.Join(changes, "; "))}
}

// Forget removes every answer about the workspace.
func (t *Trust) Forget() ([]string, error) {
	items := t.present()
	if err := t.Store.Forget(items...); err != nil {
		return nil, err
	}
	t.Answered()
	return []string{"Forgotten: all answers about " + t.Store.Root() + "; " + humanize.Count(len(items), "item") + " of it will be asked about."}, nil
}

// itemsNamed returns the items with these names as they are now, without names the waiting items.
func (t *Trust) itemsNamed(names []string) ([]Reviewed, error) {
	if len(names) == 0 {
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
			t.mu.Lock()
			shown := t.lastShown(r.Item)
			t.mu.Unlock()
			known = append(known, r.Name, r.String())
			if !slices.Contains([]string{r.Name, r.String(), file, file + ": " + r.String()}, name) &&
				!(len(name) >= shortID && (strings.HasPrefix(r.Hash, name) || shown != nil && strings.HasPrefix(shown.Hash, name))) {
				continue
			}
			if meant++; !taken[n] {
				taken[n], chosen = true, append(chosen, r)
			}
		}
		if meant == 0 {
			return nil, fmt.Errorf("no item %q%s (to list the items, run agent trust)", name, suggest.Question(name, known))
		}
	}
	return chosen, nil
}
