// Package rewind goes back in a conversation: it brings the conversation to an earlier point, files
// to their earlier content, and pruned content back into the context. Its methods run while no
// turn does, on the goroutine that owns the conversation; Points, At, Line and Removed may be
// called from any goroutine.
package rewind

import (
	"time"

	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/tools"
)

// Past goes back in one conversation.
type Past struct {
	// Session is the record of the conversation; nil if it is not recorded.
	Session *session.Log
	History *history.Service
	Window  *window.Window
	Tools   *tools.Registry
	Env     *tools.Env
	// Folder is the workspace of entries that name none: their relative paths begin there.
	Folder string
	// Add puts an entry into the history.
	Add func(*history.Content) error
	// Answers has the answers to calls that the end of the program left unanswered, by the ids of
	// the calls.
	Answers map[string]string
	// Now is the clock.
	Now func() time.Time
}

// Resume continues a recorded conversation. If the program ended before it answered some calls,
// Resume answers them with an error, and records that as any other change.
func (p *Past) Resume(restored session.State) error {
	if err := p.History.Restore(restored.Entries); err != nil {
		return err
	}
	if err := p.restoreWindow(restored); err != nil {
		return err
	}
	return p.repair()
}

// restoreWindow brings the window to its recorded state. The entries must be in the history
// already.
func (p *Past) restoreWindow(restored session.State) error {
	p.Window.Ledger.Restore(restored.Prunes, restored.Turn)
	p.Window.Measure.Calibrate(restored.Scales)
	p.Window.Limits.Restore(restored.Limits)
	return p.Window.Resume(restored.Pins, restored.Steps())
}

// unanswered is the error of a call that the end of the program left unanswered.
const unanswered = "not known: the program ended before this call was answered"

// repair answers the calls that the program's end left unanswered.
func (p *Past) repair() error {
	return p.History.Rebuild("repair after an unclean end", func(entries []*history.Content, _ []int) (history.Rebuilt, error) {
		if history.Validate(entries) == nil {
			return history.Rebuilt{}, nil
		}
		return history.Rebuilt{Entries: history.RepairWith(entries, p.Answers, unanswered)}, nil
	})
}
