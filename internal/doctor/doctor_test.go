package doctor

import "testing"

// A terminal that only prints lines is served; one without a name is not known.
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
