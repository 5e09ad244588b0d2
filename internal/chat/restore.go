package chat

import "agent/internal/history"

// Resume returns a chat that goes on with a recorded conversation, of which steps
// tell how it came about. Calls that the
// program's end left unanswered are answered with an error, which is recorded as any
// change is.
func Resume(config Config, entries []*history.Content, ledger []PruneRecord, steps []history.Step) (*Chat, error) {
	c := New(config)
	if err := c.History.Restore(entries); err != nil {
		return nil, err
	}
	c.window.Restore(ledger)
	c.window.Resume(steps)
	return c, c.History.Rebuild("repair after an unclean end", func(entries []*history.Content, _ []int) ([]*history.Content, error) {
		if history.Validate(entries) == nil {
			return nil, nil
		}
		return history.Repair(entries, "not known: the program ended before this call was answered"), nil
	})
}
