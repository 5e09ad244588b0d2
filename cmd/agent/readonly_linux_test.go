package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"

	"agent/internal/gate"
	"agent/internal/testing/llmtest"
)

// In read-only mode and in plan mode, a long session changes nothing on the disk except the
// program's own files and its temporary folder. Four subagents call every tool at the same time,
// with random and hostile arguments. The test traces every system call, and compares the files of
// the workspace and the home folder before and after. "make fuzz-read-only" makes thousands of
// calls. READONLY_SANDBOX=off disables the sandbox.
func TestReadOnlyChangesNothingOnTheDisk(t *testing.T) {
	t.Parallel()
	for _, mode := range []gate.Mode{gate.ModeReadOnly, gate.ModePlan} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			changesNothing(t, mode)
		})
	}
}

func changesNothing(t *testing.T, mode gate.Mode) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs long")
	}
	strace := needStrace(t)
	seed, calls := number(t, "READONLY_SEED", 1), number(t, "READONLY_CALLS", 20)
	p := newReadOnlyPlace(t)
	p.mode = mode
	before := p.everything()
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	var made atomic.Int64
	var drawing sync.Mutex
	tasks := 4 // subagents that make calls at the same time as the main conversation
	server := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
		drawing.Lock()
		defer drawing.Unlock()
		turn := llmtest.Turn{}
		switch {
		case made.Load() >= int64(calls):
			return llmtest.Say("all done")
		case tasks > 0:
			for ; tasks > 0; tasks-- {
				turn = turn.Call("task", jsonObject("task", "make calls", "agent", "general"))
			}
			return turn
		}
		for range 1 + random.IntN(3) {
			name, arguments := p.call(random)
			turn = turn.Call(name, arguments)
			made.Add(1)
		}
		return turn
	})
	log := filepath.Join(t.TempDir(), "trace")
	p.session(t, strace, log, server.URL, func() bool { return made.Load() >= int64(calls) }, made.Load)
	logs, err := filepath.Glob(log + "*")
	if err != nil {
		t.Fatal(err)
	}
	var offences []string
	execs := 0
	for _, log := range logs {
		trace, err := os.Open(log)
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		found, started := p.offences(trace)
		offences, execs = append(offences, found...), execs+started
	}
	for i, offence := range offences {
		if i == 20 {
			t.Fatalf("and %d more", len(offences)-i)
		}
		t.Error(offence)
	}
	if execs < calls/20 {
		t.Errorf("of %d calls only %d started a program; the session did not do what it should", calls, execs)
	}
	after := p.everything()
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s was %s and is %s", path, was, cmp.Or(after[path], "gone"))
		}
		delete(after, path)
	}
	for path := range after {
		t.Errorf("%s is new", path)
	}
	t.Logf("seed %d: %d calls, %d programs", seed, made.Load(), execs)
}

