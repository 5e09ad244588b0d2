package slash

import (
	"strings"
	"testing"
)

// The line below each view of /density names every form that has a word of its own.
func TestDensityVerbs(t *testing.T) {
	t.Parallel()
	for _, form := range densityCommand(Deps{}).Forms {
		verb, _, _ := strings.Cut(form.Args, " ")
		if verb != strings.ToUpper(verb) && !strings.Contains(densityVerbs, verb) {
			t.Errorf("%q does not name %s", densityVerbs, verb)
		}
	}
}
