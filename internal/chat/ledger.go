package chat

import "agent/internal/history"

// record adds what density removed to the ledger.
func (c *Chat) record(prunes []history.Prune) []PruneRecord {
	records := make([]PruneRecord, len(prunes))
	for i, p := range prunes {
		records[i] = PruneRecord{
			Kind:    p.Kind,
			Subject: p.Subject,
			Reason:  p.Reason,
			Tokens:  c.scaled(p.Tokens),
			Turn:    c.turns,
			At:      c.Now(),
		}
	}
	c.ledger = append(c.ledger, records...)
	return records
}
