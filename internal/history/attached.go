package history

import "encoding/json"

// Attached is what a provider attached to a block of its reply, such as a
// signature. Many providers refuse a conversation in which it does not come back
// word for word; no other provider can read it.
type Attached struct {
	// Model and Host are whom it comes from, and to whom alone it may go back.
	Model string `json:"model"`
	Host  string `json:"host"`
	// Wanted is set when the provider is known to want it back. Only then it counts
	// in the size of requests.
	Wanted bool `json:"wanted,omitzero"`
	// Field is the member of the provider's message that it came in. For thinking in
	// plain words, which are the block's own text, that is all there is to know.
	Field string `json:"field,omitzero"`
	// Data is JSON that is sent back unchanged.
	Data json.RawMessage `json:"data,omitzero"`
}

// From reports whether a is there and comes from a model at a host.
func (a *Attached) From(model, host string) bool {
	return a != nil && a.Model == model && a.Host == host
}

// countAttached returns the tokens that an attachment adds to a block whose text
// is sent back with it.
func countAttached(counter Counter, a *Attached, text string) int {
	if a == nil || !a.Wanted {
		return 0
	}
	return counter.Count(text) + counter.Count(string(a.Data))
}
