package compression

import (
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// If only a marker reports the latest calls, the next marker reports them too, however often the
// history is compressed before the model replies. After the reply, no marker does (D-42).
func TestUnreadCallsOutliveAJoinedMarker(t *testing.T) {
	t.Parallel()
	resumed := func(entries []*history.Content) []*history.Content {
		read := make([]*history.Content, len(entries))
		for i, entry := range entries {
			read[i] = &history.Content{}
			if err := read[i].UnmarshalJSON([]byte(asJSON(t, entry))); err != nil {
				t.Fatal(err)
			}
		}
		return read
	}
	drop := func(entries []*history.Content, which ...int) []*history.Content {
		tr := newTruncation(contextOf(t, 10, entries), entries, make([]int, len(entries)), groupEntries(entries))
		for _, i := range which {
			tr.drop(i)
		}
		left, _ := tr.result()
		return left
	}
	two := func() []*history.Content {
		return conv(H("old"), A(call("0", "read_file", `{}`)), T(res("0", "read_file", "x")), H("task"),
			A(call("1", "write_file", `{}`), call("2", "write_file", `{}`)), T(res("1", "write_file", "ok"), failed("2", "write_file", "no")), H("next"))
	}
	said := "; outcomes of your latest calls: 1 error, 1 success]"
	for _, tc := range []struct {
		name    string
		entries func() []*history.Content
		says    string
	}{
		{"once", func() []*history.Content { return drop(two(), 4) }, said},
		{"twice", func() []*history.Content { return drop(drop(two(), 4), 3) }, said},
		{"older calls later", func() []*history.Content { return drop(drop(two(), 4), 1) }, said},
		{"over a resume", func() []*history.Content { return drop(resumed(drop(two(), 4)), 3) }, said},
		{"a reply since", func() []*history.Content { return drop(append(drop(two(), 4), A("I see"), H("on")), 3) }, "]"},
		{"a message since", func() []*history.Content { return drop(append(drop(two(), 4), H("on")), 3) }, said},
		{"calls since", func() []*history.Content {
			return drop(append(drop(two(), 4), A(call("3", "x", `{}`)), T(res("3", "x", "ok")), H("on")), 6)
		}, "; outcomes of your latest calls: 1 success]"},
		{"in two steps", func() []*history.Content {
			l := &reduction{Context: contextOf(t, 10, two())}
			l.dropPairs(4, groupEntries(l.History).pairing.Pairs[1:2])
			return drop(l.History, slices.IndexFunc(l.History, func(c *history.Content) bool { return len(c.Calls()) == 1 && c.Calls()[0].ID == "2" }))
		}, said},
	} {
		entries := tc.entries()
		at := slices.IndexFunc(entries, isMarker)
		if text := entries[at].Text(); !strings.Contains(text, "dropped to fit the context limit"+tc.says) {
			t.Errorf("%s: %q", tc.name, text)
		}
		if kept := slices.ContainsFunc(withoutMarker(entries), isMarker); kept != (tc.says != "]") {
			t.Errorf("%s: the marker stays: %t", tc.name, kept)
		}
	}
}
