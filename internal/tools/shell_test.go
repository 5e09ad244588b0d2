package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/cmdline"
	"agent/internal/shell"
	"agent/internal/testing/fifo"
	"agent/internal/testing/require"
	"agent/internal/workspace"
)

// shellEnv returns an Env for commands in an empty workspace. Commands that ignore the request to
// end are killed soon.
func shellEnv(t testing.TB, environ ...string) *Env {
	t.Helper()
	workspace, err := workspace.New(t.TempDir(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	jobs := shell.NewJobs(append(environ, "PATH="+os.Getenv("PATH")), []string{"OPENAI_API_KEY", "OTHER_SECRET"})
	jobs.Grace = 200 * time.Millisecond
	t.Cleanup(jobs.Close)
	return &Env{Workspace: workspace, Jobs: jobs, Limits: Limits{OutputTokens: 1000, ShellTimeoutSeconds: 60}}
}

func command(t testing.TB, env *Env, command string) Answer {
	t.Helper()
	return runTool(t.Context(), t, runShellCommand(), env, map[string]any{"command": command})
}

// splitResult returns the last line of a result and the text before it.
func splitResult(result string) (text, last string) {
	i := strings.LastIndexByte(result, '\n')
	return result[:i+1], result[i+1:]
}

func TestShellAnswersWithOutputAndExit(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	for _, c := range []struct {
		command, text, last string
		exit                int
		err                 string
	}{
		{"echo out; echo err >&2", "out\nerr\n", "[exit 0 after ", 0, ""},
		{"true", "[no output]\n", "[exit 0 after ", 0, ""},
		{"printf 'no newline'; exit 3", "no newline\n", "", 3, "the command failed: exit 3 after "},
		{"kill -SEGV $$", "[no output]\n", "", 139, "the command failed: exit 139 (SIGSEGV) after "},
		{"bash -c 'kill -9 $$'; exit $?", "", "", 137, "the command failed: exit 137 after "}, // a program can end with such a status too
		{"sh -c 'exit 129'", "", "", 129, "the command failed: exit 129 after "},
		{"exit 143", "", "", 143, "the command failed: exit 143 after "},
		{`printf "caf\\351 \\033[31mred\\033[0m \\000\\r\\n"`, "caf\uFFFD red \n", "[exit 0 after ", 0, ""},
		{"no-such-program-here", "", "", 127, "the command failed: exit 127 after "},
		{"cat; read x; echo \"got $?\"", "got 1\n", "[exit 0 after ", 0, ""},
		{"-x", "", "", 127, "the command failed: exit 127 after "},
	} {
		answer := command(t, env, c.command)
		text, last := strings.TrimSuffix(answer.ModelText(), "\n")+"\n", ""
		if c.exit == 0 { // otherwise only the error contains the exit code
			text, last = splitResult(answer.ModelText())
		}
		if c.text != "" && text != c.text || !strings.HasPrefix(last, c.last) || !strings.HasPrefix(answer.Error, c.err) || (answer.Error == "") != (c.exit == 0) || answer.ExitCode == nil || *answer.ExitCode != c.exit {
			t.Errorf("%q: %+v", c.command, answer)
		}
		if shown := strings.TrimSuffix(answer.Text, "\n") + "\n"; shown != text && text != "[no output]\n" {
			t.Errorf("%q: a person sees %q, the model %q", c.command, shown, text)
		}
	}
}

// A search without a match does not count as failed. Other commands that exit with 1 do.
func TestASearchWithoutAHitIsNoError(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	if err := os.WriteFile(filepath.Join(env.Workspace.Root(), "f"), []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, found := range map[string]string{
		"grep nothing f":                          "[nothing found: exit 1 after ",
		"cat f | /usr/bin/env grep zz":            "[nothing found: exit 1 after ",
		"cat f; grep nothing f":                   "text\n[no match for the last search: exit 1 after ",
		"cat f; false | grep nothing":             "text\n[no match for the last search: exit 1 (false: 1) after ",
		"cat f && grep nothing f":                 "",
		"cat f | grep -c nothing > /dev/null":     "[nothing found: exit 1 after ",
		"grep text f | grep nothing":              "[nothing found: exit 1 after ",
		"grep nothing f; false":                   "",
		"grep -c nothing f":                       "0\n[no match for the last search: exit 1 after ",
		"grep nothing missing":                    "",
		"if true; then grep nothing f; fi":        "",
		"git grep --no-index nothing 2>/dev/null": "[nothing found: exit 1 after ",
	} {
		answer := command(t, env, line)
		if found != "" && (answer.Error != "" || answer.ExitCode != nil || !strings.HasPrefix(answer.ModelText(), found) || (answer.Summary == "no hits") != strings.HasPrefix(found, "[")) || found == "" && answer.Error == "" {
			t.Errorf("%q: %+v", line, answer)
		}
	}
}

// If a command starts with cd into a folder, it runs in that folder, and the prompt shows the rest
// of the command.
func TestAFolderAtTheHeadOfACommand(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	root := env.Workspace.Root()
	if err := os.MkdirAll(filepath.Join(root, "sub", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, directory, asked, in, prints string }{
		{"cd sub && pwd", "", "pwd", "sub", root + "/sub\n"},
		{"cd " + root + " && pwd", "", "pwd", "", root + "\n"},
		{"cd sub && cd deep && pwd", "", "pwd", "sub/deep", root + "/sub/deep\n"},
		{"cd deep && pwd", "sub", "pwd", "sub/deep", root + "/sub/deep\n"},
		{"cd link && pwd", "", "cd link && pwd", "", root + "/link\n"},
		{"cd / && pwd", "", "cd / && pwd", "", "/\n"},
	} {
		args := shellArgs{Command: c.line, Directory: c.directory}
		plan, err := planShell(t.Context(), env, args)
		if err != nil || plan.Preview.Command != c.asked || plan.Preview.Directory != c.in {
			t.Errorf("%s: %v, %q in %q", c.line, err, plan.Preview.Command, plan.Preview.Directory)
			continue
		}
		if answer := plan.Apply(t.Context()); answer.Text != c.prints {
			t.Errorf("%s: %+v", c.line, answer)
		}
	}
	if _, err := planShell(t.Context(), env, shellArgs{Command: "cd missing && pwd"}); err != nil {
		t.Error(err) // the shell reports the error
	}
}

// The output of a command is shown unchanged. An earlier version removed output lines that looked
// like the program's own notes.
func TestOutputIsNotReadForNotes(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	const printed = "a\n[exit 3 printed by the command itself]\nb\n[exit 0 after 1s]\n"
	answer := command(t, env, "printf '"+strings.ReplaceAll(printed, "\n", "\\n")+"'")
	if answer.Text != printed || !strings.HasPrefix(answer.ModelText(), printed+"[exit 0 after ") {
		t.Errorf("%+v", answer)
	}
	job := startTestJob(t, env, "printf '"+strings.ReplaceAll(printed, "\n", "\\n")+"'")
	await(t, "the job ends", job.Done())
	if answer = act(t, env, "tail", 1); answer.Text != printed || !strings.HasPrefix(answer.ModelText(), printed+"[job 1: exit 0 after ") {
		t.Errorf("%+v", answer)
	}
}

func TestShellRefusesWrongCalls(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	writeTestFile(t, env.Workspace.Root(), "file", "x")
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"command": "  "}, "missing command"},
		{map[string]any{"command": "a\x00b"}, "control character ␀"},
		{map[string]any{"command": "ls", "directory": ".."}, "outside the workspace"},
		{map[string]any{"command": "ls", "directory": "missing"}, "missing"},
		{map[string]any{"command": "ls", "directory": "file"}, "not a directory"},
		{map[string]any{"command": "ls", "timeout_seconds": -1}, "between 0 and"},
		{map[string]any{"command": "ls", "action": "list"}, "takes no command"},
		{map[string]any{"action": "tail"}, "needs job"},
		{map[string]any{"action": "kill", "job": 7}, "no job 7"},
		{map[string]any{"action": "stop", "job": 1}, `unknown action "stop"`},
	} {
		if answer := runTool(t.Context(), t, runShellCommand(), env, c.args); !strings.Contains(answer.Error, c.want) || answer.ExitCode != nil {
			t.Errorf("%.60v: %+v; want the error %q", c.args, answer, c.want)
		}
	}
}

func TestShellRunsInsideTheWorkspace(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	writeTestFile(t, env.Workspace.Root(), "sub/f", "x")
	answer := runTool(t.Context(), t, runShellCommand(), env, map[string]any{"command": "pwd; ls", "directory": "sub"})
	if text, _ := splitResult(answer.ModelText()); text != filepath.Join(env.Workspace.Root(), "sub")+"\nf\n" {
		t.Errorf("ran elsewhere: %+v", answer)
	}
}

func TestShellKeepsSecretsAndTerminalsFromCommands(t *testing.T) {
	t.Parallel()
	env := shellEnv(t, "OPENAI_API_KEY=sk-1", "OTHER_SECRET=sk-2", "OPENAI=no-secret", "TERM=xterm", "CDPATH=/", "PAGER=less")
	answer := command(t, env, "env; ls -l /proc/self/fd/0; true < /dev/tty && echo has a terminal")
	for _, gone := range []string{"sk-1", "sk-2", "xterm", "CDPATH", "PAGER=less", "has a terminal"} {
		if strings.Contains(answer.ModelText(), gone) {
			t.Errorf("%q reaches commands:\n%s", gone, answer.ModelText())
		}
	}
	for _, there := range []string{"OPENAI=no-secret", "TERM=dumb", "PAGER=cat", "GIT_TERMINAL_PROMPT=0", "/dev/null"} {
		if !require.Unix && there == "/dev/null" {
			continue // the system has no /proc
		}
		if !strings.Contains(answer.ModelText(), there) {
			t.Errorf("%q is missing:\n%s", there, answer.ModelText())
		}
	}
}

// lifeline is a named pipe that processes keep open. Reading it ends after the last process has
// ended.
type lifeline struct{ path string }

func newLifeline(t *testing.T) lifeline {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lifeline")
	if err := fifo.Make(t, path); err != nil {
		t.Fatal(err)
	}
	return lifeline{path}
}

// watch returns two channels. The first closes when a process has the pipe open, and the second
// when no process does.
func (l lifeline) watch(t *testing.T) (held, gone <-chan struct{}) {
	t.Helper()
	begin, end := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(end)
		pipe, err := os.Open(l.path)
		if err != nil {
			t.Error(err)
			return
		}
		defer pipe.Close()
		close(begin)
		var none [1]byte
		_, _ = pipe.Read(none[:])
	}()
	return begin, end
}

