package slash_test

import (
	"slices"
	"strings"
	"testing"
)

// What was allowed with "always" can be seen and taken back.
func TestApprovalGrants(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := text(w.run(t, "/approval")); !strings.Contains(got, "Nothing was allowed") {
		t.Errorf("without grants:\n%s", got)
	}
	w.session.grants = []string{"any `go test …`", "exactly `touch a1`"}
	if got := text(w.run(t, "/approval")); !strings.Contains(got, "  1  any `go test …`\n  2  exactly `touch a1`\n") {
		t.Errorf("with grants:\n%s", got)
	}
	if got := text(w.run(t, "/approval forget 2")); !strings.Contains(got, "it is asked again: exactly `touch a1`") {
		t.Errorf("forget 2:\n%s", got)
	}
	w.run(t, "/approval forget all")
	if want := []string{"forget 2", "forget 0"}; !slices.Equal(w.session.done, want) {
		t.Errorf("did %v, want %v", w.session.done, want)
	}
	w.refused(t, "/approval forget", "say which")
	w.refused(t, "/approval forget x", "no number")
	w.refused(t, "/approval forget -1", "no number")
	w.refused(t, "/approval ask now", "too many arguments; /approval takes MODE or forget N|all")
}
