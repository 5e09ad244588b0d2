package llm

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
	details []reasoningDetail
	// items are the reasoning items of the Responses API.
	items []json.RawMessage
}

// reasoningDetail is a piece of a reasoning detail, with the members it has.
type reasoningDetail map[string]json.RawMessage

// streamedMembers are the members of a detail that come in pieces.
var streamedMembers = []string{"text", "summary", "data"}

// addDetails merges pieces of details: those of one type and index belong together.
func (a *attacher) addDetails(pieces []reasoningDetail) {
	for _, piece := range pieces {
		whole := a.detailOf(piece)
		if whole == nil {
			a.details = append(a.details, piece)
			continue
		}
		for key, value := range piece {
			switch {
			case slices.Contains(streamedMembers, key) && isString(whole[key]) && isString(value):
				whole[key] = rawjson.AppendString(nil, loose.Decode[string](whole[key])+loose.Decode[string](value))
			case string(value) != "null":
				whole[key] = value
			}
		}
	}
}

// addItem keeps a reasoning item of the Responses API.
func (a *attacher) addItem(item reasoningItem) {
	raw, err := json.Marshal(item)
	if err != nil {
		return // an item that is no JSON cannot go back
	}
	a.field, a.items = fieldItems, append(a.items, raw)
}

// detailOf returns the detail that a piece continues, nil if it begins another.
func (a *attacher) detailOf(piece reasoningDetail) reasoningDetail {
	if piece["index"] == nil {
		return nil
	}
	for _, d := range a.details {
		if string(d["index"]) == string(piece["index"]) && string(d["type"]) == string(piece["type"]) {
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
func (d reasoningDetail) json() json.RawMessage {
	raw, err := json.Marshal(d)
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
