package chat

import "agent/internal/history"

// record adds what density removed to the ledger. The prunes share what was freed
// in all, so that the ledger adds up: each its own blocks, and an equal part of
// what the entries around them took.
func (c *Chat) record(prunes []history.Prune, freed int) []PruneRecord {
	records := make([]PruneRecord, len(prunes))
	rest := freed
	for i, p := range prunes {
		records[i] = PruneRecord{
			Kind:    p.Kind,
			Subject: p.Subject,
			Reason:  p.Reason,
			Tokens:  c.scaled(c.History.CountBlocks(p.Gone) - c.History.CountBlocks(p.Left)),
			Turn:    c.turns,
			At:      c.Now(),
		}
		rest -= records[i].Tokens
	}
	for i := range records {
		part := rest / (len(records) - i)
		records[i].Tokens += part
		rest -= part
	}
	c.ledger = append(c.ledger, records...)
	return records
}
