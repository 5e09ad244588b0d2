package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/cmdline"
	"agent/internal/shell"
)

// The exit line names the commands of a pipe that failed. Apart from that, the pipe behaves and
// prints as usual.
func TestThePipeSaysWhatFailed(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	jobs := shell.NewJobs(os.Environ(), nil)
	defer jobs.Close()
	for line, want := range map[string]string{
		"false | cat":                                     "exit 0 (false: 1)",
		"cd . && (exit 3) | false | cat":                  "exit 0 ((exit 3): 3, false: 1)",
		"false | grep a":                                  "exit 1 (false: 1)",
		"(exit 3) | echo a | grep b":                      "exit 1 ((exit 3): 3)",
		"echo a | grep b":                                 "exit 1",
		"echo a | grep b | (exit 4)":                      "exit 4",
		"true | cat":                                      "exit 0",
		"yes | head -1":                                   "exit 0",
		"echo a | grep b | wc -l":                         "exit 0",
		"false | (exit 4)":                                "exit 4",
		"set -e; false | cat":                             "exit 0 (false: 1)",
		"set -eu; IFS=; false | cat":                      "exit 0 (false: 1)",
		"set -o pipefail; false | cat":                    "exit 1",
		"set -C; false | cat":                             "exit 0 (false: 1)",
		"(exit 2) | cat <<E\nfalse | $x\nE":               "exit 0 ((exit 2): 2)",
		"false | cat <<'E'\n'\nE\n\n# false | x":          "exit 0 (false: 1)",
		"false | cat # it's":                              "exit 0 (false: 1)",
		"exit 7; false | cat":                             "exit 7",
		"(exit 5) | cat; exit 0":                          "exit 0",
		"false | cat &":                                   "exit 0",
		"false | cat; echo ${PIPESTATUS[@]}":              "exit 0",
		"f() { false; }; f | cat":                         "exit 0 (f: 1)",
		"exec > log 2>&1; false | cat; cat nothing | cat": "exit 0 (cat nothing: 1)",
		"exec >&- 2>&-; false | cat":                      "exit 1",
		"set -x; false | cat":                             "exit 0",
		"trap 'echo over' EXIT; false | cat":              "exit 0",
		"trap 'echo failed' ERR; true | false":            "exit 1",
		"printf() { echo mine; }; false | cat":            "exit 0 (false: 1)",
		"false | cat \\":                                  "exit 1",
		"echo \"$BASH_SUBSHELL $LINENO $*\" $- | cat":     "exit 0",
		"false | cat; fi":                                 "exit 2",
	} {
		dir, temp, plain := t.TempDir(), t.TempDir(), t.TempDir()
		result, err := jobs.Run(t.Context(), shell.Command{Line: line, Reading: cmdline.Read(line), Dir: dir, SpoolDir: temp, OutputBytes: 1000}, nil)
		if err != nil || result.ExitText() != want {
			t.Errorf("%q: %s, %v, want %s", line, result.ExitText(), err, want)
		}
		alone := exec.Command(bash, "-c", "--", line)
		alone.Dir = plain
		output, _ := alone.CombinedOutput()
		// The commands of a pipe run in parallel, so the order of the lines of set -x varies.
		if ours, theirs := sortedLines(result.Output), sortedLines(string(output)); ours != theirs {
			t.Errorf("%q prints %q, alone %q", line, ours, theirs)
		}
		if alone.ProcessState.ExitCode() != result.Exit {
			t.Errorf("%q ends with %d, alone %d", line, result.Exit, alone.ProcessState.ExitCode())
		}
		if left, _ := filepath.Glob(temp + "/.*"); len(left) > 0 {
			t.Errorf("%q leaves %q behind", line, left)
		}
		ours, _ := os.ReadFile(filepath.Join(dir, "log"))
		theirs, _ := os.ReadFile(filepath.Join(plain, "log"))
		if string(ours) != string(theirs) {
			t.Errorf("%q writes %q, alone %q", line, ours, theirs)
		}
	}
}

func sortedLines(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// If the command itself writes to the file for the exit states, that content is ignored.
func TestStatesThatTheCommandWrote(t *testing.T) {
	t.Parallel()
	jobs := shell.NewJobs(os.Environ(), nil)
	defer jobs.Close()
	for _, line := range []string{
		`f=$(tr '\0' '\n' < /proc/$$/cmdline | grep -o "/[^ ']*/\.pipe-[A-Z0-9]*"); mkfifo "$f" 2>&1; false | cat`,
		`f=$(tr '\0' '\n' < /proc/$$/cmdline | grep -o "/[^ ']*/\.pipe-[A-Z0-9]*"); mkdir "$f"; false | cat`,
		`f=$(tr '\0' '\n' < /proc/$$/cmdline | grep -o "/[^ ']*/\.pipe-[A-Z0-9]*"); ln -s /etc/passwd "$f"; set -C; false | cat`,
	} {
		if strings.Contains(line, "mkfifo") { // without a reader bash would block when it writes
			line = strings.Replace(line, "false | cat", `(sleep 0.01; cat "$f" >/dev/null) & false | cat`, 1)
		}
		temp := t.TempDir()
		result, err := jobs.Run(t.Context(), shell.Command{Line: line, Reading: cmdline.Read(line), Dir: t.TempDir(), SpoolDir: temp, OutputBytes: 1000}, nil)
		if err != nil || result.ExitText() != "exit 0" {
			t.Errorf("%q: %s, %v", line, result.ExitText(), err)
		}
	}
}
