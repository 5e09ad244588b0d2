package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/protect"
	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
	"agent/internal/workspace"
)

// confinedEnv returns an Env whose commands run in the sandbox of this system.
func confinedEnv(t *testing.T) *Env {
	t.Helper()
	box := sandbox.Detect()
	if !box.IsActive() {
		t.Skip(box.Describe())
	}
	env := shellEnv(t, "HOME="+t.TempDir())
	env.Confinement = func() sandbox.Confinement {
		return sandbox.Confinement{Sandbox: box, Policy: sandbox.Policy{
			Workspace: env.Workspace.Root(), Temp: env.Workspace.TempDir(), Protected: protect.AutoExecutedPaths(env.Workspace.Root()),
		}}
	}
	return env
}

// ownTempEnv returns a confinedEnv with a private /tmp of the session, if the system supports one.
func ownTempEnv(t *testing.T) *Env {
	t.Helper()
	env := confinedEnv(t)
	if !sandbox.Detect().HasOwnTemp(env.Workspace.Root()) {
		t.Skip("there are no namespaces here")
	}
	env.Seen = NewSeenFiles()
	own := t.TempDir()
	env.Workspace.MapTemp(workspace.TempMapping{Folder: func() string { return own }, Make: func() error { return nil }, Shown: sandbox.VisibleTempPaths(env.Workspace.Root(), nil)})
	confined := env.Confinement()
	confined.Policy.PrivateTemp = env.Workspace.MakeOwnTemp()
	env.Confinement = func() sandbox.Confinement { return confined }
	return env
}

