package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"agent/internal/history"
)

// attacher collects the data that a provider attaches to a reply while the reply is received.
type attacher struct {
	// replay is the replay of the request that the reply answers.
	replay replay
	// field is the member with the reasoning in plain text.
	field   string
	details []reasoningDetail
	// items holds the reasoning items of the Responses API.
	items []json.RawMessage
}

// reasoningDetail contains the members of a reasoning detail, or of a part of a detail.
type reasoningDetail map[string]json.RawMessage

// streamedMembers lists the members of a detail that arrive in parts.
var streamedMembers = []string{"text", "summary", "data"}

// addDetails adds parts to the details with the same type and index. It returns the size of the parts
// in bytes.
func (a *attacher) addDetails(pieces []reasoningDetail) (size int) {
	for _, piece := range pieces {
		if len(a.details) > maxParts {
			break // the reply is refused because of this detail
		}
		whole := a.detailOf(piece)
		if whole == nil {
			whole = reasoningDetail{}
			a.details = append(a.details, whole)
		}
		for key, value := range piece {
			size += len(key) + len(value)
			whole.add(key, value)
		}
	}
	return size
}

// add adds a member of a part. It joins JSON strings by removing the quotes between them.
func (d reasoningDetail) add(key string, value json.RawMessage) {
	known := d[key]
	switch {
	case known != nil && string(value) == "null":
	case slices.Contains(streamedMembers, key) && isString(known) && isString(value):
		d[key] = append(known[:len(known)-1], value[1:]...)
	default:
		d[key] = slices.Clone(value)
	}
}

// addItem adds a reasoning item of the Responses API, and returns its size in bytes.
func (a *attacher) addItem(item reasoningItem) (size int) {
	raw, err := json.Marshal(item)
	if err != nil {
		return 0 // an item that is not JSON cannot be sent again
	}
	a.field, a.items = fieldItems, append(a.items, raw)
	return len(raw)
}

// detailOf returns the detail that a part continues, or nil if the part begins another.
func (a *attacher) detailOf(piece reasoningDetail) reasoningDetail {
	if piece["index"] == nil {
		return nil
	}
	for _, d := range slices.Backward(a.details) {
		// Gemini signs calls of one index by details with separate ids.
		otherID := isString(d["id"]) && isString(piece["id"]) && string(d["id"]) != string(piece["id"])
		if !otherID && string(d["index"]) == string(piece["index"]) && string(d["type"]) == string(piece["type"]) {
			return d
		}
	}
	return nil
}

func isString(raw json.RawMessage) bool { return strings.HasPrefix(string(raw), `"`) }

// thought returns the data attached to the reasoning of the reply, or nil.
func (a *attacher) thought() *history.Attachment {
	var data json.RawMessage
	switch {
	case len(a.items) > 0:
		data = list(a.items)
	case len(a.details) > 0:
		data = list(a.details)
	case a.field == "":
		return nil
	}
	wanted := a.replay.thoughts || a.replay.signed && len(data) > 0
	return &history.Attachment{Model: a.replay.model, Host: a.replay.host, Wanted: wanted, Field: a.field, Data: data}
}

// call returns the data attached to a call, or nil.
func (a *attacher) call(extra json.RawMessage) *history.Attachment {
	if len(extra) == 0 {
		return nil
	}
	return &history.Attachment{Model: a.replay.model, Host: a.replay.host, Wanted: true, Field: fieldExtraContent, Data: extra}
}

// list encodes items, which are valid JSON, as a JSON list.
func list[T any](items []T) json.RawMessage {
	raw, err := json.Marshal(items)
	if err != nil {
		return nil
	}
	return raw
}