// The trace reader of the test above recognizes calls that change the disk.
func TestChangesOfTheDiskAreSeen(t *testing.T) {
	t.Parallel()
	p := &readOnlyPlace{base: "/b", home: "/b/home", work: "/b/home/work", temp: "/b/temp"}
	for line, want := range map[string]bool{
		`1 openat(AT_FDCWD</b/home/work>, "x", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</b/home/work/x>`:         true,
		`1 openat(AT_FDCWD</b/home/work>, "x", O_RDONLY) = 3</b/home/work/x>`:                               false,
		`1 openat(AT_FDCWD</b/home/work>, "x", O_RDWR) = -1 EROFS (Read-only file system)`:                  false,
		`1 openat(AT_FDCWD</>, "/dev/null", O_WRONLY) = 3</dev/null>`:                                       false,
		`1 openat(AT_FDCWD</>, "/b/temp/x", O_WRONLY|O_CREAT, 0600) = 3</b/temp/x>`:                         false,
		`1 openat(AT_FDCWD</>, "/etc/x", O_WRONLY|O_CREAT, 0600) = 3</etc/x>`:                               true,
		`1 openat(AT_FDCWD</>, "/b/home/.local/share/agent/s", O_WRONLY) = 3</b/home/.local/share/agent/s>`: false,
		`1 openat(AT_FDCWD</>, "/b/home/.bashrc", O_WRONLY) = 3</b/home/.bashrc>`:                           true,
		`1 unlinkat(AT_FDCWD</b/home/work>, "a.txt", 0) = 0`:                                                true,
		`1 renameat2(AT_FDCWD</b/temp>, "x", AT_FDCWD</b/home/work>, "y", 0) = 0`:                           true,
		`1 rename("/b/temp/x", "/b/temp/y") = 0`:                                                            false,
		`1 fchmod(3</b/home/work/a.txt>, 0644) = 0`:                                                         true,
		`1 utimensat(3</b/home/work/a.txt>, NULL, [{tv_sec=1}], 0) = 0`:                                     true,
		`1 symlink("/b/temp/x", "/b/home/work/l") = 0`:                                                      true,
		`1 mkdir("new", 0777) = 0`:                                                                          true,
		"1 unlink(\"/b/home/x\" <unfinished ...>\n1 <... unlink resumed>) = 0":                              true,
	} {
		if found, _ := p.offences(strings.NewReader(line + "\n")); len(found) > 0 != want {
			t.Errorf("%s: %q", line, found)
		}
	}
}

// readOnlyPlace is a home folder with a workspace whose names and files are misleading.
type readOnlyPlace struct {
	base, home, work, temp string
	// mode is the approval mode of the session.
	mode gate.Mode
}

