package history

// Repair returns entries as a history that can be sent (D-32): calls without a
// response get one that says why, responses without a call and empty entries go.
// It serves recordings that were cut; a history of this program needs no repair.
// Valid entries are returned as they are, and so is every entry that needs no
// change.
func Repair(entries []*Content, why string) []*Content {
	if Validate(entries) == nil {
		return entries
	}
	r := repair{why: why, answered: make(map[string]bool)}
	for _, entry := range entries {
		r.entry(entry)
	}
	r.answerOpenCalls()
	return r.entries
}

// repair is a repair in progress. Its open calls are those of the latest ai entry,
// the only ones the next tool entry may answer.
type repair struct {
	why      string
	entries  []*Content
	open     []*ToolCall
	answered map[string]bool // by id of an open call
}

func (r *repair) entry(c *Content) {
	if c == nil {
		return
	}
	c = keepBlocks(c, func(b Block) bool { return r.belongs(c.Speaker, b) })
	if c.Empty() {
		return
	}
	if c.Speaker != Tool {
		r.answerOpenCalls()
	}
	r.entries = append(r.entries, c)
	for _, call := range c.Calls() {
		if _, twice := r.answered[call.ID]; !twice {
			r.open = append(r.open, call)
			r.answered[call.ID] = false
		}
	}
}

// belongs reports whether speaker may say b here. A response is taken as the
// answer to its call.
func (r *repair) belongs(speaker Speaker, b Block) bool {
	switch b := b.(type) {
	case *ToolCall:
		return speaker == AI
	case *ToolResponse:
		answered, open := r.answered[b.CallID]
		if speaker != Tool || !open || answered {
			return false
		}
		r.answered[b.CallID] = true
	}
	return true
}

func (r *repair) answerOpenCalls() {
	for _, call := range r.open {
		if !r.answered[call.ID] {
			r.entries = append(r.entries, New(Tool, &ToolResponse{CallID: call.ID, ToolName: call.Name, Error: r.why}))
		}
	}
	r.open = nil
	clear(r.answered)
}

// keepBlocks returns c with the blocks that keep accepts; c itself when those are
// all.
func keepBlocks(c *Content, keep func(Block) bool) *Content {
	var kept []Block
	for _, b := range c.Blocks {
		if keep(b) {
			kept = append(kept, b)
		}
	}
	if len(kept) == len(c.Blocks) {
		return c
	}
	return c.WithBlocks(kept)
}
