package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/sandbox"
	"agent/internal/shell"
)

// Advice depends on the text of the output. If the command did not fail, only an unambiguous
// message counts, and a refused write only if it is outside the workspace.
func TestAdviceFollowsTheText(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	root := env.Workspace.Root()
	if err := os.WriteFile(filepath.Join(root, "notes.txt"), []byte("open /usr/zz: read-only file system\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const outside, remedy = "open /tmp/lazygit/test: read-only file system", "call again with the reason in the parameter outside"
	for _, c := range []struct {
		name, line, output string
		exit               int
		readOnly           bool
		want               string // "" for no advice
	}{
		{"piped", "go test ./... | tail", "open /opt/x/y: read-only file system\nFAIL", 0, false, "writing /opt/x/y was refused"},
		{"failed", "go test ./...", "open /opt/x/y: read-only file system", 1, false, "writing /opt/x/y was refused"},
		{"touch", "touch /usr/share/zz 2>&1 | tail -3", "touch: cannot touch '/usr/share/zz': Read-only file system", 0, false, "writing /usr/share/zz was refused"},
		{"a space", "x | cat", "touch: cannot touch '/usr/a b': Read-only file system", 0, false, "writing /usr/a b was refused"},
		{"the shell", "echo x > ../z", "/usr/bin/bash: line 1: ../z: Read-only file system", 1, false, "writing ../z was refused"},
		{"another shell", "sh s", "sh: 3: cannot create ../z: Read-only file system", 1, false, "writing ../z was refused"},
		{"the shell, here", "echo x > z; true", "/usr/bin/bash: line 1: z: Read-only file system", 0, false, ""},
		{"node", "npm i | cat", "npm error EROFS: read-only file system, mkdir '/opt/x'", 0, false, "writing /opt/x was refused"},
		{"go's place", "go vet ./... 2>&1 | grep -v '#'", "dump/x.go:5:2: mkdir /root/go/pkg/mod/cache: read-only file system", 0, false, "writing /root/go/pkg/mod/cache was refused"},
		{"go's cache of names", "go build ./...", "go: writing stat cache: mkdir /root/go/pkg/mod/cache/download/x: read-only file system", 0, false, ""},
		{"upwards", "x | cat", "open ../zz: read-only file system", 0, false, "writing ../zz was refused"},
		{"in the workspace", "x | cat", "open " + root + "/zz: read-only file system", 0, false, ""},
		{"in the workspace, failed", "x", "open " + root + "/zz: read-only file system", 1, false, "was refused"},
		{"no path", "x | cat", "Read-only file system", 0, false, ""},
		{"no path, failed", "x", "Read-only file system", 1, false, "writing was refused"},
		{"network", "go get x | tail", `Get "https://proxy.golang.org/x": dial tcp 142.250.1.1:443: connect: network is unreachable`, 0, false, "there is no network (proxy.golang.org)"},
		{"lookup", "x", "dial tcp: lookup example.org on 1.1.1.1:53: dial udp: network is unreachable", 1, false, "(example.org)"},
		{"curl", "x", "curl: (6) Could not resolve host: example.org", 6, false, "(example.org)"},
		{"curl, piped", "x | cat", "curl: (6) Could not resolve host: example.org", 0, false, ""},
		{"denied", "x | cat", "open /root/y: permission denied", 0, false, ""},
		{"denied, failed", "x", "open /root/y: permission denied", 1, false, "access to /root/y may have been refused"},
		{"search", "grep -rn only . ; true", "notes.txt:1:" + outside, 0, false, ""},
		{"search, failed", "grep -rn only . ; false", "./notes.txt:1:" + outside, 1, false, ""},
		{"search without numbers", "grep -r only . ; false", "notes.txt:" + outside, 1, false, ""},
		{"context", "grep -rnC1 only . ; false", "notes.txt-1-" + outside, 1, false, ""},
		{"xargs", "find . | xargs grep -n only; false", "notes.txt:1:" + outside, 1, false, ""},
		{"shown", "cat notes.txt", outside, 0, true, ""},
		{"shown, piped", "cat notes.txt | tail -3", outside, 0, true, ""},
		{"clean", "x", "fine", 1, false, ""},
	} {
		command := shell.Command{Line: c.line, Dir: root, ReadOnly: c.readOnly, Confined: env.Confinement(), Profile: sandbox.ProfileWork}
		end := shell.Result{Output: c.output + "\n", ExitInfo: shell.ExitInfo{Exit: c.exit}}
		notes := env.advice(command, end)
		if c.want == "" && len(notes) > 0 || c.want != "" && len(notes) != 1 {
			t.Errorf("%s: %q", c.name, notes)
			continue
		}
		if c.want != "" && (!strings.Contains(notes[0], c.want) || !strings.Contains(notes[0], remedy)) {
			t.Errorf("%s: %q does not say %q and what to do", c.name, notes[0], c.want)
		}
		if len(notes) > 0 && len(notes[0]) > 200 {
			t.Errorf("%s: the advice has %d characters", c.name, len(notes[0]))
		}
	}
	command := shell.Command{Line: "x", Dir: root, Confined: env.Confinement(), Profile: sandbox.ProfileUnconfined}
	if notes := env.advice(command, shell.Result{Output: outside, ExitInfo: shell.ExitInfo{Exit: 1}}); len(notes) > 0 {
		t.Errorf("a command outside gets %q", notes)
	}
}

// Each kind of advice appears once in a reply, whatever its subject.
func TestAdviceAppearsOncePerReply(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	env.Advised = &AdviceGiven{}
	said := ""
	for range 2 {
		said += command(t, env, "touch /usr/share/zz1 /usr/share/zz2 2>&1 | cat").ModelText()
	}
	if strings.Count(said, "[sandbox: writing /usr/share/zz2 was refused") != 1 {
		t.Errorf("the two calls answer\n%s", said)
	}
	env.Advised = &AdviceGiven{}
	if answer := command(t, env, "touch /usr/share/zz1 | cat"); !strings.Contains(answer.ModelText(), "[sandbox: ") {
		t.Errorf("in the next reply it is not said:\n%s", answer.ModelText())
	}
}

// The output of a background job includes its advice.
func TestAdviceOfAJob(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	runTool(t.Context(), t, runShellCommand(), env, params{"command": "touch /usr/share/zz1 2>&1 | cat", "background": true})
	answer := runTool(t.Context(), t, runShellCommand(), env, params{"action": "tail", "job": 1, "wait_seconds": 20})
	if !strings.Contains(answer.ModelText(), "[sandbox: writing /usr/share/zz1 was refused") {
		t.Errorf("the job answers\n%s", answer.ModelText())
	}
}

// The exit line names the failed commands of a pipe.
func TestTheExitLineOfAPipe(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	if answer := command(t, env, "(exit 3) | cat"); !strings.Contains(answer.Note, "[exit 0 ((exit 3): 3) after ") || *answer.ExitCode != 0 || answer.Error != "" {
		t.Errorf("%+v", answer)
	}
}

// The result of a slow command names the empty cache, and so does the result of a command that
// reached the time limit.
func TestSlowBecauseOfAnEmptyCache(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ending shell.ExitInfo
		says   bool
	}{
		"slow":      {shell.ExitInfo{Took: time.Minute, ColdCaches: []string{"go-build"}}, true},
		"timed out": {shell.ExitInfo{Took: time.Second, TimedOut: true, ColdCaches: []string{"go-build"}}, true},
		"quick":     {shell.ExitInfo{Took: time.Second, ColdCaches: []string{"go-build"}}, false},
		"warm":      {shell.ExitInfo{Took: time.Minute}, false},
	} {
		answer := shellEnv(t).answerCommand(shell.Command{Line: "go build"}, shell.Result{ExitInfo: c.ending})
		if got := strings.Count(answer.Text, "the cache of go-build was empty"); got != map[bool]int{true: 1}[c.says] {
			t.Errorf("%s: %q", name, answer.Text)
		}
	}
}
