package openai

import "testing"

// joinHalves does not change an event that has no split surrogate pair.
func TestCompleteEventsStay(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`{"a":"\\ud83d"}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d x"}`, `{"a":"\u"}`, `{"a":"\ud8`, `{"a":"\"\ude00"}`, `["\ude00"]`, ``,
	} {
		s := &surrogates{}
		if got := string(s.joinHalves([]byte(data))); got != data || len(s.high) != 0 {
			t.Errorf("%s became %s", data, got)
		}
	}
}
