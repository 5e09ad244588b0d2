package provenance

import (
	"testing"

	"agent/internal/history"
)

// The title of a block contains no key.
func TestTitlesHaveNoKeys(t *testing.T) {
	t.Parallel()
	entry := history.HumanText("use ghp_0123456789abcdefABCDEF0123 here")
	if got := (&tracker{}).title(entry, entry.Blocks[0]); got != "you: use [key] here" {
		t.Errorf("title %q", got)
	}
}
