package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// On a terminal, help wraps a long line and indents the rest to its last column. A pipe receives
// the line unchanged.
func TestLinesAreLaidOutForTheTerminal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		width      int
		want       []string
	}{
		{"a pipe", "fix   a long line that says what to do", 0, []string{"fix   a long line that says what to do"}},
		{"a finding", "fix   a long line that says what to do", 20, []string{"fix   a long line", "      that says what", "      to do"}},
		{"two lines", "one\ntwo", 20, []string{"one", "two"}},
		{"a setting", "  theme  unset  default (the terminal's own)", 24, []string{"  theme  unset  default", "                (the", "                terminal's", "                own)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Wrap(tt.line, tt.width)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnbroken(t *testing.T) {
	t.Parallel()
	const give = "one\ntwo\n\nthree\nfour\n\n\tan example\n\tof two lines\nfive"
	const want = "one two\n\nthree four\n\n  an example\n  of two lines\nfive"
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(unbroken(give), "\n")); diff != "" {
		t.Error(diff)
	}
}
