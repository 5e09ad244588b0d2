package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/sandbox/launcher"
)

// mostBefore is the largest number of packages that may be initialized before the helper.
const mostBefore = 40

// The helper of the sandbox runs for every command, so it must not wait until the whole program is
// initialized.
func TestHelperComesBeforeTheRest(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{launcher.Name}
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 125 {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "init syscall") {
		t.Fatalf("no trace of what was initialised:\n%s", out)
	}
	for line := range strings.Lines(string(out)) {
		// Go initializes ready packages in the order of their names. A package that is ready before
		// os, and precedes it by name, is unavoidable.
		if strings.Contains(line, "init unicode ") || strings.Contains(line, "init reflect ") || strings.Contains(line, "golang.org/x/net") || strings.Contains(line, "agent/internal/tui") {
			t.Errorf("initialised before the helper: %s", line)
		}
	}
	if n := strings.Count(string(out), "\ninit "); n > mostBefore {
		t.Errorf("%d packages are initialised before the helper:\n%s", n, out)
	}
}
