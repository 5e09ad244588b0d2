package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agent/internal/shell"
)

// A grep that follows symbolic links, such as busybox's, requires approval if a link leads to a
// file that the model may not read.
func TestSearchesThatFollowLinks(t *testing.T) {
	t.Parallel()
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Skip("busybox is not installed")
	}
	bin := t.TempDir()
	if err := os.Symlink(busybox, filepath.Join(bin, "grep")); err != nil {
		t.Fatal(err)
	}
	env := shellEnv(t)
	env.Jobs = shell.NewJobs([]string{"PATH=" + bin + ":" + os.Getenv("PATH")}, nil)
	t.Cleanup(env.Jobs.Close)
	looks := func(line string) bool {
		plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		return plan.Preview.ReadOnly
	}
	if err := os.MkdirAll(filepath.Join(env.Workspace.Root(), "sub/deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, env, "sub", "inner")
	if !looks("grep -r x .") {
		t.Error("grep -r is asked about where no link leads out")
	}
	link(t, env, t.TempDir(), "sub/deep/out")
	for line, want := range map[string]bool{"grep -r x .": false, "grep -rn x s*": false, "grep -r x inner": false, "grep x sub/a": true} {
		if got := looks(line); got != want {
			t.Errorf("%s is said to look: %t", line, got)
		}
	}
}
