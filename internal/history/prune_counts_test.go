package history

import (
	"encoding/json"
	"testing"
)

// REQ-HD-001.8: PruneCounts are written as JSON, as in the session log and stream-json, and as a text.
func TestCounts(t *testing.T) {
	t.Parallel()
	counts := PruneCounts{
		{"stale-read", "readWritePairsPruned", "stale read", "stale reads", 2},
		{"old-result", "recencyPruned", "old result", "old results", 0},
		{"new-kind", "newKind", "new thing", "new things", 1},
	}
	data, err := json.Marshal(counts)
	if want := `{"readWritePairsPruned":2,"recencyPruned":0,"newKind":1}`; err != nil || string(data) != want {
		t.Errorf("JSON is %s, %v, want %s", data, err, want)
	}
	if got, want := counts.String(), "2 stale reads, 1 new thing"; got != want {
		t.Errorf("in words %q, want %q", got, want)
	}
	sum := counts.Plus(PruneCounts{{Kind: "old-result", N: 4}})
	if sum.CountOf("stale-read") != 2 || sum.CountOf("old-result") != 4 || sum.Total() != 7 || sum.CountOf("unheard-of") != 0 {
		t.Errorf("the sum is %+v", sum)
	}
	if counts.CountOf("old-result") != 0 {
		t.Error("Plus changed what it added to")
	}
	if data, err := json.Marshal(PruneCounts(nil)); err != nil || string(data) != "{}" {
		t.Errorf("no phases: %s, %v", data, err)
	}
}
