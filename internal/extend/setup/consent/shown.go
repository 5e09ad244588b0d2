package consent

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/base/rawjson"
)

// shownFile is the file of the configuration with the items that a user was shown last. An answer
// that names an item is about it as it was shown, also by another program: between the listing and
// the answer, its files may have changed.
const shownFile = "shown.json"

// shownMember is the part of shownFile with the items.
type shownMember struct {
	Shown []record `json:"shown"`
}

// maxShown limits the items in the file, for all repositories. The oldest are removed.
const maxShown = 200

// itemKey distinguishes an item from the others of a workspace, whatever its content.
type itemKey struct {
	kind       Kind
	name, file string
}

func (i Item) key() itemKey { return itemKey{i.Kind, i.Name, i.File} }

// noteShown remembers items as they are shown to a user. A file that cannot be written is no
// reason to show nothing: the items are remembered for this run.
func (t *Trust) noteShown(items []Reviewed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var added []record
	for _, r := range items {
		if before := t.lastShown(r.Item); r.Problem != "" || before != nil && before.Hash == r.Hash {
			continue
		}
		t.shown[r.key()] = r
		if root := t.Store.placeOf(r.Item); root != "" && r.State.NeedsAnswer() {
			added = append(added, t.Store.recordOf(r, root, t.now()))
		}
	}
	if len(added) == 0 {
		return
	}
	_ = rawjson.ChangeShared(t.Store.shownPath(), func(m *shownMember) {
		for _, a := range added {
			m.Shown = slices.DeleteFunc(m.Shown, func(r record) bool { return r.isOf(a) })
		}
		m.Shown = append(m.Shown, added...)
		m.Shown = m.Shown[max(0, len(m.Shown)-maxShown):]
	})
}

// lastShown returns an item as a user was shown it last, nil if they were not. The caller holds the
// mutex.
func (t *Trust) lastShown(i Item) *Reviewed {
	if t.earlier == nil {
		m, _ := rawjson.ReadShared[shownMember](t.Store.shownPath()) // without the file, no item counts as shown
		t.earlier = append([]record{}, m.Shown...)
	}
	if r, here := t.shown[i.key()]; here {
		return &r
	}
	of := record{Root: t.Store.placeOf(i), Item: i.String(), File: t.Store.relative(i.File)}
	if n := slices.IndexFunc(t.earlier, func(r record) bool { return r.isOf(of) }); of.Root != "" && n >= 0 {
		return &Reviewed{Item: i, State: Waiting, Hash: t.earlier[n].Hash, Content: string(t.earlier[n].Content)}
	}
	return nil
}

// asShown returns the items to agree to: each as it was shown last, and one that was never shown as
// it is now, with the lines that show it.
func (t *Trust) asShown(now []Reviewed) (items []Reviewed, unshown map[itemKey][]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	unshown = map[itemKey][]string{}
	for _, r := range now {
		if last := t.lastShown(r.Item); last != nil {
			r = *last
		} else {
			unshown[r.key()] = t.part(r).Lines
		}
		items = append(items, r)
	}
	return items, unshown
}

// hideUnshown omits the items that a user was not shown, if other items of the workspace
// were shown: whoever agrees to everything after a listing means the listed items. It returns a
// line for each item that is omitted.
func (t *Trust) hideUnshown(waiting []Reviewed) (items []Reviewed, lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.ContainsFunc(t.items, func(i Item) bool { return t.lastShown(i) != nil }) {
		return waiting, nil
	}
	for _, r := range waiting {
		if r.Problem == "" && t.lastShown(r.Item) == nil {
			lines = append(lines, fmt.Sprintf("%s of %s was not listed yet, so it waits: agent trust", r, t.short(r.File)))
			continue
		}
		items = append(items, r)
	}
	return items, lines
}

func (s *Store) shownPath() string { return filepath.Join(filepath.Dir(s.path), shownFile) }

// recordOf returns the record of an item under a place.
func (s *Store) recordOf(r Reviewed, root string, day time.Time) record {
	return record{Root: root, Item: r.String(), File: s.relative(r.File), Hash: r.Hash, Date: day.Format(time.DateOnly), Content: []byte(r.Content)}
}

// isOf reports whether two records are about the same item. Their content may differ.
func (r record) isOf(other record) bool {
	return r.Root == other.Root && r.Item == other.Item && r.File == other.File
}
