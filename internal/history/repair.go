package history

// Repair returns entries as a history that can be sent (D-32): calls without a
// response get one that says why, responses without a call and empty entries go.
// It serves recordings that were cut; a history of this program needs no repair.
// Valid entries are returned as they are.
func Repair(entries []*Content, why string) []*Content {
	if Validate(entries) == nil {
		return entries
	}
	var repaired []*Content
	open := map[string]*ToolCall{}
	var order []string
	settle := func() {
		for _, id := range order {
			if call := open[id]; call != nil {
				repaired = append(repaired, New(Tool, &ToolResponse{CallID: id, ToolName: call.Name, Error: why}))
			}
		}
		clear(open)
		order = order[:0]
	}
	for _, entry := range entries {
		if entry.Speaker == Tool {
			entry = keepAnswers(entry, open)
		} else if !entry.Empty() {
			settle()
		}
		if entry == nil || entry.Empty() {
			continue
		}
		repaired = append(repaired, entry)
		for _, call := range entry.Calls() {
			open[call.ID] = call
			order = append(order, call.ID)
		}
	}
	settle()
	return repaired
}

// keepAnswers returns the entry without responses that answer no open call, and
// marks the calls it answers. It returns nil when nothing is left.
func keepAnswers(entry *Content, open map[string]*ToolCall) *Content {
	var kept []Block
	for _, block := range entry.Blocks {
		if r, ok := block.(*ToolResponse); ok {
			if open[r.CallID] == nil {
				continue
			}
			open[r.CallID] = nil
		}
		kept = append(kept, block)
	}
	switch len(kept) {
	case 0:
		return nil
	case len(entry.Blocks):
		return entry
	default:
		return entry.WithBlocks(kept)
	}
}
