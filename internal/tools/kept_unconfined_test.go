package tools

import (
	"path/filepath"
	"strings"
	"testing"
)

// Without a sandbox that can hide a file under a deny rule or in an ignore file, a search of its
// folder requires approval.
func TestSearchesWithoutASandboxRequireApproval(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	root := env.Workspace.Root()
	writeTestFile(t, root, "dir/kept.txt", "word KEY\n")
	writeTestFile(t, root, "sub/open.txt", "word open\n")
	env.Protected.Keeps = true
	env.Protected.RuleForFile = func(abs string, edit bool) (string, bool) {
		if !edit && filepath.Base(abs) == "kept.txt" {
			return "kept from agents", false
		}
		return "", false
	}
	for line, looks := range map[string]bool{"rg word": false, "grep -r word .": false, "rg word d*": false, "rg word sub": true, "grep -rn word sub": true, "grep word sub/open.txt": true, "ls -R": true} {
		plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		if plan.Preview.ReadOnly != looks {
			t.Errorf("%s is said to look: %t", line, plan.Preview.ReadOnly)
		}
		if !looks && (len(plan.Preview.Protected) != 1 || !strings.HasSuffix(plan.Preview.Protected[0].Path, "kept.txt")) {
			t.Errorf("%s does not name the file: %+v", line, plan.Preview.Protected)
		}
	}
}
