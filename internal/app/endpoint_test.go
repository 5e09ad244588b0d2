package app_test

import (
	"path/filepath"
	"testing"

	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// The record names the endpoint again when the user has returned to it (D-82).
func TestTheEndpointOfASessionIsRecorded(t *testing.T) {
	t.Parallel()
	d := newNoteWorkspace(t)
	d.model = func(*llmtest.Request) llmtest.Turn { return llmtest.Say("done") }
	s := d.sit()
	s.say("one")
	if err := s.Settings().Set(settings.LayerSession, settings.Provider.Key(), "ollama"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Settings().Unset(settings.LayerSession, settings.Provider.Key()); err != nil {
		t.Fatal(err)
	}
	s.say("two")
	f, err := d.process.Folders()
	if err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(f.Sessions(), "*", s.SessionID()+".jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	state, err := session.Open(logs[0])
	if want := settings.BaseURL.Value(d.settings); err != nil || state.Settings["endpoint"] != want {
		t.Errorf("the endpoint is %q, want %q, %v", state.Settings["endpoint"], want, err)
	}
}
