package cachemiss

import (
	"strings"
	"testing"
)

// The reason from the provider follows our own.
func TestReasonOfTheProvider(t *testing.T) {
	t.Parallel()
	b := Miss{What: "the tools changed", Provider: "tools changed", Tokens: 2000}
	if got := b.String(); !strings.Contains(got, "the tools changed (the provider: tools changed); 2k tokens read again") {
		t.Error(got)
	}
}
