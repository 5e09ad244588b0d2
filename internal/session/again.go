package session

import (
	"errors"
	"iter"
	"time"

	"agent/internal/history"
)

// again is what a state came from, played once more with all entries. No more of them are
// held than the context had at each moment.
type again struct {
	in       *pages
	timeline timeline
	// known are the entries of the state, which are to be the same here.
	known map[form]*history.Content
}

// form is an entry as a record brought it: a new one, or another form of an earlier one.
type form struct {
	seq uint64
	ref ref
}

// errEnough ends a play that nobody wants to see to its end.
var errEnough = errors.New("enough")

// again calls f for each event that led to a state, before which nothing of it has
// happened.
func (s State) again(f func(event, *again) error) error {
	if s.text == nil {
		return nil
	}
	in, err := openPages(s.text)
	if err != nil {
		return err
	}
	defer in.Close()
	a := &again{in: in, known: make(map[form]*history.Content, len(s.live))}
	for _, slot := range s.live {
		a.known[form{slot.brought, slot.ref}] = slot.entry
	}
	for _, e := range s.line {
		if err := f(e, a); err != nil {
			if errors.Is(err, errEnough) {
				return nil
			}
			return err
		}
	}
	return nil
}

// Steps are all changes that led to Entries, in order: how they came about. What was left behind by going back is not among them. They are read as they are
// asked for; an error is the last.
func (s State) Steps() iter.Seq2[history.Step, error] {
	return func(yield func(history.Step, error) bool) {
		err := s.again(func(e event, a *again) error {
			step, err := a.step(e)
			if err == nil && step.Kind != "" && !yield(step, nil) {
				err = errEnough
			}
			return err
		})
		if err != nil {
			yield(history.Step{}, err)
		}
	}
}

// step applies an event and returns the change that it is; the todo list is none.
func (a *again) step(e event) (step history.Step, err error) {
	_, payload, err := a.in.record(e)
	if err != nil {
		return step, err
	}
	switch change := payload.(type) {
	case *history.Content:
		r := ref{seq: e.seq}
		entry := a.same(e.seq, r, change)
		a.timeline.add(r, entry)
		return history.Step{Kind: history.MutationAdded, Entry: entry}, nil
	case densityPayload:
		for r, entry := range change.Replacements {
			change.Replacements[r] = a.same(e.seq, r, entry)
		}
		step = history.Step{Kind: history.MutationDensity, Edits: a.timeline.edits(change)}
		a.timeline.edit(e.seq, change.Removals, change.Replacements)
	case compressionPayload:
		for i, item := range change.History {
			if item.Entry != nil {
				change.History[i].Entry = a.same(e.seq, ref{e.seq, i + 1}, item.Entry)
			}
		}
		a.timeline.rebuild(e.seq, change.History)
		step = history.Step{Kind: history.MutationReplaced, Entries: a.timeline.entries()}
	case clearPayload:
		a.timeline.clear()
		step = history.Step{Kind: history.MutationCleared}
	case pinPayload:
		step = history.Step{Kind: history.MutationPinned, Path: change.Path, Pinned: change.Pinned}
	}
	return step, nil
}

// same is an entry of the state where it is the one that was read, else that.
func (a *again) same(seq uint64, r ref, read *history.Content) *history.Content {
	if entry := a.known[form{seq, r}]; entry != nil {
		return entry
	}
	return read
}

// Said are the entries as they were added, whatever became of them since.
type Said struct {
	// Stretches are one list for each stretch that a clear ended, and one for what
	// followed.
	Stretches [][]*history.Content
	// At is when each of them was recorded.
	At map[*history.Content]time.Time
}

// Said reads everything that was said. What was left behind by going back is not part of
// it.
func (s State) Said() (Said, error) {
	said := Said{make([][]*history.Content, 1), map[*history.Content]time.Time{}}
	err := s.again(func(e event, a *again) error {
		switch e.kind {
		case added:
			entry, at, err := a.in.entry(e)
			if err != nil {
				return err
			}
			entry = a.same(e.seq, ref{seq: e.seq}, entry)
			latest := len(said.Stretches) - 1
			said.Stretches[latest] = append(said.Stretches[latest], entry)
			said.At[entry] = at
		case cleared:
			said.Stretches = append(said.Stretches, nil)
		}
		return nil
	})
	return said, err
}