func await(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("waited in vain: %s", what)
	}
}

// Whatever ends a command, no process in its group survives.
func TestShellLeavesNoProcessBehind(t *testing.T) {
	t.Parallel()
	const family = `sleep 1000 & (trap '' TERM; sleep 1000; sleep 1000) & `
	for name, c := range map[string]struct {
		command   string
		interrupt bool
		seconds   int
		wantError string
		wantNote  string
	}{
		"timeout":                  {command: family + "wait", seconds: 1, wantError: "timed out after 1s"},
		"timeout, ignoring it":     {command: "trap '' TERM; " + family + "while true; do sleep 1000; done", seconds: 1, wantError: "timed out"},
		"interrupt":                {command: family + "sleep 1000", interrupt: true, wantError: "interrupted"},
		"children keep the output": {command: family + "echo parent is done", wantNote: "Background processes"},
		"children are silent":      {command: "(" + family + "wait) >/dev/null 2>&1 & true", wantNote: "Background processes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := shellEnv(t)
			line := newLifeline(t)
			held, gone := line.watch(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.interrupt {
				go func() { <-held; cancel() }()
			}
			answer := runTool(ctx, t, runShellCommand(), env, map[string]any{
				"command": "exec 9>" + line.path + "; " + c.command, "timeout_seconds": c.seconds,
			})
			await(t, "every process of the command is gone", gone)
			if !strings.Contains(answer.Error, c.wantError) || !strings.Contains(answer.ModelText(), c.wantNote) {
				t.Errorf("%+v", answer)
			}
			if (c.wantError == "") != (answer.ExitCode != nil) {
				t.Errorf("the exit code is for commands that came to their own end: %+v", answer)
			}
		})
	}
}

