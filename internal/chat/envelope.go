package chat

import (
	"reflect"

	"agent/internal/rawjson"
)

// Envelope is an event with the conversation in which it happened. Events are plain
// values, which a front end may keep, or write as JSON for another program.
type Envelope struct {
	// Conversation is the ID of the conversation.
	Conversation string
	Event        Event
}

// Kind names an event by its type, such as "ToolEnded".
func Kind(e Event) string { return reflect.TypeOf(e).Name() }

// MarshalJSON writes {"conversation": ID, "kind": KIND, "event": {…}}.
func (e Envelope) MarshalJSON() ([]byte, error) {
	return rawjson.Marshal(struct {
		Conversation string `json:"conversation"`
		Kind         string `json:"kind"`
		Event        Event  `json:"event"`
	}{e.Conversation, Kind(e.Event), e.Event})
}

// MarshalJSON writes the error as text.
func (e TurnEnded) MarshalJSON() ([]byte, error) {
	ended := struct {
		Outcome Outcome
		Err     string `json:",omitempty"`
	}{Outcome: e.Outcome}
	if e.Err != nil {
		ended.Err = e.Err.Error()
	}
	return rawjson.Marshal(ended)
}
