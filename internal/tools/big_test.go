package tools

import (
	"fmt"
	"os/exec"
	"testing"
)

// In a large repository, a search allocates little memory for each file. Most allocations come from
// system calls, so an additional stat of each file would fail the test.
func TestASearchCostsLittlePerFile(t *testing.T) {
	const few, many = 100, 500
	garbage := func(files int) float64 {
		contents := map[string]string{}
		for i := range files {
			contents[fmt.Sprintf("folder%d/file%d.go", i/100, i)] = "package x\n"
		}
		env := fileEnv(t, contents)
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = env.Workspace.Root()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("git: %v\n%s", err, out)
			}
		}
		return testing.AllocsPerRun(3, func() {
			mustRun(t, env, searchFileContent(), params{"pattern": "no such words"})
		})
	}
	if each := (garbage(many) - garbage(few)) / (many - few); each > 15 {
		t.Errorf("%.1f allocations for each further file", each)
	}
}
