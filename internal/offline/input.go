package offline

import (
	"bytes"
	"encoding/json"
	"fmt"

	"agent/internal/history"
	"agent/internal/session"
)

// Parse reads a session log or a document; which of the two it is shows in its
// first line. Notices report what of a log could not be used.
func Parse(name string, data []byte) (in Input, notices []string, err error) {
	if !isLog(data) {
		document, err := history.ParseDocument(data)
		if err != nil {
			return Input{}, nil, fmt.Errorf("%s: %w", name, err)
		}
		return Input{
			Name: name, WorkspaceRoot: document.WorkspaceRoot, Document: document,
			History: document.History, Said: saidOnce(document.History),
		}, nil, nil
	}
	state, err := session.Replay(bytes.NewReader(data))
	if err != nil {
		return Input{}, nil, fmt.Errorf("%s: %w", name, err)
	}
	return Input{
		Name: name, WorkspaceRoot: state.Workspace,
		History: state.Entries, Said: state.Said,
		Steps: state.Steps(), Pins: state.Pins, Settings: state.Settings, Scales: state.Scales,
	}, state.Notices, nil
}

// saidOnce are entries of a conversation that was never cleared.
func saidOnce(entries []*history.Content) func() (session.Said, error) {
	return func() (session.Said, error) {
		return session.Said{Stretches: [][]*history.Content{entries}}, nil
	}
}

// isLog reports whether data begins with a record of a session log. The first lines
// may be damaged; no line of a document looks like a record.
func isLog(data []byte) bool {
	const looked = 5
	for range looked {
		var line []byte
		line, data, _ = bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
		var record struct {
			V    *int    `json:"v"`
			Type *string `json:"type"`
		}
		if json.Unmarshal(line, &record) == nil && record.V != nil && record.Type != nil {
			return true
		}
	}
	return false
}
