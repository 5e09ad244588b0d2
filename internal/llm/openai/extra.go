package openai

import (
	"encoding/json"
	"errors"

	"agent/internal/rawjson"
)

// withExtra adds the extra members to a body, which is a JSON object. What is there
// twice in a body some servers refuse, so a member of the user's takes the place of
// ours.
func (c *Client) withExtra(body []byte) []byte {
	if len(c.config.ExtraBody) == 0 {
		return body
	}
	var members map[string]json.RawMessage
	err := errors.Join(json.Unmarshal(body, &members), json.Unmarshal(c.config.ExtraBody, &members))
	whole, failed := rawjson.Marshal(members)
	if errors.Join(err, failed) != nil {
		return body // settings take an object only
	}
	return whole
}
