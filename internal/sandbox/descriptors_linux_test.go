package sandbox_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/sandbox"
)

// A command inherits no file descriptor from the parent of the program, whatever its purpose and
// number (A3).
func TestNoDescriptorsAreInherited(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, backend := range []sandbox.Backend{sandbox.None, sandbox.Landlock, sandbox.Namespaces} {
		t.Run(backend.String(), func(t *testing.T) {
			t.Parallel()
			use(t, backend)
			cmd := exec.Command("bash", "-c", `exec "$0" `+backend.String()+` 3>lock 4</etc/passwd 9</ 10> >(cat) 77<>both 250< <(true)`, self)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), toolVariable+"=descriptors")
			shown, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, shown)
			}
			// In each profile: the standard files, and the folder that ls reads.
			if open := strings.Count(string(shown), " -> "); open != 3*4 || strings.Count(string(shown), "/fd\n") != 3 {
				t.Errorf("commands have\n%s", shown)
			}
		})
	}
}