// Commands and tools see the same files below /tmp, also in background jobs and read-only commands.
// No other program sees them.
func TestCommandsAndToolsShareATemp(t *testing.T) {
	t.Parallel()
	env := ownTempEnv(t)
	outside, err := os.CreateTemp("/tmp", "agent-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.Remove(outside.Name()) })
	_ = outside.Close()
	made := outside.Name()
	for _, step := range []struct {
		tool Tool
		args params
		want string
		only bool
	}{
		{runShellCommand(), params{"command": "mkdir " + made + " && echo of the command > " + made + "/f"}, "", false},
		{readFile(), params{"file_path": made + "/f"}, "of the command", true},
		{writeFile(), params{"file_path": made + "/g", "content": "of the tool\n"}, made + "/g", false},
		{runShellCommand(), params{"command": "cat " + made + "/g"}, "of the tool", true},
		{runShellCommand(), params{"command": "cat " + made + "/*"}, "of the command\nof the tool", true},
		{runShellCommand(), params{"command": "cd " + made + " && cat g"}, "of the tool", true},
		{runShellCommand(), params{"command": "cat g; pwd", "directory": made}, "of the tool\n" + made, true},
		{runShellCommand(), params{"command": "grep -rn tool " + made}, made + "/g:1:of the tool", true},
		{runShellCommand(), params{"command": "echo of a job > " + made + "/job", "background": true}, "job 1", false},
		{runShellCommand(), params{"action": "tail", "job": 1, "wait_seconds": 20}, "exit 0", true},
		{readFile(), params{"file_path": made + "/job"}, "of a job", true},
		{glob(), params{"pattern": "*", "path": made}, made + "/g", true},
		{runShellCommand(), params{"command": "ln -s /etc/passwd " + made + "/out; ln -s " + env.Workspace.Root() + " " + made + "/in; echo made"}, "made", false},
		{readFile(), params{"file_path": made + "/out"}, "outside the workspace", true},
		{runShellCommand(), params{"command": "cat " + made + "/out"}, "root", false},
		{runShellCommand(), params{"command": "cat " + made + "/o*"}, "root", false},
		{writeFile(), params{"file_path": made + "/in/made", "content": "x"}, "made", false},
	} {
		plan, err := planCall(t.Context(), t, step.tool, env, step.args)
		if err != nil {
			if !strings.Contains(err.Error(), step.want) {
				t.Errorf("%v: %v", step.args, err)
			}
			continue
		}
		if _, runs := step.args["command"]; runs && plan.Preview.ReadOnly != step.only {
			t.Errorf("%v: it only looks: %v", step.args, plan.Preview.ReadOnly)
		}
		if answer := plan.Apply(t.Context()); !strings.Contains(answer.ModelText()+answer.Error, step.want) {
			t.Errorf("%v: %s %s", step.args, answer.ModelText(), answer.Error)
		}
	}
	if _, err := os.Lstat(filepath.Join(env.Workspace.Root(), "made")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(made + "/f"); err == nil {
		t.Error("it is seen outside")
	}
}

// If only the system's /tmp has a file, the answer explains where it is.
func TestAdviceOnTheSystemsTemp(t *testing.T) {
	t.Parallel()
	env := ownTempEnv(t)
	file, err := os.CreateTemp("/tmp", "agent-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.Remove(file.Name()) })
	_ = file.Close()
	if answer := command(t, env, "cat "+file.Name()); !strings.Contains(answer.ModelText(), "commands have a separate /tmp, and "+file.Name()+" is in the /tmp of the system; to read it, call again") {
		t.Errorf("%s", answer.ModelText())
	}
	if answer := command(t, env, "cat /tmp/agent-test-nowhere"); strings.Contains(answer.ModelText(), "[sandbox") {
		t.Errorf("%s", answer.ModelText())
	}
}

func TestSandboxKeepsCommandsIn(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	out := filepath.Join(t.TempDir(), "out")
	answer := command(t, env, "touch in; touch "+out)
	if _, err := os.Stat(out); err == nil || answer.ExitCode == nil || *answer.ExitCode == 0 {
		t.Errorf("%+v, %v", answer, err)
	}
	if !strings.Contains(answer.ModelText(), "[sandbox: ") || !strings.Contains(answer.ModelText(), "call again with the reason in the parameter outside") {
		t.Errorf("it does not say that the sandbox refused:\n%s", answer.ModelText())
	}
	if _, err := os.Stat(filepath.Join(env.Workspace.Root(), "in")); err != nil {
		t.Error(err)
	}
	if answer := command(t, env, "false"); strings.Contains(answer.ModelText(), "sandbox") {
		t.Errorf("any failure is put on the sandbox:\n%s", answer.ModelText())
	}
	answer = runTool(t.Context(), t, runShellCommand(), env, map[string]any{"command": "touch " + out, "outside": "it belongs there"})
	if _, err := os.Stat(out); err != nil || answer.Error != "" {
		t.Errorf("%+v, %v", answer, err)
	}
}

// A command line above the limit of the system is refused with a fix, also in the sandbox. It is
// not parsed word by word before that.
func TestACommandLineThatIsTooLong(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	for _, size := range []int{3 << 20, 8 << 20} {
		answer := command(t, env, "cat > f <<'E'\n"+strings.Repeat("abcdefghijklmno\n", size/16)+"E\n")
		if want := fmt.Sprintf("too long for this system (%d.0 MiB); write the text to a file", size>>20); !strings.Contains(answer.Error, want) {
			t.Errorf("%q does not say %q", answer.Error, want)
		}
	}
}

func TestSandboxUndoesAutoExecutedFiles(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	answer := command(t, env, "echo x > .envrc")
	if _, err := os.Stat(filepath.Join(env.Workspace.Root(), ".envrc")); err == nil || !strings.Contains(answer.ModelText(), ".envrc. These changes were reverted") {
		t.Errorf("%+v, %v", answer, err)
	}
}

// If a workspace has more folders than the program watches, commands require approval. A command
// that exceeds the limit contains a note about it.
func TestMoreFoldersThanAreWatched_D60(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	confined := env.Confinement()
	confined.Policy.Survey = sensitive.New(env.Workspace.Root(), 4)
	env.Confinement = func() sandbox.Confinement { return confined }
	asks := func() bool {
		plan, err := runShellCommand().Plan(t.Context(), env, arguments.Parse(`{"command":"touch x"}`))
		if err != nil {
			t.Fatal(err)
		}
		return !plan.Preview.Confined && strings.Contains(plan.Preview.Title, "agent watches")
	}
	if asks() {
		t.Error("a small workspace is said to be large")
	}
	if answer := command(t, env, "mkdir -p a b c d e/f; echo x > e/f/.envrc"); !strings.Contains(answer.ModelText(), "checks only that many") {
		t.Errorf("%+v", answer)
	}
	if !asks() {
		t.Error("it is not asked about")
	}
	if answer := command(t, env, "rm -r a b c"); strings.Contains(answer.ModelText(), "not looked at") || asks() {
		t.Errorf("it is small again: %+v", answer)
	}
}

func TestPreviewNamesTheSandbox(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	for _, c := range []struct {
		args                          map[string]any
		readOnly, confined, isOutside bool
	}{
		{map[string]any{"command": "ls"}, true, true, false},
		{map[string]any{"command": "rm x"}, false, true, false},
		{map[string]any{"command": "ls", "outside": "why"}, false, false, true},
		{map[string]any{"command": "npm install", "outside": "the registry"}, false, false, true},
	} {
		plan, err := planCall(t.Context(), t, runShellCommand(), env, c.args)
		p := plan.Preview
		if err != nil || p.ReadOnly != c.readOnly || p.Confined != c.confined || (p.Outside != "") != c.isOutside {
			t.Errorf("%v: %+v, %v", c.args, p, err)
		}
		if c.isOutside && !strings.Contains(p.Title, "outside the sandbox: "+c.args["outside"].(string)) {
			t.Errorf("the question %q does not say why it leaves the sandbox", p.Title)
		}
	}
	open := shellEnv(t)
	plan, err := planCall(t.Context(), t, runShellCommand(), open, params{"command": "rm x", "outside": "why"})
	p := plan.Preview
	if err != nil || p.Confined || p.Outside != "" {
		t.Errorf("without a sandbox there is no outside: %+v, %v", p, err)
	}
}

// A large here-document exceeds the system's limit for one argument. It is still written, also in
// the sandbox.
func TestLongCommandInTheSandbox(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	text := strings.Repeat("0123456789abcde\n", 20_000)
	answer := command(t, env, "cat > out <<'EOF'\n"+text+"EOF\necho written")
	got, err := os.ReadFile(filepath.Join(env.Workspace.Root(), "out"))
	if err != nil || string(got) != text || !strings.Contains(answer.ModelText(), "written") {
		t.Errorf("%d bytes of %d, %v, %.300s", len(got), len(text), err, answer.ModelText())
	}
}

// An answer lists the files that an edit or a command changed.
func TestAnswersListTheFilesThatChanged(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	env.Seen = fileEnv(t, nil).Seen
	writeTestFile(t, env.Workspace.Root(), "a", "old\n")
	writeTestFile(t, env.Workspace.Root(), "b", "b\n")
	snapshots(t, env)
	mustRun(t, env, readFile(), params{"file_path": "a"})
	env.Snapshots.BeginTurn("x")
	at := func(name string) string { return filepath.Join(env.Workspace.Root(), name) }
	for _, c := range []struct {
		tool Tool
		args params
		want []string
	}{
		{replace(), params{"file_path": "a", "old_string": "old", "new_string": "new"}, []string{at("a")}},
		{runShellCommand(), params{"command": "echo c > c; echo more >> b"}, []string{at("b"), at("c")}},
		{runShellCommand(), params{"command": "cat a"}, nil},
	} {
		got := call(t, env, c.tool, c.args)
		slices.Sort(got.Changed)
		if !slices.Equal(got.Changed, c.want) || got.Error != "" {
			t.Errorf("%v: %v changed, %q", c.args, got.Changed, got.Error)
		}
	}
}

// A read-only command cannot read files under a deny rule or in an ignore file before an approval,
// even if it does not name them. The command itself needs no approval.
func TestReadOnlyCommandsSkipDeniedFiles(t *testing.T) {
	t.Parallel()
	env := confinedEnv(t)
	root := env.Workspace.Root()
	for name, text := range map[string]string{"kept.txt": "word KEY", "dir/deep/a.txt": "word KEY", "open.txt": "word open", "sub/open.txt": "word open", "sub/kept.txt": "word KEY"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".", filepath.Join(root, "all")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	env.Protected.Keeps = true
	env.Protected.RuleForFile = func(abs string, edit bool) (string, bool) {
		if !edit && (filepath.Base(abs) == "kept.txt" || abs == filepath.Join(root, "dir") || strings.HasPrefix(abs, filepath.Join(root, "dir")+"/")) {
			return "kept from agents", false
		}
		return "", false
	}
	for _, line := range []string{
		"grep -r word .", "grep -rn word", "grep -r word sub; grep -r word all", "grep --recursive word .", "cd sub && grep -r word .", "cd sub && grep -r word ..", "rg word", "rg -uuu word", "rg word . | head -n 50", "rg word all", "rg --files-with-matches word && rg word sub", "grep -r word s*", "rg word s*", "grep -r word ./s*b", "rg word o* s?b", "git grep word", "git grep word -- sub",
	} {
		plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": line})
		if err != nil || !plan.Preview.ReadOnly || len(plan.Preview.Protected) > 0 {
			t.Errorf("%s: %+v, %v", line, plan.Preview, err)
			continue
		}
		answer := plan.Apply(t.Context())
		text := answer.ModelText() + answer.Error
		if strings.Contains(text, "KEY") {
			t.Errorf("%s shows what is kept: %s", line, text)
		}
		if !strings.Contains(text, "open") && !strings.Contains(text, "not found") {
			t.Errorf("%s shows nothing: %s", line, text)
		}
	}
	for _, line := range []string{"cat kept.txt", "rg word dir", "grep -r word sub/kept.txt", "git status && grep -r word ."} {
		plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": line})
		if err != nil || plan.Preview.ReadOnly {
			t.Errorf("%s is said to look: %+v, %v", line, plan.Preview, err)
		}
	}
	for n := range maxKept + 1 {
		if err := os.MkdirAll(filepath.Join(root, fmt.Sprint("many/", n)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint("many/", n), "kept.txt"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": "grep -r word ."}); err != nil || plan.Preview.ReadOnly {
		t.Errorf("more than can be hidden: %+v, %v", plan.Preview, err)
	}
	env.Protected.Keeps = false
	if plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": "grep -r word ."}); err != nil || !plan.Preview.ReadOnly {
		t.Errorf("nothing is kept: %+v, %v", plan.Preview, err)
	}
}
