// Package past brings back what was: the conversation at an earlier point, what files
// held, what left the context. Its methods run on the goroutine that
// owns the conversation, unless they say otherwise, and while no turn runs.
package past

import (
	"time"

	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/tools"
)

// Past is the past of a conversation.
type Past struct {
	// Session is the record of the conversation; nil where none is kept.
	Session *session.Log
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

// Resume continues a recorded conversation. Calls that the program's end left
// unanswered are answered with an error, which is recorded as any change is.
func (p *Past) Resume(restored session.State) error {
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
func (p *Past) restoreWindow(restored session.State) error {
	p.Window.Restore(restored.Prunes, restored.Turn)
	p.Window.Calibrate(restored.Scales)
	return p.Window.Resume(restored.Pins, restored.Steps())
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
