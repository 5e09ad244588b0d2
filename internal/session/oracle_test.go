package session

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"agent/internal/history"
)

// oracle is a simple reader of logs to compare with the fast one. It decodes and stores every
// record, and searches a history from its start.
type oracle struct {
	records []oracleRecord
	entries []oracleEntry

	stretches     [][]*history.Content
	prunes, steps []string
	pins          []string
	reply, todos  string
	turn          int
}

type oracleRecord struct {
	Record
	payload any
}

type oracleEntry struct {
	ref    string
	entry  *history.Content
	origin string
}

// newOracle reads the valid records of a log before record seq.
func newOracle(log []byte, seq uint64) *oracle {
	o := &oracle{stretches: make([][]*history.Content, 1)}
	latest := uint64(0)
	for line := range bytes.Lines(log) {
		r, err := parseAny(bytes.TrimSpace(line))
		if err != nil || r.Seq <= latest {
			continue
		}
		payload, err := decode(r)
		if err != nil {
			continue
		}
		latest = r.Seq
		o.records = append(o.records, oracleRecord{r, payload})
	}
	for _, r := range o.until(seq) {
		o.apply(r)
	}
	return o
}

// until returns the records that lead to the state before record seq.
func (o *oracle) until(seq uint64) (line []oracleRecord) {
	for _, r := range o.records {
		if r.Seq >= seq {
			break
		}
		if back, ok := r.payload.(rewindPayload); ok {
			line = o.until(back.To)
			continue
		}
		line = append(line, r)
	}
	return line
}

func (o *oracle) find(ref string) int {
	return slices.IndexFunc(o.entries, func(e oracleEntry) bool { return e.ref == ref })
}

func (o *oracle) apply(r oracleRecord) {
	name := fmt.Sprint(r.Seq)
	switch p := r.payload.(type) {
	case *history.Content:
		o.entries = append(o.entries, oracleEntry{name, p, name})
		o.stretches[len(o.stretches)-1] = append(o.stretches[len(o.stretches)-1], p)
		if p.IsMessage() {
			o.turn++
		}
		if p.Speaker == history.AI && p.Text() != "" {
			o.reply = p.Text()
		}
		o.steps = append(o.steps, "added "+entryText(p))
	case densityPayload:
		o.density(p)
		o.prune(p.Prunes)
	case compressionPayload:
		before := o.entries
		o.entries = nil
		for i, item := range p.History {
			at := -1
			if item.Ref != nil {
				at = slices.IndexFunc(before, func(e oracleEntry) bool { return e.ref == item.Ref.String() })
			}
			switch {
			case item.Entry != nil:
				place := fmt.Sprintf("%s.%d", name, i+1)
				origin := place
				for _, longer := range before {
					if item.Of != nil && longer.ref == item.Of.String() {
						origin = longer.origin
					}
				}
				o.entries = append(o.entries, oracleEntry{place, item.Entry, origin})
			case at >= 0:
				o.entries = append(o.entries, before[at])
			}
		}
		o.steps = append(o.steps, "replaced ")
		o.prune(p.Prunes)
	case clearPayload:
		o.entries, o.prunes, o.pins, o.reply = nil, nil, nil, ""
		o.stretches = append(o.stretches, nil)
		o.steps = append(o.steps, "cleared")
	case pinPayload:
		o.pins = slices.DeleteFunc(o.pins, func(path string) bool { return path == p.Path })
		if p.Pinned {
			o.pins = append(o.pins, p.Path)
			slices.Sort(o.pins)
		}
		o.steps = append(o.steps, fmt.Sprint("pinned ", p.Path, p.Pinned))
	case todoPayload:
		o.todos = string(p.list)
	}
}

func (o *oracle) density(p densityPayload) {
	var edits []string
	for r, after := range p.Replacements {
		if i := o.find(r.String()); i >= 0 && !slices.Contains(p.Removals, r) {
			edits = append(edits, entryText(o.entries[i].entry)+" to "+entryText(after))
		}
	}
	for r, after := range p.Replacements {
		if i := o.find(r.String()); i >= 0 {
			o.entries[i].entry = after
		}
	}
	for _, r := range p.Removals {
		if i := o.find(r.String()); i >= 0 {
			o.entries = slices.Delete(o.entries, i, i+1)
		}
	}
	slices.Sort(edits)
	o.steps = append(o.steps, "edited "+strings.Join(edits, ", "))
}

