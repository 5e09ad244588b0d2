package patch

import (
	"strings"
	"testing"
)

// The grammar has the same markers as Parse, and every rule and terminal in it is defined.
func TestGrammarIsThatOfParse(t *testing.T) {
	t.Parallel()
	markers := []string{beginMarker, endMarker, endOfFile, moveHeader}
	for _, h := range headers {
		markers = append(markers, h)
	}
	for _, marker := range markers {
		if !strings.Contains(Grammar, `"`+marker) {
			t.Errorf("the grammar lacks %s", marker)
		}
	}
	for _, name := range []string{"section", "added", "deleted", "updated", "moved", "lines", "PATH", "ANCHOR", "NEW", "LINE"} {
		if strings.Count(Grammar, name) < 2 || !strings.Contains(Grammar, "\n"+name+": ") {
			t.Errorf("%s is not defined or not used", name)
		}
	}
}
