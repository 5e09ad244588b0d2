package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/audit"
	"agent/internal/testing/llmtest"
)

// sessionActivity is the activity of a session: by its script, or in the trace of strace. Files have names
// relative to the workspace, programs have numbers and exit statuses.
type sessionActivity struct {
	read, wrote, reached map[string]bool
	ran                  map[string]int
}

func newSessionActivity() sessionActivity {
	return sessionActivity{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]int{}}
}

// stillRunning is the exit status of a program that runs until the session ends.
const stillRunning = -1

// TestAuditEqualsATrace runs sessions with random calls, hooks, a check and servers under strace.
// The audit must list exactly the reads, writes, programs and hosts in the trace.
// AGENT_AUDIT_SESSIONS is the number of sessions, AGENT_AUDIT_SEED the first seed.
func TestAuditEqualsATrace(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs long")
	}
	strace := needStrace(t)
	first := number(t, "AGENT_AUDIT_SEED", 0)
	for seed := first; seed < first+number(t, "AGENT_AUDIT_SESSIONS", 1); seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 37))
		work, home := auditPlace(t)
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a page")) }))
		moved := httptest.NewServer(http.RedirectHandler(page.URL, http.StatusFound))
		gone := httptest.NewServer(nil)
		gone.Close()
		web := httptest.NewServer(http.NotFoundHandler())
		turns, exits := auditScript(r, work, []string{page.URL, moved.URL, gone.URL})
		flags := auditPrograms(t, r, home, web.URL, exits)
		server := llmtest.New(t, turns...)
		log := filepath.Join(t.TempDir(), "trace")
		agent := filepath.Join(filepath.Dir(log), "agent")
		for _, program := range []string{"agent", "mcpserver"} {
			if err := os.Symlink(os.Args[0], filepath.Join(filepath.Dir(agent), program)); err != nil {
				t.Fatal(err)
			}
		}
		env := []string{"PATH=" + filepath.Dir(agent) + ":" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + t.TempDir(), "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + server.URL, "GORACE=" + noRaceSleep}
		cmd := exec.Command(strace, "-f", "--seccomp-bpf", "-y", "-qq", "-s", "400", "-e", "signal=none", "-e", "trace=openat,openat2,execve,connect,rename,renameat,renameat2,unlink,unlinkat,link,linkat",
			"-o", log, agent, "-p", "go", "-m", "demo", "--approval-mode", "full-auto", "--set", "web-fetch.private=true")
		cmd.Args = append(cmd.Args, flags...)
		cmd.Dir, cmd.Env = work, env
		if out, err := cmd.CombinedOutput(); err != nil {
			if strings.Contains(string(out), "strace: ptrace(") {
				t.Logf("strace failed: %s", out)
				continue
			}
			t.Fatalf("%v: %s", err, out)
		}
		page.Close()
		moved.Close()
		web.Close()
		show := exec.Command(agent, "sessions", "list", "--json")
		show.Dir, show.Env = work, env
		var listed []struct{ Path string }
		if out, err := show.Output(); err != nil || json.Unmarshal(out, &listed) != nil || len(listed) != 1 {
			t.Fatalf("%v: %s", err, out)
		}
		report, err := audit.ReadReport(listed[0].Path)
		if err != nil || !report.Unchanged() || report.Chain.Without > 0 {
			t.Fatal(err, report.Chain)
		}
		said, seen := auditSays(report, work), traceSays(t, log, work)
		if slices.ContainsFunc(report.Events, func(e audit.Event) bool { return e.Unlisted }) { // the machine was too busy to list the workspace
			t.Logf("seed %d: the audit says that it does not know all files", seed)
			said.wrote = seen.wrote
		}
		delete(seen.reached, strings.TrimPrefix(gone.URL, "http://")) // no server answered there
		commands := 0
		for number := range seen.ran {
			seen.ran[number] = exits[number]
			if strings.HasPrefix(number, "cmd-") {
				commands++
			}
		}
		for number := range exits {
			if strings.HasPrefix(number, "cmd-") {
				commands--
			}
		}
		if !maps.Equal(said.read, seen.read) || !maps.Equal(said.wrote, seen.wrote) || !maps.Equal(said.reached, seen.reached) || !maps.Equal(said.ran, seen.ran) || commands != 0 {
			t.Errorf("seed %d: the audit says\n%+v\nthe system saw\n%+v", seed, said, seen)
		}
	}
}

