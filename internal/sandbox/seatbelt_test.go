package sandbox

import (
	"strings"
	"testing"
)

// The rules of the profile have the right order, because the last matching rule applies.
func TestSeatbeltProfile(t *testing.T) {
	t.Parallel()
	policy := Policy{
		Profile: ProfileWork, Workspace: `/w "x"`, Temp: "/t", DenyRead: []string{"/h/.ssh"}, Protected: []string{"/w/.git/hooks"},
	}
	at := -1
	work := seatbeltProfile(policy)
	for _, line := range []string{
		"(version 1)", "(deny file-write*)", `(allow file-write* (subpath "/w \"x\""))`, `(deny file-write* (subpath "/w/.git/hooks"))`,
		`(deny file-read* file-write* (subpath "/h/.ssh"))`, "(deny network*)", "(allow network* (local ip",
	} {
		next := strings.Index(work, line)
		if next <= at {
			t.Errorf("%s stands at %d, what is before it at %d, in\n%s", line, next, at, work)
		}
		at = next
	}
	policy.Profile = ProfileReadOnly
	if look := seatbeltProfile(policy); strings.Contains(look, `/w "x"`) || strings.Contains(look, "(allow network") {
		t.Errorf("looking may change the workspace or use the network:\n%s", look)
	}
}
