package tools

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/base/arguments"
)

// No answer may contain the content of a secret file or a name outside the workspace.
const (
	keyContent  = "top-secret-key"
	outsideName = "name-outside"
)

// racingCalls returns the number of calls for each race. AGENT_RACE_CALLS raises it.
func racingCalls(t *testing.T) int {
	t.Helper()
	text := os.Getenv("AGENT_RACE_CALLS")
	if text == "" {
		return 160
	}
	calls, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// swap exchanges two files repeatedly until the test has ended.
func swap(t *testing.T, a, b string) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		var err error
		for err == nil {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
				err = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
			}
		}
		stopped <- err
	}()
	t.Cleanup(func() {
		close(stop)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// If a symbolic link is created on the path to a file while a tool runs, the tool does not show the
// target. The target may be outside the workspace or a secret file inside it.
func TestNoToolFollowsANewLink(t *testing.T) {
	t.Parallel()
	calls := []struct {
		tool Tool
		args params
	}{
		{searchFileContent(), params{"pattern": "."}},
		{searchFileContent(), params{"pattern": ".", "path": "d"}},
		{searchFileContent(), params{"pattern": ".", "path": "d/normal.txt"}},
		{glob(), params{"pattern": "**"}},
		{glob(), params{"pattern": "d/*"}},
		{glob(), params{"pattern": "*", "path": "d"}},
		{listDirectory(), params{"path": "d"}},
		{readFile(), params{"file_path": "d/normal.txt"}},
		{readFile(), params{"file_path": "d/name-outsid"}},
		{readLineRange(), params{"file_path": "d/normal.txt", "start_line": 1, "end_line": 2}},
		{readManyFiles(), params{"paths": []string{"d/normal.txt"}}},
		{readManyFiles(), params{"paths": []string{"d"}}},
		{readManyFiles(), params{"paths": []string{"d/*.txt"}}},
		{astReadFile(), params{"file_path": "d/normal.go"}},
		{replace(), params{"file_path": "d/normal.txt", "old_string": "nothing like it", "new_string": "x"}},
		{insertAtLine(), params{"file_path": "d/normal.txt", "line_number": 99, "new_content": "x"}},
	}
	for _, c := range []struct{ name, link string }{
		{"a folder outside", "outside"}, {"a folder with keys inside", ".ssh"}, {"a folder that git ignores", "outside"}, {"a repository", "outside"}, {"a file with keys inside", ".env"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := fileEnv(t, map[string]string{
				"d/normal.txt": "nothing\n", "d/normal.go": "package d\n", ".env": keyContent, ".ssh/normal.txt": keyContent, ".ssh/normal.go": "package " + "d // " + keyContent,
			})
			root := env.Workspace.Root()
			outside := t.TempDir()
			for name, content := range map[string]string{"normal.txt": keyContent, "normal.go": "package d // " + keyContent, outsideName: "", outsideName + "-too/x": ""} {
				writeTestFile(t, outside, name, content)
			}
			if strings.Contains(c.name, "git") {
				writeTestFile(t, root, ".gitignore", "/d\n")
			}
			if strings.Contains(c.name, "repository") {
				if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
					t.Skipf("%v %s", err, out)
				}
				if out, err := exec.Command("git", "-C", root, "add", "d").CombinedOutput(); err != nil {
					t.Fatalf("%v %s", err, out)
				}
			}
			target := filepath.Join(root, c.link)
			if c.link == "outside" {
				target = outside
			}
			// The link is in a folder that no listing reads.
			from, link := filepath.Join(root, "d"), filepath.Join(env.Workspace.TempDir(), "link")
			if c.link == ".env" {
				from = filepath.Join(from, "normal.txt")
			}
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			swap(t, from, link)
			offences := map[string]int{}
			for i := range racingCalls(t) {
				one := calls[i%len(calls)]
				raw, err := json.Marshal(one.args)
				if err != nil {
					t.Fatal(err)
				}
				plan, err := one.tool.Plan(t.Context(), env, arguments.Parse(raw))
				answer := Answer{}
				switch {
				case err != nil:
					answer = failedAnswer(err)
				case len(plan.Preview.Protected) > 0:
					continue // the call requires approval
				default:
					answer = plan.Apply(t.Context())
				}
				said := errors.Join(errors.New(answer.ModelText()), errors.New(answer.Error), errors.New(plan.Preview.Diff)).Error()
				if strings.Contains(said, keyContent) || strings.Contains(strings.ReplaceAll(said, target, ""), outsideName) {
					offences[one.tool.Name+" "+string(raw)]++
				}
			}
			for call, n := range offences {
				t.Errorf("%d times: %s", n, call)
			}
		})
	}
}
