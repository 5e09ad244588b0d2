package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/sandbox/confine"
)

// The helper of the sandbox runs for every command, so it must not wait until the
// whole program is initialised.
func TestHelperComesBeforeTheRest(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{confine.Name}
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 125 {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "init syscall") {
		t.Fatalf("no trace of what was initialised:\n%s", out)
	}
	for line := range strings.Lines(string(out)) {
		// Some small ones come before it; these take the most time.
		if strings.Contains(line, "agent/internal/tui") || strings.Contains(line, "chroma") || strings.Contains(line, "goldmark") {
			t.Errorf("initialised before the helper: %s", line)
		}
	}
}
