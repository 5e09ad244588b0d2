package app

import "testing"

// An id that is not there is answered with the one that was meant, and with none where
// that could be any.
func TestNearestID(t *testing.T) {
	t.Parallel()
	ids := []string{"20261122-024247-mfrfg", "20261122-024247-zmbxy", "20261030-111500-aaaaa"}
	for id, want := range map[string]string{
		"20261122-024247-mfrgf": ids[0],
		"20261122-024247-zmbx1": ids[1],
		"20261122024247-zmbxy":  ids[1],
		"mfrfg":                 ids[0],
		"20261030-1125":         ids[2],
		"20261112-0242":         ids[0],
		"no-such":               "",
		"x":                     "",
		"31":                    "",
	} {
		if got := nearestID(id, ids); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if got := nearestID("20261122-024247-mfrgf", nil); got != "" {
		t.Errorf("of none: %q", got)
	}
}
