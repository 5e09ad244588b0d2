package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// callAssembler puts tool calls together from the fragments of a stream. By the
// book every fragment has the index of its call and the first one has id and name.
// Servers also leave out the index or the id, send every call whole with index 0,
// and repeat the name in every fragment.
type callAssembler struct {
	// newID makes an id for a call that has none.
	newID func() string

	calls []*partialCall
}

type partialCall struct {
	index     *int
	id, name  string
	arguments strings.Builder
	started   bool
}

// add takes a fragment. It returns a ToolCallStarted when this fragment is the
// first to name its call.
func (a *callAssembler) add(f callFragment) *ToolCallStarted {
	call := a.callOf(f)
	if call == nil {
		call = &partialCall{index: f.Index, id: f.ID}
		if call.id == "" || a.byID(call.id) != nil {
			call.id = a.newID()
		}
		a.calls = append(a.calls, call)
	}
	if call.name == "" {
		call.name = f.Function.Name
	}
	call.arguments.WriteString(f.arguments())
	if call.started || call.name == "" {
		return nil
	}
	call.started = true
	return &ToolCallStarted{ID: call.id, Name: call.name}
}

// callOf returns the call a fragment continues, nil if it begins a new one.
func (a *callAssembler) callOf(f callFragment) *partialCall {
	if len(a.calls) == 0 {
		return nil
	}
	last := a.calls[len(a.calls)-1]
	if f.Index != nil {
		call := a.byIndex(*f.Index)
		if call != nil && f.ID != "" && f.ID != call.id && call.over(f) {
			return nil
		}
		return call
	}
	if f.ID != "" {
		if call := a.byID(f.ID); call != nil || f.Function.Name != "" {
			return call
		}
		return last
	}
	if last.over(f) {
		return nil
	}
	return last
}

// over reports whether a fragment that names a function cannot belong to this
// call, because the call is whole already or is of another function.
func (p *partialCall) over(f callFragment) bool {
	if f.Function.Name == "" {
		return false
	}
	if p.arguments.Len() == 0 {
		return p.name != f.Function.Name
	}
	return json.Valid([]byte(p.arguments.String()))
}

// byIndex returns the latest call with an index: a server that numbers every call
// 0 means the one it is sending.
func (a *callAssembler) byIndex(index int) *partialCall {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if known := a.calls[i].index; known != nil && *known == index {
			return a.calls[i]
		}
	}
	return nil
}

func (a *callAssembler) byID(id string) *partialCall {
	for _, call := range a.calls {
		if call.id == id {
			return call
		}
	}
	return nil
}

// finished returns the calls in the order in which they began.
func (a *callAssembler) finished() []ToolCall {
	calls := make([]ToolCall, 0, len(a.calls))
	for _, c := range a.calls {
		calls = append(calls, ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	return calls
}

// newCallID makes an id that this client has not made before.
func (c *Client) newCallID() string { return fmt.Sprintf("call_%d", c.madeIDs.Add(1)) }
