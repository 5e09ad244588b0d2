package offline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"agent/internal/history"
	"agent/internal/offline/logs"
	"agent/internal/session"
)

// MaxInput is the size of the largest log or document that is read as a whole, in bytes.
const MaxInput = 1 << 30

// Parse reads a session log, a document, or a session of another coding agent. It distinguishes them by
// their first lines. Notices report the parts of a log that could not be used.
func Parse(name string, data []byte) (in Input, notices []string, err error) {
	if !isLog(data) {
		if in, notices, err := parseForeign(name, data); !errors.Is(err, logs.ErrUnknown) {
			return in, notices, err
		}
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
		History: state.Entries, Said: state.Originals,
		Steps: state.Steps(), Prunes: state.Prunes, Turn: state.Turn, Pins: state.Pins, Settings: state.Settings, Scales: state.Scales,
	}, state.Notices, nil
}

// parseForeign reads a session of another coding agent. The history begins after the session's last
// compaction.
func parseForeign(name string, data []byte) (in Input, notices []string, err error) {
	in = Input{Name: name}
	var said session.Originals
	notes, err := logs.ReadFile(bytes.NewReader(data), func(s logs.Span) error {
		in.WorkspaceRoot, in.History = s.Project, s.Entries
		said.Stretches = append(said.Stretches, s.Entries)
		return nil
	})
	switch {
	case err != nil:
		return Input{}, nil, fmt.Errorf("%s: %w", name, err)
	case len(said.Stretches) == 0:
		return Input{}, nil, fmt.Errorf("%s: the session has no reply of a model", name)
	}
	if notes.Lines > 0 {
		notices = []string{fmt.Sprintf("%s: %d damaged lines were skipped", name, notes.Lines)}
	}
	in.Said = func() (session.Originals, error) { return said, nil }
	return in, notices, nil
}

// saidOnce returns the Said function of a conversation that was never cleared.
func saidOnce(entries []*history.Content) func() (session.Originals, error) {
	return func() (session.Originals, error) {
		return session.Originals{Stretches: [][]*history.Content{entries}}, nil
	}
}

// isLog reports whether data begins with a record of a session log. The first lines may be damaged. No
// line of a document looks like a record.
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