func TestShellLetsACommandEndGracefully(t *testing.T) {
	require.Signals(t)
	t.Parallel()
	env := shellEnv(t)
	env.Jobs.Grace = 10 * time.Second
	answer := runTool(t.Context(), t, runShellCommand(), env, map[string]any{
		"command": "trap 'echo cleaned up; exit' TERM; echo begun; sleep 1000 & wait", "timeout_seconds": 1,
	})
	if !strings.Contains(answer.ModelText(), "begun\ncleaned up\n") {
		t.Errorf("%+v", answer)
	}
}

func TestShellDoesNotRunAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answer := runTool(ctx, t, runShellCommand(), env, map[string]any{"command": "touch ran"})
	if _, err := os.Stat(filepath.Join(env.Workspace.Root(), "ran")); err == nil || answer.Error == "" {
		t.Errorf("ran although interrupted: %+v", answer)
	}
}

func TestShellStreamsItsOutput(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	line := newLifeline(t)
	screen := &screen{want: "first\n", seen: make(chan struct{})}
	env.Output = screen
	go func() {
		<-screen.seen
		// The command waits for a reader, and continues after its output was seen.
		pipe, err := os.Open(line.path)
		if err != nil {
			t.Error(err)
			return
		}
		pipe.Close()
	}()
	answer := command(t, env, "echo first; exec 9>"+line.path+"; echo second")
	if screen.text() != "first\nsecond\n" || answer.Error != "" {
		t.Errorf("screen %q, answer %+v", screen.text(), answer)
	}
}

