package lsp

import "encoding/json"

// list decodes the result of a call as a list of raw values.
func list(result json.RawMessage, err error) (items []json.RawMessage, _ error) {
	if err != nil || isNull(result) {
		return nil, err
	}
	if err := json.Unmarshal(result, &items); err != nil {
		return nil, badAnswer(err)
	}
	return items[:min(len(items), maxPlaces)], nil
}

// addCalls adds calls of a function to the places.
func (a *Answer) addCalls(calls []json.RawMessage, inBytes bool) error {
	for _, one := range calls {
		var call incomingCall
		if err := json.Unmarshal(one, &call); err != nil {
			return badAnswer(err)
		}
		for _, at := range call.FromRanges {
			if p := pathOf(call.From.URI); p != "" && len(a.Places) < maxPlaces {
				a.Places = append(a.Places, Location{Path: p, Within: call.From.Name, at: at, bytes: inBytes})
			}
		}
	}
	return nil
}
