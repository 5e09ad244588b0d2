package mailbox

import (
	"agent/internal/chat"
)

// delta collects the text of deltas that follow each other, so that joining a
// thousand of them is not quadratic. It is an event by embedding its first one.
type delta struct {
	chat.Event
	text []byte
}

// event returns the joined delta.
func (d *delta) event() chat.Event {
	switch e := d.Event.(type) {
	case chat.TextDelta:
		return chat.TextDelta{Delta: string(d.text)}
	case chat.ReasoningDelta:
		return chat.ReasoningDelta{Delta: string(d.text)}
	case chat.ToolOutput:
		return chat.ToolOutput{Call: e.Call, Data: string(d.text)}
	}
	return d.Event
}

func isDelta(event chat.Event) bool {
	_, ok := deltaText(event)
	return ok
}

func deltaText(event chat.Event) (string, bool) {
	switch e := event.(type) {
	case chat.TextDelta:
		return e.Delta, true
	case chat.ReasoningDelta:
		return e.Delta, true
	case chat.ToolOutput:
		return e.Data, true
	}
	return "", false
}

// join adds event to last when both are deltas of one text, and reports whether it
// did.
func join(last *chat.Event, event chat.Event) bool {
	text, ok := deltaText(event)
	if !ok {
		return false
	}
	d, collecting := (*last).(*delta)
	first := *last
	if collecting {
		first = d.Event
	}
	if !sameText(first, event) {
		return false
	}
	if !collecting {
		before, _ := deltaText(first)
		d = &delta{Event: first, text: []byte(before)}
		*last = d
	}
	d.text = append(d.text, text...)
	if _, output := first.(chat.ToolOutput); output && len(d.text) > 2*OutputKept {
		d.text = append(d.text[:0], d.text[len(d.text)-OutputKept:]...)
	}
	return true
}

func sameText(a, b chat.Event) bool {
	switch a := a.(type) {
	case chat.TextDelta:
		_, ok := b.(chat.TextDelta)
		return ok
	case chat.ReasoningDelta:
		_, ok := b.(chat.ReasoningDelta)
		return ok
	case chat.ToolOutput:
		o, ok := b.(chat.ToolOutput)
		return ok && o.Call == a.Call
	}
	return false
}
