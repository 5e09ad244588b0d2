package history

import (
	"fmt"
	"slices"
)

// Repair returns entries as a history that can be sent (D-32). A call without a response gets a
// response with the text why. If two calls of an entry have the same id, the second gets a unique id.
// Responses without a call and empty entries are removed. Repair is for recordings that were truncated
// or made by other programs. A history of this program needs no repair. Entries that need no change are
// returned unchanged.
func Repair(entries []*Content, why string) []*Content {
	return RepairWith(entries, nil, why)
}

// RepairWith does the same as Repair. answers contains the known results of calls without a response,
// by the ids of the calls.
func RepairWith(entries []*Content, answers map[string]string, why string) []*Content {
	r := repair{answers: answers, why: why, entries: []*Content{}} // entries is not nil even if it stays empty
	for _, entry := range entries {
		r.entry(entry)
	}
	r.answerOpenCalls()
	return r.entries
}

// repair is a repair in progress. Its open calls are the calls of the latest ai entry. Only the next
// tool entry may answer them.
type repair struct {
	answers map[string]string
	why     string
	entries []*Content
	open    []openCall
}

type openCall struct {
	call     *ToolCall
	recorded string // the call's ID in the recording
	answered bool
}

func (r *repair) entry(c *Content) {
	if c == nil {
		return
	}
	c = editBlocks(c, func(b Block) Block { return r.asSpeaker(c.Speaker, b) })
	if c.Empty() {
		return
	}
	if c.Speaker != Tool {
		r.answerOpenCalls()
		c = editBlocks(c, r.openCall)
	}
	r.entries = append(r.entries, c)
}

// asSpeaker returns b as a valid block of speaker at this position, or nil.
func (r *repair) asSpeaker(speaker Speaker, b Block) Block {
	switch b := b.(type) {
	case *ToolCall:
		if speaker != AI {
			return nil
		}
	case *ToolResponse:
		if speaker != Tool {
			return nil
		}
		return r.answer(b)
	}
	return b
}

// answer uses b as the response to the first open call that was recorded with its id. It returns nil if
// there is none.
func (r *repair) answer(b *ToolResponse) Block {
	for i, open := range r.open {
		if open.answered || open.recorded != b.CallID {
			continue
		}
		r.open[i].answered = true
		if open.call.ID == b.CallID {
			return b
		}
		named := *b
		named.CallID = open.call.ID
		return &named
	}
	return nil
}

// openCall records a call, and returns it with an id that no other open call has.
func (r *repair) openCall(b Block) Block {
	call, ok := b.(*ToolCall)
	if !ok {
		return b
	}
	id := call.ID
	for n := 2; r.isOpen(id); n++ {
		id = fmt.Sprintf("%s#%d", call.ID, n)
	}
	open := openCall{call: call, recorded: call.ID}
	if id != call.ID {
		open.call = call.withID(id)
	}
	r.open = append(r.open, open)
	return open.call
}

func (r *repair) isOpen(id string) bool {
	return slices.ContainsFunc(r.open, func(open openCall) bool { return open.call.ID == id })
}

func (r *repair) answerOpenCalls() {
	for _, open := range r.open {
		if open.answered {
			continue
		}
		response := &ToolResponse{CallID: open.call.ID, ToolName: open.call.Name}
		if answer := r.answers[open.recorded]; answer != "" {
			response.Result = TextResult(answer)
		} else {
			response.Error = r.why
		}
		r.entries = append(r.entries, New(Tool, response))
	}
	r.open = nil
}

// editBlocks returns c with edit applied to its blocks. It omits blocks for which edit
// returns nil, and returns c itself if nothing changes.
func editBlocks(c *Content, edit func(Block) Block) *Content {
	var blocks []Block
	changed := false
	for _, b := range c.Blocks {
		edited := edit(b)
		changed = changed || edited != b
		if edited != nil {
			blocks = append(blocks, edited)
		}
	}
	if !changed {
		return c
	}
	return c.WithBlocks(blocks)
}
