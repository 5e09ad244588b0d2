package provenance

import (
	"testing"

	"agent/internal/history"
)

// What names a block in an answer has no key in it.
func TestTitlesHaveNoKeys(t *testing.T) {
	t.Parallel()
	entry := history.HumanText("use ghp_0123456789abcdefABCDEF0123 here")
	if got := (&tracker{}).title(entry, entry.Blocks[0]); got != "you: use [key] here" {
		t.Errorf("title %q", got)
	}
}