// auditPlace returns a repository whose commits are a day old, and a home folder.
func auditPlace(t *testing.T) (work, home string) {
	t.Helper()
	base := t.TempDir()
	work, home = filepath.Join(base, "work"), filepath.Join(base, "home")
	if err := os.MkdirAll(filepath.Join(work, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	earlier := time.Now().Add(-24 * time.Hour)
	for i := range 6 {
		file := filepath.Join(work, "data", fmt.Sprintf("file%d.txt", i))
		if err := os.WriteFile(file, []byte(strings.Repeat(fmt.Sprintf("line of %d\n", i), 20)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, earlier, earlier); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=n", "-c", "user.email=e@e", "commit", "-qm", "first"}} {
		git := exec.Command("git", args...)
		if git.Dir = work; git.Run() != nil {
			t.Skip("git does not work here")
		}
	}
	return work, home
}

// auditScript returns random calls that include each kind. The number in a command is its exit
// status.
func auditScript(r *rand.Rand, work string, pages []string) (turns []llmtest.Turn, exits map[string]int) {
	exits = map[string]int{}
	for i := range 6 + r.IntN(8) {
		file := filepath.Join(work, "data", fmt.Sprintf("file%d.txt", r.IntN(6)))
		made := fmt.Sprintf("made-%d.txt", r.IntN(4))
		switch r.IntN(6) {
		case 0:
			turns = append(turns, llmtest.Call("read_file", jsonObject("file_path", file)))
		case 1:
			turns = append(turns, llmtest.Call("read_file", jsonObject("file_path", file, "offset", 3, "limit", 4)))
		case 2:
			turns = append(turns, llmtest.Call("write_file", jsonObject("file_path", filepath.Join(work, made), "content", fmt.Sprintf("text %d\n", i))))
		case 3:
			turns = append(turns, llmtest.Call("read_many_files", jsonObject("paths", []string{file})))
		case 4:
			turns = append(turns, llmtest.Call("web_fetch", jsonObject("url", fmt.Sprint(pages[r.IntN(len(pages))], "/", i))))
		default:
			number := fmt.Sprintf("cmd-%d", i)
			exits[number] = r.IntN(3)
			turns = append(turns, llmtest.Call("run_shell_command", jsonObject("command", fmt.Sprintf("echo %s > %s; exit %d", number, made, exits[number]))))
		}
	}
	return append(turns, llmtest.Say("done")), exits
}

// auditPrograms writes random hooks, a check and servers. It returns the flags that configure the
// check and the servers.
func auditPrograms(t *testing.T, r *rand.Rand, home, web string, exits map[string]int) (flags []string) {
	t.Helper()
	events := map[string]any{}
	for i, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"} {
		if r.IntN(2) == 0 {
			continue
		}
		number := fmt.Sprintf("hook-%d", i)
		exits[number] = r.IntN(2)
		line := fmt.Sprintf("exit %d # %s", exits[number], number)
		events[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": line}}}}
	}
	config := filepath.Join(home, ".config", "agent")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "hooks.json"), []byte(jsonObject("hooks", events)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r.IntN(2) == 0 {
		exits["check-0"] = r.IntN(2)
		flags = append(flags, "--set", fmt.Sprintf("check-command=exit %d # check-0", exits["check-0"]))
	}
	servers := map[string]any{}
	if r.IntN(2) == 0 {
		exits["server-0"] = stillRunning
		servers["program"] = map[string]any{"command": "sh", "args": []string{"-c", "exec mcpserver mcptest-server # server-0"}}
	}
	if r.IntN(2) == 0 {
		servers["web"] = map[string]any{"type": "http", "url": web}
	}
	if len(servers) > 0 {
		flags = append(flags, "--mcp-config", jsonObject("mcpServers", servers))
	}
	return flags
}

var commandNumber = regexp.MustCompile(`(cmd|hook|check|server)-\d+`)

// auditSays returns the activity that a report lists.
func auditSays(report *audit.Report, work string) sessionActivity {
	s := newSessionActivity()
	for _, e := range report.Events {
		name := strings.TrimPrefix(e.What, work+"/")
		switch e.Kind {
		case audit.KindRead:
			s.read[name] = true
		case audit.KindWrite:
			s.wrote[name] = true
		case audit.KindNetwork:
			s.reached[e.What] = true
		case audit.KindRun:
			number := commandNumber.FindString(e.What)
			if s.ran[number] = stillRunning; e.Exit != nil {
				s.ran[number] = *e.Exit
			}
		}
	}
	return s
}

var connected = regexp.MustCompile(`sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)`)

// traceSays returns the activity that a trace of strace lists.
func traceSays(t *testing.T, log, work string) sessionActivity {
	t.Helper()
	trace, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	s, p := newSessionActivity(), &readOnlyPlace{work: work}
	tracedCalls(trace, func(_, name, arguments, result string) {
		switch name {
		case "execve":
			if number := commandNumber.FindString(arguments); number != "" && !strings.Contains(arguments, `"--approval-mode"`) {
				s.ran[number] = 0
			}
			return
		case "connect":
			if at := connected.FindStringSubmatch(arguments); at != nil {
				s.reached[at[2]+":"+at[1]] = true
			}
			return
		}
		changed := p.changed(name, arguments, result)
		for _, path := range changed {
			if file, inside := strings.CutPrefix(path, work+"/"); inside && strings.HasPrefix(file, "made-") {
				s.wrote[file] = true
			}
		}
		if strings.HasPrefix(name, "open") && len(changed) == 0 && !strings.Contains(arguments, "O_PATH") && !strings.Contains(arguments, "O_DIRECTORY") {
			for _, path := range annotated(result) {
				if file, inside := strings.CutPrefix(path, work+"/"); inside && slices.Contains([]string{"data"}, filepath.Dir(file)) {
					s.read[file] = true
				}
			}
		}
	})
	return s
}