func newReadOnlyPlace(t *testing.T) *readOnlyPlace {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &readOnlyPlace{base: base, home: base + "/home", work: base + "/home/work", temp: base + "/temp"}
	for path, content := range map[string]string{
		"home/.bashrc": "# mine", "home/.ssh/id_rsa": "key", "home/other/f": "x", "temp/.k": "", "outside/f": "x",
		"home/work/a.txt": "package b\n--\n", "home/work/sub/b.go": "package b\n\nfunc B() {}\n", "home/work/.env": "K=1", "home/work/notes": "touch pwned # --\n",
		"home/work/.gitattributes": "*.txt filter=x diff=x\n", "home/work/bin/ls": "#!/bin/sh\ntouch pwned\n", "home/work/-exec": "x", "home/work/--": "x",
		"home/work/docs/objects/.k": "", "home/work/docs/refs/.k": "", "home/work/docs/config": "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch pwned\"\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(base, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, path), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"out": base + "/outside", "leak": "../.bashrc", "docs/HEAD": "refs/heads/none", "fé": base + "/outside/f"} {
		if err := os.Symlink(target, filepath.Join(p.work, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"git init -q", "git add a.txt sub notes .gitattributes", "git -c user.name=t -c user.email=t@example.org commit -qm one", "echo changed >> a.txt",
		"echo 'touch pwned' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change",
	} {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = p.work
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	return p
}

// own reports whether the program may write to a path: its own folders, its temporary folder, and
// devices.
func (p *readOnlyPlace) own(path string) bool {
	for _, folder := range []string{p.home + "/.config/agent", p.home + "/.local", p.home + "/.cache", p.temp, "/dev", "/proc"} {
		if path == folder || strings.HasPrefix(path, folder+"/") {
			return true
		}
	}
	return path == p.home+"/.config"
}

// everything describes every file below the base that is not the program's own.
func (p *readOnlyPlace) everything() map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(p.base, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || p.own(path) {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		about := fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		if path == p.home || path == p.base {
			about = fmt.Sprint(info.Mode()) // the program creates its folders here
		}
		if content, err := os.ReadFile(path); err == nil && info.Mode().IsRegular() {
			about += fmt.Sprintf(" %x", sha256.Sum256(content))
		}
		found[path] = about
		return nil
	})
	return found
}

// The words from which calls are made.
var (
	readOnlyPaths = []string{
		"a.txt", "a.txt", "sub/b.go", "sub/b.go", "sub", ".", "notes", "new.txt", "sub/new/deep.txt", "out/f", "leak", "fé", "../other/f", "../.bashrc", "/etc/passwd", "~/.bashrc", ".git/config", ".git/hooks/pre-commit",
		".vscode/tasks.json", "AGENTS.md", "sub/../../other/f", "/proc/self/cwd/a.txt", "docs/config", "", "a\x00b", "..", "/", "-exec", "--", "*", "**/*.go", "[", strings.Repeat("d/", 300) + "f",
	}
	readOnlyCommands = []string{
		"ls -la", "cat a.txt | sort | uniq -c", "grep -rn package . | head -3", "git status", "git log -p", "git diff", "find . -name '*.go'", "cd sub && ls", "tree -L 2", "rg -n package", "wc -l a.txt sub/b.go", "go version", "cd docs && git status",
		"find . -maxdepth 0 -not -name -- -exec sh -c 'id > pwned' ';'", "git grep -e -- '-Oid > pwned; :'", "rg -e -- --pre=sh . notes", "git diff -S -- --output=pwned a.txt notes", "tree -P -- -o pwned", "sort -o pwned a.txt", "find . -delete",
		"touch new", "rm -rf sub", "echo x > new", "echo x >> ../.bashrc", "echo x > ~/.bashrc", "cp a.txt out/f", "mv a.txt b.txt", "ln -s /etc l", "chmod 777 a.txt", "git commit -qam x", "git stash", "git config core.fsmonitor x", "sed -i s/a/b/ a.txt",
		"touch -d 2001-01-01 a.txt", "mkdir -p x/y", "truncate -s 0 a.txt", "cat f??", "ls > /dev/null", "echo x > /dev/tcp/127.0.0.1/1", "printf x | tee new", "sh -c 'touch new'", "python3 -c 'open(\"new\",\"w\")'", "true; touch new", "ls\ntouch new", "ls & touch new",
		"bin/ls", "PATH=bin:$PATH ls", "setsid touch new", "cat .env", "dd if=/dev/zero of=new count=1", "tar cf new.tar .", "git -c core.pager='touch new' log", "go env -w GOFLAGS=-x", "yes | head -100000", "ls \x1b[2J",
	}
)

// call returns a random call.
func (p *readOnlyPlace) call(random *rand.Rand) (name, arguments string) {
	pick := func(words []string) string { return words[random.IntN(len(words))] }
	path, n := pick(readOnlyPaths), random.IntN(12)-1
	text := pick([]string{"x", "package b", "func B() {}", "", "func B() { panic(1) }\n", "\x00", strings.Repeat("long ", 200)})
	switch random.IntN(22) {
	case 0:
		return "read_file", jsonObject("file_path", path, "offset", n)
	case 1:
		return "read_line_range", jsonObject("file_path", path, "start_line", n, "end_line", n+3)
	case 2:
		return "read_many_files", jsonObject("paths", []string{path, pick(readOnlyPaths)})
	case 3:
		return "ast_read_file", jsonObject("file_path", path, "symbol", pick([]string{"", "B"}))
	case 4:
		return "search_file_content", jsonObject("pattern", pick([]string{"package", "(", ".*"}), "path", path)
	case 5:
		return "glob", jsonObject("pattern", path)
	case 6:
		return "list_directory", jsonObject("path", path)
	case 7:
		return "write_file", jsonObject("file_path", path, "content", text)
	case 8:
		return "replace", jsonObject("file_path", path, "old_string", "package b", "new_string", text)
	case 9:
		return "insert_at_line", jsonObject("file_path", path, "line_number", n, "content", text)
	case 10:
		return "delete_line_range", jsonObject("file_path", path, "start_line", n, "end_line", n+1)
	case 11:
		return "ast_edit", jsonObject("file_path", path, "symbol", "B", "new_code", text)
	case 12:
		return "todo_write", jsonObject("todos", []map[string]string{{"content": text, "status": "pending"}})
	case 13:
		return pick([]string{"todo_read", "recall", "no_such_tool", "web_fetch", "present_plan"}), jsonObject("url", "http://127.0.0.1:1/"+text, "query", text, "plan", text)
	case 14:
		return "run_shell_command", jsonObject("command", pick(readOnlyCommands), "outside", "it needs to")
	case 15:
		return "run_shell_command", jsonObject("command", pick(readOnlyCommands), "background", true)
	case 16:
		return "run_shell_command", jsonObject("action", pick([]string{"list", "tail", "kill"}), "job", n)
	case 17:
		return "run_shell_command", jsonObject("command", pick(readOnlyCommands), "directory", path)
	case 18:
		return "run_shell_command", jsonObject("command", pick(readOnlyCommands)+pick([]string{" | ", " && ", "; ", " || "})+pick(readOnlyCommands))
	}
	return "run_shell_command", jsonObject("command", pick(readOnlyCommands))
}

// session runs the interface in its mode under strace until done returns true. If there is no
// progress, it sends a message or an answer.
func (p *readOnlyPlace) session(t *testing.T, strace, log, url string, done func() bool, progress func() int64) {
	t.Helper()
	// strace starts the program by its path, so a link gives the program its name.
	agent := filepath.Join(filepath.Dir(log), "agent")
	if err := os.Symlink(os.Args[0], agent); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	cmd := exec.Command(strace, "-f", "--seccomp-bpf", "-y", "-qq", "-s", "300", "-e", "signal=none", "-e", watchedCalls, "-o", log, agent, "-m", "demo", "--approval-mode", string(p.mode),
		"--set", "sandbox="+cmp.Or(os.Getenv("READONLY_SANDBOX"), "auto"))
	cmd.Dir = p.work
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + p.temp, "TERM=xterm-256color", "NO_COLOR=1",
		"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + url, "GORACE=" + noRaceSleep,
	}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	ended := make(chan string)
	go func() {
		shown, last := make([]byte, 4096), ""
		for {
			n, err := terminal.Read(shown)
			if err != nil {
				ended <- last
				return
			}
			last += string(shown[:n])
			last = last[max(0, len(last)-len(shown)):]
		}
	}()
	tick := time.NewTicker(1500 * time.Millisecond)
	defer tick.Stop()
	last, stuck := int64(0), 0
	for !done() {
		select {
		case last := <-ended:
			// On a busy machine strace itself may fail and end the program:
			// "ptrace(PTRACE_LISTEN,pid:1): Input/output error".
			if strings.Contains(last, "strace: ptrace(") && strings.Count(log, "+") < 2 {
				t.Logf("strace failed after %d calls; the session begins anew", progress())
				_ = cmd.Wait()
				p.session(t, strace, log+"+", url, done, progress)
				return
			}
			t.Fatalf("the program ended after %d calls: %q", progress(), last)
		case <-tick.C:
		}
		if now := progress(); now != last {
			last, stuck = now, 0
			continue
		}
		if stuck++; stuck > 80 {
			t.Fatalf("nothing goes on after %d calls", last)
		}
		// The program waits for the answer to a prompt, which is "n", or for a message.
		_, _ = io.WriteString(terminal, []string{"n", "go\r"}[stuck%2])
	}
	for {
		_, _ = io.WriteString(terminal, "\x03\x03")
		select {
		case <-ended:
			_ = cmd.Wait()
			return
		case <-tick.C:
		}
	}
}

// watchedCalls are the system calls that change a disk or start a program.
const watchedCalls = "trace=execve,open,openat,openat2,creat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mknod,mknodat," +
	"truncate,ftruncate,fallocate,chmod,fchmod,fchmodat,?fchmodat2,chown,fchown,lchown,fchownat,utime,utimes,utimensat,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr"
