package shell

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A command line that exceeds the length limit of an argument runs like any other, in every shell.
// The command does not notice how it was passed.
func TestLongCommandLine(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é'\"$x\\ `", 30_000) + "\n"
	line := "printf '%s' \"$# $- ${_line-} ${_part-}\"; cat > out <<'END'\n" + text + "END\nread -r x; echo \" $? $0\""
	for _, name := range []string{"bash", "dash", "sh"} {
		shell, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		dir := t.TempDir()
		run := func(line string) string {
			cmd := exec.Command(shell, arguments(line)...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%.300s", name, err, out)
			}
			return string(out)
		}
		got := run(line)
		if wrote, _ := os.ReadFile(filepath.Join(dir, "out")); string(wrote) != text {
			t.Errorf("%s: %d bytes arrived of %d", name, len(wrote), len(text))
		}
		short := strings.ReplaceAll(run(strings.Replace(line, text, "x\n", 1)), shell, "bash")
		if got != short {
			t.Errorf("%s: long it printed %q, short %q", name, got, short)
		}
	}
	for _, n := range []int{maxArgument, maxArgument + 1, 3*maxArgument + 1} {
		joined := arguments(strings.Repeat("é", n/2))
		for _, arg := range joined {
			if len(arg) > maxArgument || strings.ToValidUTF8(arg, "") != arg {
				t.Errorf("%d bytes: an argument of %d", n, len(arg))
			}
		}
	}
}

// The error for a line that exceeds the system's limit contains a fix.
func TestEndlessCommandLine(t *testing.T) {
	t.Parallel()
	jobs := NewJobs(os.Environ(), nil)
	defer jobs.Close()
	result, err := jobs.Run(t.Context(), Command{Line: ": " + strings.Repeat("x", 20<<20), Dir: t.TempDir(), OutputBytes: 1000}, io.Discard)
	if told := fmt.Sprint(result.NotStarted, err); !strings.Contains(told, "too long for this system (20.0 MiB)") {
		t.Errorf("%.300s", told)
	}
}
