// Package past brings back what was: the conversation at an earlier point, what files
// held, what left the context. Its methods run on the goroutine that
// owns the conversation, unless they say otherwise, and while no turn runs.
package past

import (
	"iter"
	"time"

	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/todo"
	"agent/internal/tools"
)

// Past is the past of a conversation.
type Past struct {
	// ReadRecord reads the record of the conversation; nil where none is kept.
	ReadRecord func() (Record, error)
	// Recall returns what the record keeps at some places; nil where none is kept.
	Recall func(places []history.Recorded) (history.Recollection, error)

	History *history.Service
	Window  *window.Window
	Tools   *tools.Registry
	Env     *tools.Env
	// Folder is what relative paths in entries mean that name no workspace.
	Folder string
	// Add puts an entry into the history.
	Add func(*history.Content) error
	// Now is the clock.
	Now func() time.Time
}

// Record is the record of a conversation up to a moment.
type Record interface {
	// Points are the places to go to, in the order of the record.
	Points() ([]history.Point, error)
	// Before is the conversation as it was before a record. It can be made current again
	// until it is asked the next time.
	Before(seq uint64) (Restored, error)
}

// Restored is a conversation as its record gives it.
type Restored struct {
	Entries []*history.Content
	// Ledger is what was pruned of it, Pins the files that pruning leaves alone.
	Ledger []window.Prune
	Pins   []string
	// Steps say how the entries came about, nil where nobody knows.
	Steps iter.Seq2[history.Step, error]
	// Reply is what the model said last, as /copy means it, also when that has left the
	// context since.
	Reply string
	Todos todo.List
	// Scales say how providers count, by model (D-09).
	Scales map[string]float64
	// Turn is how many messages of the user led to it.
	Turn int
}

// Resume continues a recorded conversation. Calls that the program's end left
// unanswered are answered with an error, which is recorded as any change is.
func (p *Past) Resume(restored Restored) error {
	if err := p.History.Restore(restored.Entries); err != nil {
		return err
	}
	if err := p.restoreWindow(restored); err != nil {
		return err
	}
	return p.repair()
}

// restoreWindow makes the window that of a recorded conversation, whose entries are in
// the history already.
func (p *Past) restoreWindow(restored Restored) error {
	p.Window.Restore(restored.Ledger, restored.Turn)
	p.Window.Calibrate(restored.Scales)
	return p.Window.Resume(restored.Pins, restored.Steps)
}

// repair answers the calls that an end of the program left open.
func (p *Past) repair() error {
	return p.History.Rebuild("repair after an unclean end", func(entries []*history.Content, _ []int) (history.Rebuilt, error) {
		if history.Validate(entries) == nil {
			return history.Rebuilt{}, nil
		}
		return history.Rebuilt{Entries: history.Repair(entries, "not known: the program ended before this call was answered")}, nil
	})
}
