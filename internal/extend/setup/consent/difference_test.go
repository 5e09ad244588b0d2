package consent

import (
	"strings"
	"testing"
)

// The difference contains every member that was added, removed or changed, once, by its name.
func TestDifference(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, now, want string }{
		{`{"effects":[{"name":"command","text":"1"},{"name":"argument","text":"y"}]}`, `{"effects":[{"name":"command","text":"1"},{"name":"argument","text":"z"},{"name":"argument","text":"w"}]}`, "- argument 1: y|+ argument 1: z|+ argument 2: w"},
		{`{"effects":[{"name":"b","text":"1"},{"name":"c"}]}`, `{"effects":[{"name":"a"},{"name":"b","text":"1"}]}`, "+ a|- c"},
		{`{"effects":[{"name":"env","key":"A","text":"1"}]}`, `{"effects":[{"name":"env","key":"A","text":"2","note":"n"}]}`, "- env A: 1|+ env A: 2 (n)"},
		{`{"effects":[{"name":"allow","text":"1"},{"name":"allow","text":"2"}]}`, `{"effects":[{"name":"allow","text":"1"}],"in":"sub","undetermined":true}`, "- allow 2: 2|+ in: sub|+ may run files that agent can't determine, so later changes to them need no approval"},
		{`{"files":[{"path":"a","sha256":"1"},{"path":"b","sha256":"1"}]}`, `{"files":[{"path":"a","sha256":"2"},{"path":"c","sha256":"1"}]}`, "+ file a: other bytes|- file b: 1|+ file c: 1"},
		{`{"files":[{"path":"a","sha256":"1"}]}`, `{"files":[{"path":"a","sha256":"1"}]}`, ""},
		{`5`, `{"effects":[{"name":"a","text":"1"}]}`, "+ a: 1"},
	} {
		if got := strings.Join(difference(tt.before, tt.now), "|"); got != tt.want {
			t.Errorf("from %s to %s: %s, want %s", tt.before, tt.now, got, tt.want)
		}
	}
}

// Items are named if there is one of a kind, and counted otherwise. The path of a file is relative
// to the workspace if possible.
func TestUnansweredItemsInWords(t *testing.T) {
	t.Parallel()
	item := func(kind Kind, name string) ReviewedItem { return ReviewedItem{Item: Item{Kind: kind, Name: name}} }
	for want, items := range map[string][]ReviewedItem{
		"server a, hook b, grants c, allow": {item(KindAllow, ""), item(KindGrants, "c"), item(KindHook, "b"), item(KindServer, "a")},
		"2 servers, 2 times grants":         {item(KindGrants, "a"), item(KindServer, "a"), item(KindGrants, "b"), item(KindServer, "b")},
	} {
		if got := strings.Join(countItems(items), ", "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	trust := &Trust{Store: &Store{workspace: "/r/ws", root: "/r"}}
	for path, want := range map[string]string{"/r/ws/a": "a", "/r/a": "a", "/a": "/a"} {
		if got := trust.short(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// If there are too many answers, the oldest ones are removed.
func TestOldAnswersGo(t *testing.T) {
	t.Parallel()
	s := &Store{path: t.TempDir() + "/allowed.json"}
	if err := s.update(func([]record) []record { return append(make([]record, 1, maxRecords+1), make([]record, maxRecords)...) }); err != nil {
		t.Fatal(err)
	}
	if all, err := s.read(); err != nil || len(all) != maxRecords {
		t.Errorf("%d answers are kept, %v", len(all), err)
	}
}
