// Package rewind returns a conversation to an earlier point and files to their earlier content, and
// recalls pruned content. Its methods run on the goroutine that owns the conversation, while no turn
// runs. Only Points, At, Line and PrunedContent may be called from any goroutine.
package rewind

import (
	"time"

	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/tools"
)

// Rewinder rewinds one conversation.
type Rewinder struct {
	// Session is the log of the conversation, or nil if it is not recorded.
	Session *session.Log
	History *history.Service
	Window  *window.Window
	Tools   *tools.Registry
	Env     *tools.Env
	// Folder is the workspace of entries that name none. Their relative paths are relative to it.
	Folder string
	// Add puts an entry into the history.
	Add func(*history.Content) error
	// Answers has answers for the calls that were unanswered when the earlier program ended, by call
	// id.
	Answers map[string]string
	// Now returns the current time.
	Now func() time.Time
}

// Resume continues a recorded conversation. If the earlier program ended before it answered some calls,
// Resume answers them with an error. It records these answers like any other change.
func (p *Rewinder) Resume(restored session.State) error {
	if err := p.History.Restore(restored.Entries); err != nil {
		return err
	}
	if err := p.restoreWindow(restored); err != nil {
		return err
	}
	return p.repair()
}

// restoreWindow restores the recorded state of the window. The entries must already be in the history.
func (p *Rewinder) restoreWindow(restored session.State) error {
	p.Window.Ledger.Restore(restored.Prunes, restored.Turn)
	p.Window.Measure.Calibrate(restored.Scales)
	p.Window.Limits.Restore(restored.Limits)
	return p.Window.Resume(restored.Pins, restored.Steps())
}

// unanswered is the error of a call that was unanswered when the earlier program ended.
const unanswered = "result unknown: agent ended before this call had a result"

// repair answers the calls that were unanswered when the earlier program ended.
func (p *Rewinder) repair() error {
	return p.History.Rebuild("repair after a crash", func(entries []*history.Content, _ []int) (history.RebuiltHistory, error) {
		if history.Validate(entries) == nil {
			return history.RebuiltHistory{}, nil
		}
		return history.RebuiltHistory{Entries: history.RepairWith(entries, p.Answers, unanswered)}, nil
	})
}
