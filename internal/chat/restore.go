package chat

import "agent/internal/history"

// Resume returns a chat that goes on with a recorded conversation. Calls that the
// program's end left unanswered are answered with an error, which is recorded as any
// change is.
func Resume(config Config, restored Restored) (*Chat, error) {
	c := New(config)
	if err := c.History.Restore(restored.Entries); err != nil {
		return nil, err
	}
	if err := c.takeUp(restored); err != nil {
		return nil, err
	}
	return c, repair(c.History)
}

// takeUp has what hangs on the history be that of a recorded conversation, whose entries
// are in it already.
func (c *Chat) takeUp(restored Restored) error {
	c.window.Restore(restored.Ledger, restored.Turn)
	c.window.Calibrate(restored.Scales)
	err := c.window.Resume(restored.Pins, restored.Steps)
	c.lastReply, c.stats.Saving = restored.Reply, c.saved()
	return err
}

// repair answers the calls that an end of the program left open.
func repair(h *history.Service) error {
	return h.Rebuild("repair after an unclean end", func(entries []*history.Content, _ []int) ([]*history.Content, error) {
		if history.Validate(entries) == nil {
			return nil, nil
		}
		return history.Repair(entries, "not known: the program ended before this call was answered"), nil
	})
}
