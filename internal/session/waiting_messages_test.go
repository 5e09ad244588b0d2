package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The waiting messages after a replay are the recorded ones, over any changes and restarts. A
// record contains only the changes.
func TestWaiting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var replayed []json.RawMessage
		message := rapid.Custom(func(rt *rapid.T) json.RawMessage {
			return json.RawMessage(fmt.Sprintf("%q", rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "message")))
		})
		for range rapid.IntRange(1, 5).Draw(rt, "changes") {
			want := rapid.SliceOfN(message, 0, 4).Draw(rt, "waiting")
			change, changed := changeOf(replayed, want)
			if changed == slices.EqualFunc(replayed, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
				rt.Fatalf("from %s to %s: changed %t", replayed, want, changed)
			}
			if replayed = change.applyTo(replayed); fmt.Sprintf("%s", replayed) != fmt.Sprintf("%s", want) {
				rt.Fatalf("%+v gives %s, want %s", change, replayed, want)
			}
		}
	})
	one, two, three := json.RawMessage(`"1"`), json.RawMessage(`"2"`), json.RawMessage(`"3"`)
	if change, _ := changeOf([]json.RawMessage{one, two}, []json.RawMessage{two, three}); change.Taken != 1 || change.Withdrawn != 0 || len(change.Added) != 1 {
		t.Errorf("%+v", change)
	}
	if got := (waitingPayload{Taken: 9, Withdrawn: -1}).applyTo([]json.RawMessage{one}); len(got) != 0 {
		t.Errorf("%s", got)
	}
}
