package tui

import "testing"

// Calls are told in words of what they do.
func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, title, ended, notDone string }{
		{"run_shell_command", "run_shell_command go test", "ran go test", "run go test"},
		{"run_shell_command", "run_shell_command (job 2, wait_seconds 10)", "looked at job 2", "look at job 2"},
		{"run_shell_command", "run_shell_command (job)", "ran (job)", "run (job)"},
		{"replace", "replace a.go", "edited a.go", "edit a.go"},
		{"frobnicate", "frobnicate (a 1)", "frobnicate (a 1)", "frobnicate (a 1)"},
	} {
		if c := describe(tt.name, tt.title); c.ended() != tt.ended || c.notDone() != tt.notDone {
			t.Errorf("%s: %q and %q", tt.title, c.ended(), c.notDone())
		}
	}
}
