package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// callAssembler assembles tool calls from the fragments of a stream. According to the specification,
// every fragment has the index of its call, and the first fragment has id and name. But some servers
// omit the index or the id, send the id later, or send every call with index 0. Some split the name, or
// repeat it in every fragment. Some send empty arguments before the real ones, or repeat the arguments
// at the end.
type callAssembler struct {
	// newID makes an id for a call that has none.
	newID func() string

	calls []*partialCall
	// full is set once the server has begun more than maxCalls calls. Additional calls are ignored.
	full bool
}

// partialCall is a call whose fragments are being received.
type partialCall struct {
	index lenientjson.Int
	id    string
	// ownID is set while id is made by this client because the server has sent none.
	ownID     bool
	name      string
	arguments strings.Builder
	// extra is the extra_content of the call.
	extra     json.RawMessage
	announced bool
}

// add adds a fragment and returns the calls whose names are now complete. It ignores an empty fragment,
// which may result from a member of an unexpected type.
func (a *callAssembler) add(f callFragment) []llm.ToolCallStarted {
	if a.full || f.ID+f.name()+f.arguments() == "" && len(f.ExtraContent) == 0 {
		return nil
	}
	call := a.callOf(f)
	if call == nil && len(a.calls) == maxCalls {
		a.full = true
		return nil
	}
	if call == nil {
		call = &partialCall{index: f.Index, ownID: true}
		a.calls = append(a.calls, call)
	}
	if call.ownID && f.ID != "" && a.byID(f.ID) == nil {
		call.id, call.ownID = f.ID, false
	}
	if call.id == "" {
		call.id = a.newID()
	}
	call.addName(f.name())
	call.arguments.WriteString(f.arguments())
	if len(f.ExtraContent) > 0 && string(f.ExtraContent) != "null" {
		call.extra = f.ExtraContent
	}
	return a.announce(func(c *partialCall) bool { return c.name != "" && (c != call || c.arguments.Len() > 0) })
}

// announce returns the calls that are ready and were not announced before.
func (a *callAssembler) announce(ready func(*partialCall) bool) []llm.ToolCallStarted {
	var started []llm.ToolCallStarted
	for _, c := range a.calls {
		if !c.announced && ready(c) {
			c.announced = true
			started = append(started, llm.ToolCallStarted{Name: c.name})
		}
	}
	return started
}

// callOf returns the call that a fragment continues, or nil if it begins a new one.
func (a *callAssembler) callOf(f callFragment) *partialCall {
	if len(a.calls) == 0 {
		return nil
	}
	last := a.calls[len(a.calls)-1]
	switch {
	case f.Index.Is:
		call := a.byIndex(f.Index)
		if call != nil && call.endsBefore(f) && (!call.ownID && f.ID != "" && f.ID != call.id || call.ownID && f.ID == "" && call.differs(f)) {
			return nil
		}
		return call
	case f.ID != "":
		if call := a.byID(f.ID); call != nil || f.name() != "" {
			return call
		}
		return last
	case last.arguments.Len() == 0 && last.name == f.name(), !last.endsBefore(f):
		return last
	default:
		return nil
	}
}

// endsBefore reports whether the call has ended before a fragment that names a function. It has ended
// if its arguments are complete, or if it has no arguments yet.
func (p *partialCall) endsBefore(f callFragment) bool {
	arguments := p.arguments.String()
	return f.name() != "" && (arguments == "" || strings.HasSuffix(arguments, "}") && json.Valid([]byte(arguments)))
}

// differs reports whether a fragment without an id is another complete call, and not a repetition of
// this call.
func (p *partialCall) differs(f callFragment) bool {
	before, now := p.arguments.String(), f.arguments()
	return before != "" && (f.name() != p.name || before != "{}" && now != before && json.Valid([]byte(now)))
}

// addName adds the name in a fragment. It is the first part, another part, or the whole name again.
func (p *partialCall) addName(name string) {
	switch {
	case p.name != "" && p.arguments.Len() > 0:
	case strings.HasPrefix(name, p.name):
		p.name = name
	default:
		p.name += name
	}
}

// byIndex returns the latest call with an index, because a server that sends index 0 for every call
// means the latest.
func (a *callAssembler) byIndex(index lenientjson.Int) *partialCall {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].index == index {
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

// complete reports whether there are calls, all with complete arguments.
func (a *callAssembler) complete() bool {
	for _, c := range a.calls {
		if arguments := c.arguments.String(); arguments != "" && !json.Valid([]byte(settleArguments(arguments))) {
			return false
		}
	}
	return len(a.calls) > 0
}

// finalArguments returns the arguments without repetitions.
func (p *partialCall) finalArguments() string {
	if p.arguments.Len() == 0 {
		return ""
	}
	return settleArguments(p.arguments.String())
}

// settleArguments handles arguments that consist of several objects. If all others are empty or equal
// to one of them, it returns that object. It returns other arguments unchanged.
func settleArguments(arguments string) string {
	if json.Valid([]byte(arguments)) {
		return arguments
	}
	settled := "{}"
	for values := json.NewDecoder(strings.NewReader(arguments)); ; {
		var value json.RawMessage
		err := values.Decode(&value)
		if errors.Is(err, io.EOF) {
			return settled
		}
		var compact bytes.Buffer
		if err != nil || value[0] != '{' || json.Compact(&compact, value) != nil {
			return arguments
		}
		switch object := compact.String(); {
		case object == "{}", object == settled:
		case settled == "{}":
			settled = object
		default:
			return arguments
		}
	}
}

func (c *Client) newCallID() string { return fmt.Sprintf("call_%d", c.madeIDs.Add(1)) }
