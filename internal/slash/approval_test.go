package slash_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/rules"
)

// /approval lists the permissions that the user granted with "always", and can revoke them.
func TestApprovalGrants(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := text(w.run(t, "/approval")); !strings.Contains(got, "No permissions granted") {
		t.Errorf("without grants:\n%s", got)
	}
	w.session.grants = []gate.GrantEntry{{Says: "any `go test …`"}, {Says: "exactly `touch a1`"}}
	if got := text(w.run(t, "/approval")); !strings.Contains(got, "in this session:\n  1  any `go test …`\n  2  exactly `touch a1`\n") {
		t.Errorf("with grants:\n%s", got)
	}
	if got := text(w.run(t, "/approval forget 2")); !strings.Contains(got, "Revoked: exactly `touch a1`") {
		t.Errorf("forget 2:\n%s", got)
	}
	w.run(t, "/approval forget all")
	if want := []string{"forget 2", "forget 0"}; !slices.Equal(w.session.done, want) {
		t.Errorf("did %v, want %v", w.session.done, want)
	}
	w.refused(t, "/approval forget", "an argument is missing")
	w.refused(t, "/approval forget x", "unknown permission")
	w.refused(t, "/approval forget -1", "unknown permission")
	w.refused(t, "/approval ask now", "too many arguments; /approval takes MODE or forget N|all")
}

// D-123: permissions for the project are listed after the permissions of the session, with their
// date and their uses. A permission without a use for 30 days is dimmed.
func TestApprovalListsStoredPermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := func(ago int) string { return testTime.AddDate(0, 0, -ago).Format(time.DateOnly) }
	w.session.grants = []gate.GrantEntry{
		{Says: "edits of *.go files"},
		{Says: "any `go test …`", Project: true, Permission: rules.Permission{Since: day(90), Used: day(1), Count: 12}},
		{Says: "exactly `make`", Project: true, Permission: rules.Permission{Since: day(40), Used: day(31), Count: 1}},
		{Says: "exactly `ls`", Project: true, Permission: rules.Permission{Since: day(31)}},
		{Says: "exactly `df`", Project: true, Permission: rules.Permission{Since: day(29)}},
	}
	out := w.run(t, "/approval")
	for _, want := range []string{
		"in this session:\n  1  edits of *.go files\n",
		"permanently in this project:\n  2  any `go test …`  (since " + day(90) + ", in this project, used 12 times, last " + day(1) + ")\n",
		"  3  exactly `make`  (since " + day(40) + ", in this project, used 1 time, last " + day(31) + ", not in the last 30 days)\n",
		"  4  exactly `ls`  (since " + day(31) + ", in this project, not used yet, not in the last 30 days)\n",
		"  5  exactly `df`  (since " + day(29) + ", in this project, not used yet)\n",
	} {
		if got := text(out); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	var faded []string
	for _, c := range out.Pick.Choices {
		if c.Faded {
			faded = append(faded, c.Line)
		}
	}
	if want := []string{"/approval forget 3", "/approval forget 4"}; !slices.Equal(faded, want) {
		t.Errorf("faded are %q, want %q", faded, want)
	}
	if last := out.Pick.Choices[len(out.Pick.Choices)-1]; last.Name != "forget exactly `df`" {
		t.Errorf("the last choice is %+v", command.Choice{Name: last.Name, Help: last.Help})
	}
}
