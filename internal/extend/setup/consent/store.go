package consent

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/trustedfile"
)

// Store stores the user's answers about the items of a workspace, in allowed.json of the
// configuration. It is safe for concurrent use.
type Store struct {
	path                  string
	home, workspace, root string
	// place is the place under which answers about the repository are stored. If it is empty, none
	// are stored.
	place string

	mu sync.Mutex
	// run holds the answers of this run: true for consent.
	run map[key]bool
}

// key identifies a content at a place.
type key struct{ place, hash string }

// record is an answer in the file.
type record struct {
	Root    string          `json:"root"`
	Item    string          `json:"item"`
	File    string          `json:"file"`
	Hash    string          `json:"hash"`
	Date    string          `json:"date"`
	Refused bool            `json:"refused,omitempty"`
	Content json.RawMessage `json:"content"`
}

// member is the part of allowed.json that contains the answers.
type member struct {
	Setup []record `json:"setup"`
}

// Open returns the store for a workspace. It does not read the file.
func Open(w trustedfile.Locations) *Store {
	w.Home, w.Workspace = real(w.Home), real(w.Workspace)
	root := root(w)
	return &Store{
		path: filepath.Join(w.Config, allowedFile), home: w.Home, workspace: w.Workspace, root: root,
		place: place(root, w.Home), run: map[key]bool{},
	}
}

// Root returns the root of the repository. Files below it that an item names are part of the item's
// content.
func (s *Store) Root() string { return s.root }

// IsPersistent reports whether answers about the repository remain stored after the run. Answers
// about the home folder do not.
func (s *Store) IsPersistent() bool { return s.place != "" }

// Review returns the items with their current content and state. If the file of answers cannot be
// read, it returns an error, and all items wait for an answer.
func (s *Store) Review(items []Item) ([]ReviewedItem, error) {
	if len(items) == 0 {
		return nil, nil
	}
	records, err := s.read()
	all := make([]ReviewedItem, len(items))
	current := map[string]bool{}
	for n, i := range items {
		all[n] = s.look(i)
		current[all[n].Hash] = true
	}
	for n := range all {
		s.judge(&all[n], records, current)
	}
	return all, err
}

// judge sets the state of an item. If there is only an answer about an earlier content, the state
// is StateChanged, unless another current item has that content.
func (s *Store) judge(r *ReviewedItem, records []record, current map[string]bool) {
	if r.Problem != "" {
		return
	}
	s.mu.Lock()
	inRun := s.run[s.key(*r)]
	s.mu.Unlock()
	if inRun {
		r.State = StateApproved
		return
	}
	var earlier *record
	for n := range records {
		rec := &records[n]
		switch {
		case rec.Root != s.placeOf(r.Item):
		case rec.Hash == r.Hash && rec.Refused:
			r.State = StateRefused
			return
		case rec.Hash == r.Hash:
			r.State = StateApproved
			return
		case rec.Item == r.String() && rec.File == s.relative(r.File) && !current[rec.Hash] && comparable(rec.Content):
			earlier = rec // the last record is the latest
		}
	}
	if earlier != nil {
		r.State, r.Difference = StateChanged, difference(string(earlier.Content), r.Content)
	}
}

// Check returns nil if an item may be used now. Otherwise it returns an error with the reason and
// the remedy. It reads the files again, so call it before each use.
func (s *Store) Check(i Item) error {
	reviewed, err := s.Review([]Item{i})
	if err != nil {
		return err
	}
	switch r := reviewed[0]; {
	case r.State == StateApproved:
		return nil
	case r.Problem != "":
		return s.unclear(r)
	default:
		return fmt.Errorf("%s of %s %s", r, s.relative(r.File), unused[r.State])
	}
}

// unused maps states to the reason why an item is not used, with the remedy.
var unused = map[State]string{
	StateRefused: "is not used: you refused it. To approve it, run: agent trust yes",
	StateChanged: "is not used: it changed since you approved it. To see how, run: agent trust",
	StateWaiting: "is not used until you approve it. Run: agent trust",
}

// unclear returns the error for an item whose content cannot be determined.
func (s *Store) unclear(r ReviewedItem) error {
	return fmt.Errorf("can't approve %s of %s: %s", r, s.relative(r.File), r.Problem)
}

// Approve stores the user's consent to exactly these contents. If storing fails, it returns an error,
// but the consent applies to this run.
func (s *Store) Approve(day time.Time, shown ...ReviewedItem) error {
	return s.answer(day, false, shown)
}

// Refuse stores the user's refusal of these contents.
func (s *Store) Refuse(day time.Time, shown ...ReviewedItem) error { return s.answer(day, true, shown) }

// ApproveForRun records consent to these contents until the program ends.
func (s *Store) ApproveForRun(shown ...ReviewedItem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range shown {
		s.run[s.key(r)] = true
	}
}

// Forget removes all answers about the repository and about these items, and all answers of this
// run.
func (s *Store) Forget(items ...Item) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.run)
	return s.update(func(records []record) []record {
		return slices.DeleteFunc(records, func(r record) bool {
			return r.Root == s.place || slices.ContainsFunc(items, func(i Item) bool {
				return r.Root == s.placeOf(i) && r.Item == i.String() && r.File == s.relative(i.File)
			})
		})
	})
}

// answer records answers for this run and in the file.
func (s *Store) answer(day time.Time, refused bool, shown []ReviewedItem) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var added []record
	for _, r := range shown {
		if r.Problem != "" {
			return s.unclear(r)
		}
		s.run[s.key(r)] = !refused
		if root := s.placeOf(r.Item); root != "" {
			kept := s.recordOf(r, root, day)
			kept.Refused = refused
			added = append(added, kept)
		}
	}
	if len(added) == 0 {
		return nil
	}
	return s.update(func(records []record) []record {
		for _, a := range added {
			records = slices.DeleteFunc(records, func(r record) bool { return r.Root == a.Root && r.Hash == a.Hash })
		}
		return append(records, added...)
	})
}

func (s *Store) key(r ReviewedItem) key { return key{s.placeOf(r.Item), r.Hash} }

// placeOf returns the place under which answers about an item are stored.
func (s *Store) placeOf(i Item) string {
	if i.User {
		return userPlace
	}
	return s.place
}

func (s *Store) read() ([]record, error) {
	m, err := rawjson.ReadShared[member](s.path)
	if err != nil {
		return nil, fmt.Errorf("can't read your approvals in %s: %w", s.path, fsutil.Reason(err))
	}
	return m.Setup, nil
}

// update changes the answers in the file. The caller holds the mutex.
func (s *Store) update(change func([]record) []record) error {
	err := rawjson.ChangeShared(s.path, func(m *member) {
		m.Setup = change(m.Setup)
		m.Setup = m.Setup[max(0, len(m.Setup)-maxRecords):]
	})
	if err != nil {
		return fmt.Errorf("can't save your answer in %s: %w", s.path, fsutil.Reason(err))
	}
	return nil
}

// maxRecords is the greatest number of answers in the file, for all repositories. The oldest are
// removed.
const maxRecords = 2000