// screen is a writer that closes the channel seen after it received the text want.
type screen struct {
	mu   sync.Mutex
	all  bytes.Buffer
	want string
	seen chan struct{}
}

func (s *screen) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(data)
	if s.want != "" && strings.Contains(s.all.String(), s.want) {
		close(s.seen)
		s.want = ""
	}
	return len(data), nil
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

func TestShellBoundsLongOutput(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	answer := command(t, env, "seq 100000")
	if len(answer.ModelText()) > env.Limits.OutputBytes()+500 {
		t.Errorf("%d bytes for the model", len(answer.ModelText()))
	}
	for _, part := range []string{"1\n2\n3\n", "\n99999\n100000\n[exit 0", "the whole output is in " + answer.Spool} {
		if !strings.Contains(answer.ModelText(), part) {
			t.Errorf("%q is missing in:\n%s", part, answer.ModelText())
		}
	}
	content, err := os.ReadFile(answer.Spool)
	if err != nil || bytes.Count(content, []byte("\n")) != 100000 {
		t.Errorf("the spool holds %d bytes, %v", len(content), err)
	}
	if info, err := os.Stat(answer.Spool); err != nil || require.Unix && info.Mode().Perm() != 0o600 || filepath.Dir(answer.Spool) != env.Workspace.TempDir() {
		t.Errorf("spool %s %v %v", answer.Spool, info.Mode(), err)
	}
}

func TestShellWritesNoSpoolForShortOutput(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	answer := command(t, env, "seq 100")
	if entries, _ := os.ReadDir(env.Workspace.TempDir()); answer.Spool != "" || len(entries) > 0 {
		t.Errorf("spooled to %q, %v", answer.Spool, entries)
	}
}

func TestShellReportsUnstoredOutput(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	if err := os.Remove(env.Workspace.TempDir()); err != nil {
		t.Fatal(err)
	}
	answer := command(t, env, "seq 100000; exit 4")
	if !strings.Contains(answer.ModelText(), "agent could not store the output: ") || *answer.ExitCode != 4 || answer.Spool != "" {
		t.Errorf("%+v", answer)
	}
}

