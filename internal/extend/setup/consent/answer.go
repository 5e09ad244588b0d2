package consent

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
)

// Answer stores the user's answer about the named items. Without names, it applies to all waiting
// items. An approval applies to the items in the form in which they were last shown. Without names,
// it omits items that were never shown, if other items of the workspace were. Answer returns lines
// for the user. It returns an error if a name matches no item, or if the answer cannot be stored.
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

// ApproveShown stores the user's approval of exactly these items. It returns a line for each item
// that has changed since it was shown, and an error if the answer cannot be stored.
func (t *Trust) ApproveShown(shown []ReviewedItem) (changed []string, err error) {
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

// answer stores an answer about items. Its lines describe the items that have not been shown yet.
func (t *Trust) answer(yes bool, chosen []ReviewedItem, unshown map[itemKey][]string) ([]string, error) {
	keep, did := t.Store.Refuse, "never used"
	if yes {
		keep, did = t.Store.Approve, "agreed"
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
	if !t.Store.IsPersistent() {
		lines = append(lines, "For this run only: approvals for the home folder are not saved.")
	}
	return lines, nil
}

// changedSince returns a line if an item has changed since it was shown, because the answer does
// not apply to the changed item.
func (t *Trust) changedSince(shown ReviewedItem) []string {
	var now *ReviewedItem
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
	t.noteShown([]ReviewedItem{*now}) // only the differing lines count as shown
	changes := difference(shown.Content, now.Content)
	return []string{fmt.Sprintf("Not used, because it changed after it was shown (%s). To see it now, run: agent trust", strings.Join(changes, "; "))}
}

// Forget removes every answer about the workspace.
func (t *Trust) Forget() ([]string, error) {
	items := t.present()
	if err := t.Store.Forget(items...); err != nil {
		return nil, err
	}
	t.Answered()
	return []string{"Removed all your answers about " + t.Store.Root() + ". " + humanize.Count(len(items), "item") + " there need approval again."}, nil
}

// itemsNamed returns the current items with these names. Without names, it returns the waiting
// items.
func (t *Trust) itemsNamed(names []string) ([]ReviewedItem, error) {
	if len(names) == 0 {
		return t.waiting()
	}
	all, err := t.Review()
	if err != nil {
		return nil, err
	}
	var chosen []ReviewedItem
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
			return nil, fmt.Errorf("no item %q%s (to list the items, run: agent trust)", name, suggest.Question(name, known))
		}
	}
	return chosen, nil
}
