package doctor

import (
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/provider"
	"agent/internal/settings"
)

// If the user selected a model in an earlier session, doctor notes that -p ignores the selection.
// Otherwise it reports that the model is missing.
func TestTheModelChosenLast(t *testing.T) {
	t.Parallel()
	s := settings.New(settings.NewRegistry(settings.All(), settings.Choices{settings.CompressionStrategy.Key(): compression.Names()}))
	c := provider.New(provider.Config{Settings: s, Env: func(string) string { return "" }, Folder: t.TempDir()})
	t.Cleanup(func() { _ = c.Close() })
	for chosen, grade := range map[string]string{"": "fix", "gpt-5.5": "note"} {
		var r report
		r.model(c, s, []provider.ModelOffer{{ID: "gpt-5.5"}, {ID: "other"}}, chosen)
		if len(r) == 0 || r[0].Grade != grade || chosen != "" && len(r) != 2 {
			t.Errorf("%q: %+v", chosen, r)
		}
	}
}

// doctor accepts a terminal that only prints lines, and reports a terminal without a name as
// unknown.
func TestTerminalFinding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		term  string
		width int
		grade string
	}{
		{"xterm-256color", 80, "ok"}, {"xterm", 50, "note"}, {"dumb", 80, "note"}, {"", 80, "fix"},
	} {
		if got := terminalFinding(tt.term, tt.width, 24); got.Grade != tt.grade || got.What == "" || (got.Todo == "") != (got.Grade == "ok") {
			t.Errorf("TERM=%s, %d columns: %+v", tt.term, tt.width, got)
		}
	}
}

// doctor compares the settings of a session with the settings of a new session, and omits equal values.
func TestNewSession(t *testing.T) {
	t.Parallel()
	registry := settings.NewRegistry(settings.All(), settings.Choices{settings.CompressionStrategy.Key(): compression.Names()})
	session, fresh := settings.New(registry), settings.New(registry)
	var r report
	if r.newSession(session, fresh); len(r) > 0 {
		t.Errorf("equal settings: %+v", r)
	}
	for key, value := range map[string]string{"max-retries": "9", "temperature": "0.3"} {
		if err := session.Set(settings.LayerSession, key, value); err != nil {
			t.Fatal(err)
		}
	}
	r.newSession(session, fresh)
	if len(r) != 1 || !strings.Contains(r[0].What, "a new session starts with") || !strings.Contains(r[0].What, "max-retries=") ||
		!strings.Contains(r[0].What, "temperature=unset") || strings.Contains(r[0].What, "theme") {
		t.Errorf("%+v", r)
	}
}
