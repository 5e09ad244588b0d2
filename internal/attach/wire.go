package attach

import "encoding/json"

// A JoinRequest is the first line of a client.
type JoinRequest struct {
	Type string `json:"type"`
	// After is the number of the last line that the client received. Run identifies the Hub that numbered
	// this line, because each Hub counts from 1.
	After uint64 `json:"after,omitempty"`
	Run   string `json:"run,omitempty"`
	// Watch is set if the client receives only the lines for boards: states and questions.
	Watch bool `json:"watch,omitempty"`
	// Terminal is set if a user types at the client. Only such clients can widen permissions.
	Terminal bool `json:"terminal,omitempty"`
}

// JoinReply is the answer to a Join. The lines after the number After follow.
type JoinReply struct {
	Type string `json:"type"`
	Run  string `json:"run"`
	// After is the number of the line after which lines follow.
	After uint64 `json:"after"`
	// Snapshot is set if the client must start from the record, because the lines after its last line were
	// dropped. Record is the number of the latest record to show.
	Snapshot bool   `json:"snapshot"`
	Record   uint64 `json:"record"`
	// State is the latest state of the session.
	State json.RawMessage `json:"state,omitempty"`
	// Open holds the open questions that do not follow as lines.
	Open []json.RawMessage `json:"open,omitempty"`
}

// A ErrorLine is a line about an error of one client.
type ErrorLine struct {
	Type  string `json:"type"`
	Error string `json:"error"`
	// ID is the id of the question that the error is about, or 0 for none.
	ID int `json:"id,omitempty"`
}

// NewErrorLine returns the ErrorLine of an error.
func NewErrorLine(err error) ErrorLine { return ErrorLine{Type: "error", Error: err.Error()} }
