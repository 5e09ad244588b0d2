package session

import (
	"iter"
	"time"

	"agent/internal/history"
)

// again replays the records of a state once more, with all entries. At any time it holds no more entries
// than the context did.
type again struct {
	in       *pages
	timeline timeline
	// known holds the entries of the state, so that Steps returns the same pointers.
	known map[form]*history.Content
}

// form identifies an entry as a record wrote it: a new entry, or a changed form of an earlier entry.
type form struct {
	seq uint64
	ref ref
}

// Steps returns the changes that led to Entries, in order, without the changes that a rewind undid. It
// reads the log while it iterates, and stops at the first error.
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

// step applies an event and returns it as a change. A change of the todo list has no Kind.
func (a *again) step(e event) (step history.Step, err error) {
	r, payload, err := a.in.record(e)
	if err != nil {
		return step, err
	}
	step.At, step.Seq = r.Time, e.seq
	switch change := payload.(type) {
	case *history.Content:
		step.Kind, step.Entry = history.MutationAdded, a.same(e.seq, ref{seq: e.seq}, change)
		payload = step.Entry
	case densityPayload:
		for r, entry := range change.Replacements {
			change.Replacements[r] = a.same(e.seq, r, entry)
		}
		step.Kind, step.Edits = history.MutationDensity, a.timeline.edits(change)
		step.Prunes = prunesIn(change.Prunes, change.Cut)
	case compressionPayload:
		for i, item := range change.History {
			if item.Entry != nil {
				change.History[i].Entry = a.same(e.seq, ref{e.seq, i + 1}, item.Entry)
			}
		}
		step.Kind, step.Prunes = history.MutationReplaced, prunesIn(change.Prunes, nil)
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

// same returns the state's own entry if there is one. Otherwise it returns the entry that was read.
func (a *again) same(seq uint64, r ref, read *history.Content) *history.Content {
	if entry := a.known[form{seq, r}]; entry != nil {
		return entry
	}
	return read
}

// Originals holds the entries as they were added, before any later change.
type Originals struct {
	// Stretches has one list of entries for each part of the session that a clear ended, and a list for the
	// last part.
	Stretches [][]*history.Content
	// At maps each entry to the time at which it was recorded.
	At map[*history.Content]time.Time
}

// Originals reads all entries of the session except the entries that a rewind undid.
func (s State) Originals() (Originals, error) {
	said := Originals{make([][]*history.Content, 1), map[*history.Content]time.Time{}}
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
