package demo

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/testing/require"
)

var wholeJob = []string{
	"list_directory .",
	"read_file README.md", "read_file till.sh", "read_file test.sh",
	"run_shell_command sh test.sh",
	"replace till.sh",
	"run_shell_command sh test.sh",
	"read_file till.sh", "read_file prices.txt",
	"replace till.sh",
	"run_shell_command sh test.sh",
}

func (p *player) wantCalls(want []string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.calls); diff != "" {
		p.t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func (p *player) wantRepaired() {
	p.t.Helper()
	if source := p.read(filepath.Join(p.dir, till)); !strings.Contains(source, correctLine) {
		p.t.Errorf("till.sh is not repaired:\n%s", source)
	}
}

func wantWords(t *testing.T, words string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(words, part) {
			t.Errorf("no %q in:\n%s", part, words)
		}
	}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		prune bool
	}{
		{"stale readings pruned", true},
		{"everything kept", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			p.prune = test.prune
			words := p.say(Prompt)
			wantWords(t, words, "all 6 checks passed", "in cents", "1. `/density`", "2. `/undo`")
			p.wantCalls(wholeJob)
			p.wantRepaired()
		})
	}
}

// The first attempt must fail for the reason that the script names.
func TestFirstAttemptFailsForSmallOrders(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.add(map[string]any{"role": "user", "content": Prompt})
	var said string
	for range 6 {
		words, _ := p.step()
		said += words
	}
	wantWords(t, said, "FAIL  cheese 2: 14.90, but it should be 10.00", "FAIL  apple 1: 0.50, but it should be 5.40", "I am a script")
}

func TestRefusedEditIsRepeatedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.prune = true
	refuse := true
	p.intercept = func(tool, _ string) (string, bool) {
		return "Error: the user refused this call: not now", tool == toolReplace && refuse
	}
	wantWords(t, p.say(Prompt), "did not allow `replace`", "continue")
	p.wantCalls(wholeJob[:6])
	refuse = false
	wantWords(t, p.say("continue"), "all 6 checks passed")
	p.wantCalls(append(slices.Clone(wholeJob[:6]), wholeJob[5:]...))
	p.wantRepaired()
}

func TestFailuresEndTheJobHonestly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, tool, subject, answer, want string }{
		{"the file cannot be read", toolRead, till, "Error: permission denied", "permission"},
		{"the edit fails", toolReplace, till, "Error: the file changed since it was read", "changed since it was read"},
		{"the tests cannot run", toolShell, runTests, "Error: sh: not found", "did not run to their end"},
		{"the tests are not allowed", toolShell, runTests, "Error: refused: the approval mode is read-only", "did not allow"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			p.intercept = func(tool, subject string) (string, bool) {
				return test.answer, tool == test.tool && subject == test.subject
			}
			wantWords(t, p.say(Prompt), test.want)
		})
	}
}

// A file that the job does not need can be missing.
func TestAMissingReadmeDoesNotStopTheJob(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	if err := os.Remove(filepath.Join(p.dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	wantWords(t, p.say(Prompt), "all 6 checks passed")
	p.wantRepaired()
}

func TestJobContinuesAfterAMessage(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.prune = true
	p.add(map[string]any{"role": "user", "content": Prompt})
	for range 5 {
		p.step()
	}
	wantWords(t, p.say("read prices.txt"), "`prices.txt` is in the context now, 4 lines", "not finished")
	wantWords(t, p.say("please go on"), "all 6 checks passed")
	p.wantRepaired()
}

func TestInterruptedJobContinues(t *testing.T) {
	t.Parallel()
	for before := range 7 {
		p := newPlayer(t)
		p.prune = true
		p.add(map[string]any{"role": "user", "content": Prompt})
		for range before {
			p.step()
		}
		p.intercept = func(string, string) (string, bool) { return "Error: not run: the user interrupted", true }
		p.step()
		p.intercept = nil
		wantWords(t, p.say("continue"), "all 6 checks passed")
		p.wantRepaired()
	}
}

func TestFileChangedByAnotherProgram(t *testing.T) {
	t.Parallel()
	source, err := project.ReadFile("workspace/" + till)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, line, want string }{
		{"repaired already", correctLine, "Nothing to repair: all 6 checks passed"},
		{"half repaired", literalLine, "Done: all 6 checks passed"},
		{"broken otherwise", `if [ "$sum" -gt 2000 ]; then`, "I know only one bug"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			p.write(till, strings.Replace(string(source), seededLine, test.line, 1))
			wantWords(t, p.say(Prompt), test.want)
		})
	}
}

// Recency pruning and summaries replace an answer by one line.
func TestPrunedAnswersAreRequestedAgain(t *testing.T) {
	t.Parallel()
	for _, note := range []string{"[Result pruned — re-run tool to retrieve]", "[read_file: till.sh — success, 45 lines]"} {
		p := newPlayer(t)
		p.add(map[string]any{"role": "user", "content": Prompt})
		for range 3 {
			p.step()
		}
		for _, m := range p.messages {
			if m["role"] == "tool" {
				m["content"] = note
			}
		}
		for range maxCalls {
			if words, done := p.step(); done {
				wantWords(t, words, "all 6 checks passed")
				break
			}
		}
		p.wantRepaired()
	}
}

// The script stops if a tool never returns a useful answer.
func TestJobEndsIfItLoops(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.intercept = func(tool, subject string) (string, bool) {
		return "[Result pruned — re-run tool to retrieve]", tool == toolRead && subject == till
	}
	wantWords(t, p.say(Prompt), "without success")
}

func TestWorkspaceIsFreshAndNeedsOnlySh(t *testing.T) {
	require.Program(t, "sh")
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if err := Workspace(dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("./test.sh")
	if runtime.GOOS == "windows" {
		cmd = exec.Command("sh", "test.sh")
	}
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "1 of 6 checks failed") {
		t.Errorf("test.sh: %v\n%s", err, out)
	}
	if err := Workspace(dir); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a second Workspace gave %v, want a refusal", err)
	}
	if source, err := os.ReadFile(filepath.Join(dir, till)); err != nil || strings.Count(string(source), seededLine) != 1 {
		t.Errorf("till.sh does not hold the seeded line once (%v)", err)
	}
}
