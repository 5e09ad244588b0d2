package slash_test

import (
	"strings"
	"testing"
)

// No command that shows settings shows the API key in a header.
func TestNoCommandShowsTheKeyInAHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const key = "correct-horse-battery"
	shown := 0
	for _, line := range []string{
		"/set header.X-Api-Key " + key, "/set header.X-Api-Key " + key, "/set header.X-Api-Key", "/set", "/settings", "/settings header.X-Api-Key", "/profile save gate", "/profile show gate",
		"/set unset header.X-Api-Key", "/profile load gate", "/set",
	} {
		got := text(w.run(t, line))
		if strings.Contains(got, "[key]") {
			shown++
		}
		if strings.Contains(got, key) {
			t.Errorf("%s says\n%s", line, got)
		}
	}
	if shown < 8 {
		t.Errorf("only %d of the commands show that there is a key", shown)
	}
	_, proposals := w.Complete("/set header.X-Api-Key ")
	for _, proposal := range proposals {
		if strings.Contains(proposal.Value+proposal.Help, key) {
			t.Errorf("proposes %v", proposal)
		}
	}
}
