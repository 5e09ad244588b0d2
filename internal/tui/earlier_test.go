package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
)

// What is taken up again is printed folded: what was said, and a line for what was
// called.
func TestEarlierIsFolded(t *testing.T) {
	t.Parallel()
	m := newModel(t.Context(), Options{Now: time.Now, Status: chat.Status{Model: "demo"}, Earlier: Earlier{
		Before: 14, Unfinished: true,
		Exchanges: []Exchange{
			{Said: "fix the test", Calls: []string{"read_file", "read_line_range", "replace", "run_shell_command", "odd"}, Reply: "It is **fixed**."},
			{Said: "thanks"},
		},
	}}, 80, 24)
	got := strings.Join(m.frame().Printed, "\n")
	want := []string{"· 14 earlier exchanges", "> fix the test", "✓ read ×2, edited, ran, odd", "It is fixed.", "> thanks", "! the model has not finished"}
	for _, text := range want {
		at := strings.Index(got, text)
		if at < 0 {
			t.Fatalf("%q is missing or too early in what is left:\n%s", text, got)
		}
		got = got[at:]
	}
}
