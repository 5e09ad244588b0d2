package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/llm/loose"
	"agent/internal/rawjson"
)

// attacher collects what a provider attaches to a reply while it arrives.
type attacher struct {
	// replay is of the request that is answered.
	replay replay
	// field is the member in which reasoning in words comes.
	field   string
	details []*partialDetail
	// items are the reasoning items of the Responses API.
	items []json.RawMessage
}

// reasoningDetail is a piece of a reasoning detail, with the members it has.
type reasoningDetail map[string]json.RawMessage

// partialDetail is a reasoning detail that is arriving.
type partialDetail struct {
	members reasoningDetail
	// streamed are the texts of the members of which more than one piece came.
	streamed map[string]*strings.Builder
}

// streamedMembers are the members of a detail that come in pieces.
var streamedMembers = []string{"text", "summary", "data"}

// addDetails merges pieces of details: those of one type and index belong together.
// It returns how much they added, in bytes.
func (a *attacher) addDetails(pieces []reasoningDetail) (size int) {
	for _, piece := range pieces {
		if len(a.details) > maxParts {
			break // the reply is refused for it
		}
		whole := a.detailOf(piece)
		if whole == nil {
			whole = &partialDetail{members: reasoningDetail{}, streamed: map[string]*strings.Builder{}}
			a.details = append(a.details, whole)
		}
		for key, value := range piece {
			size += len(key) + len(value)
			whole.add(key, value)
		}
	}
	return size
}

// add takes a member of a piece.
func (d *partialDetail) add(key string, value json.RawMessage) {
	known := d.members[key]
	switch {
	case known != nil && string(value) == "null":
	case !slices.Contains(streamedMembers, key) || !isString(known) || !isString(value):
		d.members[key] = value
		delete(d.streamed, key)
	default:
		if d.streamed[key] == nil {
			d.streamed[key] = &strings.Builder{}
			d.streamed[key].WriteString(loose.Decode[string](known))
		}
		d.streamed[key].WriteString(loose.Decode[string](value))
	}
}

// addItem keeps a reasoning item of the Responses API, and returns its size in bytes.
func (a *attacher) addItem(item reasoningItem) (size int) {
	raw, err := json.Marshal(item)
	if err != nil {
		return 0 // an item that is no JSON cannot go back
	}
	a.field, a.items = fieldItems, append(a.items, raw)
	return len(raw)
}

// detailOf returns the detail that a piece continues, nil if it begins another.
func (a *attacher) detailOf(piece reasoningDetail) *partialDetail {
	if piece["index"] == nil {
		return nil
	}
	for _, d := range slices.Backward(a.details) {
		// Gemini signs calls of one index by details with ids of their own.
		otherID := isString(d.members["id"]) && isString(piece["id"]) && string(d.members["id"]) != string(piece["id"])
		if !otherID && string(d.members["index"]) == string(piece["index"]) && string(d.members["type"]) == string(piece["type"]) {
			return d
		}
	}
	return nil
}

func isString(raw json.RawMessage) bool { return strings.HasPrefix(string(raw), `"`) }

// thought is what belongs to the reasoning of the reply, nil if nothing came.
func (a *attacher) thought() *history.Attached {
	var data json.RawMessage
	switch {
	case len(a.items) > 0:
		data = list(a.items)
	case len(a.details) > 0:
		details := make([]json.RawMessage, len(a.details))
		for i, d := range a.details {
			details[i] = d.json()
		}
		data = list(details)
	case a.field == "":
		return nil
	}
	return &history.Attached{
		Model: a.replay.model, Host: a.replay.host, Wanted: a.replay.wanted(data),
		Field: a.field, Data: data,
	}
}

// call is what belongs to a call, nil if nothing came.
func (a *attacher) call(extra json.RawMessage) *history.Attached {
	if len(extra) == 0 {
		return nil
	}
	return &history.Attached{Model: a.replay.model, Host: a.replay.host, Wanted: true, Field: fieldExtraContent, Data: extra}
}

// json is the detail with its members in a fixed order.
func (d *partialDetail) json() json.RawMessage {
	for key, text := range d.streamed {
		d.members[key] = rawjson.AppendString(nil, text.String())
	}
	raw, err := json.Marshal(d.members)
	if err != nil {
		return nil // its members were JSON when they came
	}
	return raw
}

// list is a JSON list of items.
func list(items []json.RawMessage) json.RawMessage {
	raw := []byte("[")
	for i, item := range items {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(raw, item...)
	}
	return append(raw, ']')
}
