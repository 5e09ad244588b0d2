package session

import (
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

// Steps returns the changes that led to Entries, in order, without those that a rewind left
// behind. They are read while they are iterated over; an error ends them.
func (s State) Steps() iter.Seq2[history.Step, error] {
	return func(yield func(history.Step, error) bool) {
		if s.text == nil {
			return
		}
		in, err := openPages(s.text)
		if err != nil {
			yield(history.Step{}, err)
			return
		}
		defer in.Close()
		a := &again{in: in, known: make(map[form]*history.Content, len(s.live))}
		for _, slot := range s.live {
			a.known[form{slot.brought, slot.ref}] = slot.entry
		}
		for _, e := range s.line {
			step, err := a.step(e)
			if err != nil || step.Kind != "" {
				if !yield(step, err) || err != nil {
					return
				}
			}
		}
	}
}

// step applies an event and returns it as a change; one of the todo list has no Kind.
func (a *again) step(e event) (step history.Step, err error) {
	r, payload, err := a.in.record(e)
	if err != nil {
		return step, err
	}
	step.At = r.Time
	switch change := payload.(type) {
	case *history.Content:
		step.Kind, step.Entry = history.MutationAdded, a.same(e.seq, ref{seq: e.seq}, change)
		payload = step.Entry
	case densityPayload:
		for r, entry := range change.Replacements {
			change.Replacements[r] = a.same(e.seq, r, entry)
		}
		step.Kind, step.Edits = history.MutationDensity, a.timeline.edits(change)
	case compressionPayload:
		for i, item := range change.History {
			if item.Entry != nil {
				change.History[i].Entry = a.same(e.seq, ref{e.seq, i + 1}, item.Entry)
			}
		}
		step.Kind = history.MutationReplaced
	case clearPayload:
		step.Kind = history.MutationCleared
	case pinPayload:
		step.Kind, step.Path, step.Pinned = history.MutationPinned, change.Path, change.Pinned
	}
	if a.timeline.apply(e.seq, payload); step.Kind == history.MutationReplaced {
		step.Entries = a.timeline.entries()
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
	for step, err := range s.Steps() {
		if err != nil {
			return said, err
		}
		switch step.Kind {
		case history.MutationAdded:
			latest := len(said.Stretches) - 1
			said.Stretches[latest] = append(said.Stretches[latest], step.Entry)
			said.At[step.Entry] = step.At
		case history.MutationCleared:
			said.Stretches = append(said.Stretches, nil)
		}
	}
	return said, nil
}
