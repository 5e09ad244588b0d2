package consent

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/base/rawjson"
)

// shownFile is the configuration file with the items that were shown to the user last. An answer
// about a named item applies to the item as shown, even by another program. Its files may have
// changed between the listing and the answer.
const shownFile = "shown.json"

// shownMember holds the member of the JSON object in shownFile that lists the items.
type shownMember struct {
	Shown []record `json:"shown"`
}

// maxShown is the greatest number of items in the file, for all repositories. The oldest are
// removed.
const maxShown = 200

// itemKey identifies an item of a workspace, whatever its content.
type itemKey struct {
	kind       Kind
	name, file string
}

func (i Item) key() itemKey { return itemKey{i.Kind, i.Name, i.File} }

// noteShown records items as they are shown to the user. If the file cannot be written, the items
// are recorded for this run only.
func (t *Trust) noteShown(items []ReviewedItem) {
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

// lastShown returns an item as it was last shown to the user, or nil if it was not shown. The
// caller holds the mutex.
func (t *Trust) lastShown(i Item) *ReviewedItem {
	if t.earlier == nil {
		m, _ := rawjson.ReadShared[shownMember](t.Store.shownPath()) // if the file is missing, no item counts as shown
		t.earlier = append([]record{}, m.Shown...)
	}
	if r, here := t.shown[i.key()]; here {
		return &r
	}
	of := record{Root: t.Store.placeOf(i), Item: i.String(), File: t.Store.relative(i.File)}
	if n := slices.IndexFunc(t.earlier, func(r record) bool { return r.isOf(of) }); of.Root != "" && n >= 0 {
		return &ReviewedItem{Item: i, State: StateWaiting, Hash: t.earlier[n].Hash, Content: string(t.earlier[n].Content)}
	}
	return nil
}

// asShown returns the items to approve, each as it was last shown. An item that was never shown is
// returned in its current form, and unshown contains the lines that describe it.
func (t *Trust) asShown(now []ReviewedItem) (items []ReviewedItem, unshown map[itemKey][]string) {
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

// hideUnshown omits the items that were not shown, if other items of the workspace were shown. A
// user who approves everything after a listing means the listed items. It returns a line for each
// omitted item.
func (t *Trust) hideUnshown(waiting []ReviewedItem) (items []ReviewedItem, lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.ContainsFunc(t.items, func(i Item) bool { return t.lastShown(i) != nil }) {
		return waiting, nil
	}
	for _, r := range waiting {
		if r.Problem == "" && t.lastShown(r.Item) == nil {
			lines = append(lines, fmt.Sprintf("%s of %s is new and waits for your approval. Run: agent trust", r, t.short(r.File)))
			continue
		}
		items = append(items, r)
	}
	return items, lines
}

func (s *Store) shownPath() string { return filepath.Join(filepath.Dir(s.path), shownFile) }

func (s *Store) recordOf(r ReviewedItem, root string, day time.Time) record {
	return record{Root: root, Item: r.String(), File: s.relative(r.File), Hash: r.Hash, Date: day.Format(time.DateOnly), Content: []byte(r.Content)}
}

// isOf reports whether two records are about the same item. Their contents may differ.
func (r record) isOf(other record) bool {
	return r.Root == other.Root && r.Item == other.Item && r.File == other.File
}