func (o *oracle) prune(prunes []prunePayload) {
	for _, p := range prunes {
		o.prunes = append(o.prunes, fmt.Sprint(p.Kind, p.Subject, p.Tokens, p.places(), o.turn))
	}
}

func (o *oracle) text() string {
	var b strings.Builder
	for _, e := range o.entries {
		fmt.Fprintf(&b, "%s of %s: %s\n", e.ref, e.origin, entryText(e.entry))
	}
	return b.String()
}

func entryText(entry *history.Content) string {
	data, err := entry.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func (o *oracle) String() string {
	var said []string
	for _, stretch := range o.stretches {
		said = append(said, textOf(stretch))
	}
	return describe(o.text(), o.prunes, o.steps, said, o.pins, o.reply, o.todos, o.turn)
}

func textOf(entries []*history.Content) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(entryText(e) + "\n")
	}
	return b.String()
}

func describe(entries string, prunes, steps, said, pins []string, reply, todos string, turn int) string {
	return fmt.Sprintf("%s\nprunes %q\nsteps %s\nsaid %q\npins %q\nreply %q\ntodos %s\nturn %d", entries, prunes, strings.Join(steps, "\n"), said, pins, reply, todos, turn)
}

// formatState formats all values of a state like an oracle.
func formatState(t failer, s State) string {
	t.Helper()
	var entries, prunes, steps, said []string
	for _, slot := range s.timeline.liveSlots() {
		entries = append(entries, fmt.Sprintf("%s of %s: %s\n", slot.ref, slot.origin, entryText(slot.entry)))
	}
	for _, p := range s.Prunes {
		prunes = append(prunes, fmt.Sprint(p.Kind, p.Subject, p.Tokens, p.Recorded, p.Turn))
	}
	for _, step := range stepsOf(t, s) {
		told := ""
		switch step.Kind {
		case history.MutationAdded:
			told = "added " + entryText(step.Entry)
		case history.MutationDensity:
			var edits []string
			for before, edit := range step.Edits {
				if edit.After != nil {
					edits = append(edits, entryText(before)+" to "+entryText(edit.After))
				}
			}
			slices.Sort(edits)
			told = "edited " + strings.Join(edits, ", ")
		case history.MutationReplaced:
			told = "replaced "
		case history.MutationCleared:
			told = "cleared"
		case history.MutationPinned:
			told = fmt.Sprint("pinned ", step.Path, step.Pinned)
		}
		steps = append(steps, told)
	}
	all, err := s.Originals()
	if err != nil {
		t.Fatal(err)
	}
	for _, stretch := range all.Stretches {
		said = append(said, textOf(stretch))
	}
	return describe(strings.Join(entries, ""), prunes, steps, said, s.Pins, s.Reply, string(s.Todos), s.Turn)
}

// sameAsOracle compares the results of the fast and the simple reader for the log before record
// seq.
func sameAsOracle(t failer, path string, state State, seq uint64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := formatState(t, state), newOracle(data, seq).String(); got != want {
		t.Fatal("the log reads as\n" + got + "\nplainly as\n" + want)
	}
	leadsTo(t, state)
}

// leadsTo checks that the steps of a state produce the identical entries, and not only equal ones,
// because a strategy compares their identity.
func leadsTo(t failer, s State) {
	t.Helper()
	var now []*history.Content
	for _, step := range stepsOf(t, s) {
		switch step.Kind {
		case history.MutationAdded:
			now = append(now, step.Entry)
		case history.MutationDensity:
			now = step.Apply(now)
		case history.MutationReplaced:
			now = step.Entries
		case history.MutationCleared:
			now = nil
		}
	}
	if !slices.Equal(now, s.Entries) {
		t.Fatal("the steps lead to\n" + textOf(now) + "and not to\n" + textOf(s.Entries))
	}
}