// A command with very long output runs to its end. Memory and disk use do not grow with the output.
func TestShellSurvivesAFlood(t *testing.T) {
	t.Parallel()
	megabytes := 96
	if os.Getenv("FLOOD_MB") != "" {
		if _, err := fmt.Sscan(os.Getenv("FLOOD_MB"), &megabytes); err != nil {
			t.Fatal(err)
		}
	}
	env := shellEnv(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	answer := command(t, env, fmt.Sprintf("yes 'a line of output, as long as lines are' | head -c %dM; echo the end; exit 5", megabytes))
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	t.Logf("%d MiB in %v, heap %d -> %d KiB", megabytes, took, before.HeapInuse>>10, after.HeapInuse>>10)
	if answer.ExitCode == nil || *answer.ExitCode != 5 || !strings.Contains(answer.ModelText(), "the end\n") || len(answer.ModelText()) > env.Limits.OutputBytes()+500 {
		t.Errorf("%+v", answer)
	}
	if !strings.Contains(answer.ModelText(), "the first 64.0 MiB of the output are in "+answer.Spool) {
		t.Errorf("the answer does not say what was kept:\n%s", answer.ModelText())
	}
	if info, err := os.Stat(answer.Spool); err != nil || info.Size() != 64<<20 {
		t.Errorf("spool: %v, %v", info.Size(), err)
	}
}

// argv formats commands as "word|word ; word".
func argv(commands []cmdline.Command) string {
	var all []string
	for _, command := range commands {
		var texts []string
		for _, word := range command {
			texts = append(texts, word.Text)
		}
		all = append(all, strings.Join(texts, "|"))
	}
	return strings.Join(all, " ; ")
}

func TestShellPreviewShowsTheCommand(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	writeTestFile(t, env.Workspace.Root(), "sub/f", "x")
	for _, c := range []struct {
		args     map[string]any
		title    string
		readOnly bool
		parts    string
	}{
		{map[string]any{"command": "ls -l"}, "run ls -l", true, ""},
		{map[string]any{"command": "cat f", "directory": "sub"}, "run cat f in sub", true, ""},
		{map[string]any{"command": "cat ../../f", "directory": "sub"}, "run cat ../../f in sub", false, "cat|../../f"},
		{map[string]any{"command": "cd sub && go test ./... | tail"}, "run go test ./... | tail in sub", false, "go|test|./..."},
		{map[string]any{"command": "rm $x\ntrue"}, "run rm $x …", false, ""},
		{map[string]any{"command": "", "action": "list"}, "list jobs", true, ""},
		{map[string]any{"command": "", "action": "kill", "job": 2}, "kill job 2", true, ""},
	} {
		raw, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := runShellCommand().Plan(t.Context(), env, arguments.Parse(raw))
		preview := plan.Preview
		if err != nil || preview.Title != c.title || preview.ReadOnly != c.readOnly || argv(preview.Commands) != c.parts || preview.Command != strings.TrimPrefix(c.args["command"].(string), "cd sub && ") {
			t.Errorf("%v: %+v, %v", c.args, preview, err)
		}
	}
	if _, err := runShellCommand().Plan(t.Context(), env, arguments.Parse(`{"command":"ls","directory":".."}`)); err == nil {
		t.Error("a call that must fail can be approved")
	}
}

// A read-only git command runs without approval, except in a repository whose configuration runs
// programs. The test covers all such settings (reliability M3).
func TestM3_GitOfARepositoryThatRunsProgramsIsAskedAbout(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	for name, config := range map[string]string{
		"nothing":               "",
		"a file system monitor": "[core]\n\tfsmonitor = touch pwned\n",
		"a filter":              "[filter \"x\"]\n\tclean = touch pwned\n",
		"another file":          "[include]\n\tpath = ../more\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := shellEnv(t)
			root := env.Workspace.Root()
			init := exec.Command("git", "init", "-q", "--template=", root)
			init.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
			if out, err := init.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			writeTestFile(t, root, ".gitattributes", "* diff=x filter=x\n")
			writeTestFile(t, root, "more", "[core]\n\tfsmonitor = touch pwned\n")
			file, err := os.OpenFile(filepath.Join(root, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.WriteString(config); err != nil {
				t.Fatal(err)
			}
			file.Close()
			// On a busy machine, a check that takes too long leads to an approval prompt.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, command := range []string{"git status && git diff", "git show", "git blame more"} {
				raw, err := json.Marshal(map[string]any{"command": command})
				if err != nil {
					t.Fatal(err)
				}
				plan, err := runShellCommand().Plan(ctx, env, arguments.Parse(raw))
				if err != nil || plan.Preview.ReadOnly != (config == "") {
					t.Errorf("%s counts as looking: %v, %v", command, plan.Preview.ReadOnly, err)
				}
			}
			if _, err := os.Lstat(filepath.Join(root, "pwned")); err == nil {
				t.Error("finding out ran a program of the repository")
			}
		})
	}
}

// Control characters can hide the real command on a terminal. Such a command is refused before any
// prompt.
func TestShellRefusesControlCharacters(t *testing.T) {
	t.Parallel()
	env, tool := shellEnv(t), runShellCommand()
	for _, command := range []string{"touch X #\recho ok", "echo \x1b]0;\ntouch X\x07", "true \x1bPx\x1b\\", "echo a\x08b", "echo \u009b31m", "echo \x7f", "a\x00b"} {
		if _, err := planCall(t.Context(), t, tool, env, params{"command": command}); err == nil || !strings.Contains(err.Error(), "control character") {
			t.Errorf("%q: %v", command, err)
		}
	}
	if _, err := planCall(t.Context(), t, tool, env, params{"command": "echo a\tb\necho ü日"}); err != nil {
		t.Errorf("newlines, tabs and letters are refused: %v", err)
	}
}
