package slash

import (
	"strings"
	"testing"
)

// The line below each view of /density lists every form of the command.
func TestDensityVerbs(t *testing.T) {
	t.Parallel()
	for _, form := range densityCommand(Deps{}).Forms {
		verb, _, _ := strings.Cut(form.Args, " ")
		if verb != strings.ToUpper(verb) && !strings.Contains(densityVerbs, verb) {
			t.Errorf("%q does not name %s", densityVerbs, verb)
		}
	}
}
