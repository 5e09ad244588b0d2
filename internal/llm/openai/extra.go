package openai

import (
	"bytes"
	"encoding/json"

	"agent/internal/rawjson"
)

// withExtra adds the extra members to a body, which is a JSON object. What is there
// twice in a body some servers refuse, so a member of the user's takes the place of
// ours.
func (c *Client) withExtra(body []byte) []byte {
	extra := bytes.TrimSpace(c.config.ExtraBody)
	if len(extra) < len(`{"":0}`) {
		return body
	}
	var names map[string]json.RawMessage
	if json.Unmarshal(extra, &names) != nil {
		return body
	}
	// Most names are the user's own; only for the others the body is taken apart.
	for name := range names {
		if bytes.Contains(body, append(rawjson.AppendString(nil, name), ':')) {
			body = rebuilt(body, names)
			break
		}
	}
	return append(append(body[:len(body)-1:len(body)-1], ','), extra[1:]...)
}

// rebuilt copies an object's members in their order, but for those named.
func rebuilt(object []byte, without map[string]json.RawMessage) []byte {
	members := json.NewDecoder(bytes.NewReader(object))
	if _, err := members.Token(); err != nil {
		return object
	}
	kept := make([]byte, 0, len(object))
	kept = append(kept, '{')
	for members.More() {
		key, err := members.Token()
		name, isName := key.(string)
		var value json.RawMessage
		if err != nil || !isName || members.Decode(&value) != nil {
			return object
		}
		if _, replaced := without[name]; replaced {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(rawjson.AppendString(kept, name), ':')
		kept = append(kept, value...)
	}
	return append(kept, '}')
}
