package prompts

import (
	"strings"
	"testing"
)

// The titles in the templates start new parts, and titles within a file of instructions do not.
func TestBeginsPart(t *testing.T) {
	t.Parallel()
	for _, text := range []string{full, lean} {
		if !strings.Contains(text, "\n"+InstructionsFrom+"{{.Source}}\n") {
			t.Errorf("no part begins with %q in\n%s", InstructionsFrom, text)
		}
	}
	for _, tc := range []struct {
		line, within string
		begins       bool
	}{
		{"# Environment", "its beginning", true},
		{"# Instructions from AGENTS.md", "# Environment", true},
		{"# Style", "# Instructions from AGENTS.md", false},
		{"# Instructions from more.md", "# Instructions from AGENTS.md", true},
		{"# Notes", "# Instructions from AGENTS.md", true},
		{"# Other", "# Notes", true},
		{"## Deeper", "# Environment", false},
		{"text", "# Environment", false},
	} {
		if got := IsPartTitle(tc.line, tc.within); got != tc.begins {
			t.Errorf("%q within %q: %v", tc.line, tc.within, got)
		}
	}
}
