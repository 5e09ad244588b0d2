package chat

import "agent/internal/history"

// Restore takes up a recorded conversation, before the first turn. Calls that the
// program's end left unanswered are answered with an error, which is recorded as
// any change is.
func (c *Chat) Restore(entries []*history.Content, ledger []PruneRecord) error {
	if err := c.History.Restore(entries); err != nil {
		return err
	}
	c.window.Restore(ledger)
	return c.History.Rebuild("repair after an unclean end", func(entries []*history.Content, _ []int) ([]*history.Content, error) {
		if history.Validate(entries) == nil {
			return nil, nil
		}
		return history.Repair(entries, "not known: the program ended before this call was answered"), nil
	})
}
