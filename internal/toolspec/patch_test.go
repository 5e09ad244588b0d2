package toolspec

import (
	"encoding/json"
	"testing"

	"agent/internal/base/arguments"
)

// The label of a patch lists its files.
func TestAPatchIsAboutItsFiles(t *testing.T) {
	t.Parallel()
	does := Traits{Edits: true, Density: Density{Patch: []string{"input"}}, Words: SameVerbs("editing", "edited", "edit")}
	for patch, want := range map[string]string{
		"*** Begin Patch\n*** Update File: src/a.go\n@@ x\n-*** Add File: no\n+b: File: c\n*** Add File: b.go\n+x\n*** Update File: c\n*** Move to: d/c\n*** Delete File: e\n*** End Patch": "editing src/a.go, b.go, c to d/c, e",
		"no patch": "editing",
		"":         "editing",
	} {
		given, err := json.Marshal(map[string]string{"input": patch})
		if err != nil {
			t.Fatal(err)
		}
		if got := does.Describe("apply_patch", arguments.Parse(given)).Progressive(); got != want {
			t.Errorf("%q is said as %q, want %q", patch, got, want)
		}
	}
}
