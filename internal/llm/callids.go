package llm

import "fmt"

// callIDs pairs calls and responses of a history by position (D-11): a response
// answers the first call of the latest entry that the history knows under its id
// and that waits for an answer.
type callIDs struct {
	// waiting are the ids on the wire of the calls of the latest entry, by the ids in
	// the history.
	waiting map[string][]string
	// taken are the ids on the wire. Some servers refuse an id used twice.
	taken map[string]bool
}

func newCallIDs() callIDs { return callIDs{map[string][]string{}, map[string]bool{}} }

// begin begins an entry with calls.
func (c callIDs) begin() { clear(c.waiting) }

// add returns the id on the wire of a new call: its own, unless it is empty or was
// used before.
func (c callIDs) add(id string) string {
	wire := id
	if wire == "" {
		wire = "call"
	}
	base := wire
	for n := 2; c.taken[wire]; n++ {
		wire = fmt.Sprintf("%s_%d", base, n)
	}
	c.taken[wire] = true
	c.waiting[id] = append(c.waiting[id], wire)
	return wire
}

// of returns the id on the wire of the call that a response answers.
func (c callIDs) of(id string) string {
	waiting := c.waiting[id]
	if len(waiting) == 0 {
		return id
	}
	c.waiting[id] = waiting[1:]
	return waiting[0]
}
