package chat

import "agent/internal/history"

// Restore takes up a recorded conversation, before the first turn. Calls that the
// program's end left unanswered are answered with an error, which is recorded as
// any change is.
func (c *Chat) Restore(entries []*history.Content, ledger []PruneRecord) error {
	if err := c.History.Restore(entries); err != nil {
		return err
	}
	c.ledger = ledger
	for _, p := range ledger {
		c.density.freed += p.Tokens
	}
	curated, _ := c.History.Curated()
	if history.Validate(curated) == nil {
		return nil
	}
	repaired := history.Repair(curated, "not known: the program ended before this call was answered")
	if err := c.History.StartCompression(); err != nil {
		return err
	}
	err := c.History.Replace(repaired, "repair after an unclean end")
	return errorOr(err, c.History.EndCompression())
}
