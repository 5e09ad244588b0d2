package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agent/internal/llm/llmtest"
)

// In read-only no call changes a byte of the disk outside of the program's own
// folders, whatever the model asks for: its system calls are watched.
func TestReadOnlyChangesNothing(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if testing.Short() {
		t.Skip("watches several runs")
	}
	looks := []string{"ls -la", "cat f", "git status", "git log -p", "git diff", "grep -rn x .", "find . -type f", "sort f | uniq -c", "head -c 5 f", "tree", "wc -l f", "du -sh .", "stat f", "date +%F", "go version", "echo f*"}
	var allowed []llmtest.Turn
	for _, command := range looks {
		allowed = append(allowed, llmtest.Call("run_shell_command", fmt.Sprintf(`{"command":%q}`, command)))
	}
	for _, call := range [][2]string{
		{"read_file", `{"file_path":"f"}`},
		{"list_directory", `{"path":"."}`},
		{"glob", `{"pattern":"**"}`},
		{"search_file_content", `{"pattern":"x"}`},
	} {
		allowed = append(allowed, llmtest.Call(call[0], call[1]))
	}
	runs := [][]llmtest.Turn{append(allowed, llmtest.Say("done"))}
	for _, call := range [][2]string{
		{"write_file", `{"file_path":"new","content":"x"}`},
		{"replace", `{"file_path":"f","old_string":"x","new_string":"y"}`},
		{"run_shell_command", `{"command":"touch new"}`},
		{"run_shell_command", `{"command":"touch new","outside":"why not"}`},
		{"run_shell_command", `{"command":"find . -maxdepth 0 -not -name -- -exec touch new ';'"}`},
		{"run_shell_command", `{"command":"git diff -S -- --output=new f f"}`},
		{"run_shell_command", `{"command":"tree -Po x f"}`},
		{"run_shell_command", `{"command":"ls > new","background":true}`},
	} {
		runs = append(runs, []llmtest.Turn{llmtest.Call(call[0], call[1]), llmtest.Say("done")})
	}
	for i, turns := range runs {
		server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn { return turns[min(r.Number, len(turns)-1)] })
		home := t.TempDir()
		work := filepath.Join(home, "work")
		script := `mkdir -p ` + work + ` && cd ` + work + ` && echo x > f && git init -q && git add f && git -c user.name=x -c user.email=x@y commit -qm x && echo y >> f`
		if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		trace := filepath.Join(t.TempDir(), "trace")
		run := startCommand(t, home, server.URL, strace, "-f", "--seccomp-bpf", "-qq", "-y", "-e", "signal=none", "-o", trace,
			"-e", "trace=open,openat,creat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mknod,mknodat,truncate,chmod,fchmodat,chown,lchown,fchownat,utimensat,setxattr",
			"agent", "-p", "go", "--approval-mode", "read-only")
		out, _ := run.end()
		if strings.Contains(out, "strace:") {
			t.Skip(out)
		}
		for _, line := range changes(t, trace, home) {
			t.Errorf("run %d: %s", i, line)
		}
		if i == 0 && len(server.Requests()) != len(turns) {
			t.Errorf("%d of %d requests\n%s", len(server.Requests()), len(turns), out)
		}
	}
}

var (
	quoted   = regexp.MustCompile(`"([^"]*)"`)
	openedAs = regexp.MustCompile(`= \d+<([^>]*)>`)
	inFolder = regexp.MustCompile(`(?:AT_FDCWD|\d+)<([^>]*)>`)
)

// changes are the calls of a trace that changed something outside of the folders that
// the program has below home, and of what a sandbox has for itself.
func changes(t *testing.T, trace, home string) []string {
	t.Helper()
	file, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	own := []string{home + "/.local/", home + "/.config/", home + "/.cache/", home + "/agent-", "/dev/null", "/dev/tty", "/proc/", "/run/", "pipe:", "socket:", "anon_inode:"}
	var found []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	began := map[string]string{} // by process, a call that is not over
	for lines.Scan() {
		line := lines.Text()
		process, _, _ := strings.Cut(line, " ")
		if start, unfinished := strings.CutSuffix(line, "<unfinished ...>"); unfinished {
			began[process] = start
			continue
		}
		if _, rest, resumed := strings.Cut(line, " resumed>"); resumed {
			line = began[process] + rest
		}
		at := strings.LastIndex(line, " = ")
		if at < 0 || strings.HasPrefix(line[at+3:], "-1") || strings.HasPrefix(line[at+3:], "?") {
			continue
		}
		path := ""
		if opened := openedAs.FindStringSubmatch(line[at:]); opened != nil {
			if !strings.Contains(line, "O_WRONLY") && !strings.Contains(line, "O_RDWR") && !strings.Contains(line, "O_CREAT") && !strings.Contains(line, "O_TRUNC") {
				continue
			}
			path = opened[1]
		} else if named := quoted.FindAllStringSubmatch(line, -1); named != nil {
			path = named[len(named)-1][1]
			if folder := inFolder.FindStringSubmatch(line); folder != nil && !filepath.IsAbs(path) {
				path = filepath.Join(folder[1], path)
			}
		}
		mine := false
		for _, folder := range own {
			mine = mine || strings.HasPrefix(path, folder) || path+"/" == folder
		}
		if !mine {
			found = append(found, line)
		}
	}
	return found
}
