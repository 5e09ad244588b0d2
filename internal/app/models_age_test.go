package app

import (
	"testing"
	"time"

	"agent/internal/provider/catalogue"
)

// A notice reports an old model list once a month, and only if the list is old.
func TestOutdatedModels(t *testing.T) {
	t.Parallel()
	state, day := t.TempDir(), 24*time.Hour
	for _, tc := range []struct {
		age  int
		said bool
	}{{59, false}, {61, true}, {62, false}, {90, false}, {92, true}, {93, false}} {
		now := catalogue.ListDate().Add(time.Duration(tc.age) * day)
		if got := outdatedModels(state, now); (got != "") != tc.said {
			t.Errorf("after %d days: %q", tc.age, got)
		}
	}
}
