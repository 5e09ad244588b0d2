//go:build bench

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// mostMemory is the largest memory use allowed in a large repository, in bytes.
const mostMemory = 60 << 20

// TestBigRepository calls every tool that reads a whole workspace in a repository of 230 000 files.
// Each tool runs in a new process. The test prints a table: the time until the model has the
// answer, the processor time with the share of git, and the peak memory. BIG_REPOSITORY names an
// existing repository to use instead.
//
// The wall-clock time of a shared machine is no useful measure. So the limit is processor time, as
// a multiple of the time to stat every file. Four such passes take one second on two idle cores.
func TestBigRepository(t *testing.T) {
	repository := bigRepository(t, 230_000)
	look := costOfALook(t, repository)
	fmt.Printf("a look at every file: %.2f s CPU\n", look.Seconds())
	const once, makes, reads = 1.3, 4, 5
	command := func(line string) string { return fmt.Sprintf(`{"command":%q}`, line) }
	for _, call := range []struct {
		name, tool, arguments string
		times                 int
		looks                 float64
	}{
		{"nothing", "todo_read", `{}`, 1, 1},
		{"search, first", "search_file_content", `{"pattern":"no such words at all"}`, 1, 1.5 * reads},
		{"glob, one folder", "glob", `{"pattern":"mod3/pkg7/*.go"}`, 1, 1},
		{"glob, all", "glob", `{"pattern":"**/*9.go"}`, 1, once},
		{"search, one line", "search_file_content", `{"pattern":"func F45_49_99\\("}`, 1, reads},
		{"search, expression", "search_file_content", `{"pattern":"[a-z]+_[0-9]{4}x$"}`, 1, reads},
		{"search, often", "search_file_content", `{"pattern":"func"}`, 1, once},
		{"list", "list_directory", `{}`, 1, once},
		{"read, near names", "read_file", `{"file_path":"mod3/pkg7/fil001.go"}`, 1, once},
		{"replace", "replace", `{"file_path":"mod03/pkg07/file001.go","old_string":"func F3_7_1()","new_string":"func F3_7_1() "}`, 1, 1},
		{"replace, near lines", "replace", `{"file_path":"mod03/pkg07/file002.go","old_string":"func G3_7_2()","new_string":"x"}`, 1, once},
		{"write", "write_file", `{"file_path":"mod03/pkg07/new.go","content":"package x\n"}`, 1, 1},
		{"read many", "read_many_files", `{"paths":["mod03/pkg07/*.go"]}`, 1, once},
		{"command", "run_shell_command", command("true"), 1, once},
		{"command that makes", "run_shell_command", command("touch made; rm made"), 1, makes},
		{"three of them", "run_shell_command", command("touch made; rm made"), 3, 2 * makes},
	} {
		t.Run(call.name, func(t *testing.T) {
			used := useOf(t, repository, call.tool, call.arguments, call.times)
			used.print(call.name)
			if used.cpu.Seconds() > call.looks*look.Seconds() || used.memory > mostMemory {
				t.Errorf("at most %v looks and %d MB are allowed", call.looks, mostMemory>>20)
			}
		})
	}
	t.Run("@", func(t *testing.T) {
		used := useOfCompletion(t, repository)
		used.print("@")
		if used.cpu.Seconds() > once*look.Seconds() || used.memory > mostMemory {
			t.Errorf("at most %v looks and %d MB are allowed", once, mostMemory>>20)
		}
	})
}

// TestNestedFolders calls the tools in a repository of 2 000 nested folders. A path through all of
// them is expensive for the system. So the limit is a multiple of the time that git needs for one
// pass. A command has a high limit: the survey and the snapshot read the folders before and after
// it.
func TestNestedFolders(t *testing.T) {
	root, err := os.MkdirTemp("", "n") // a short name, because the length of paths is limited
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	deepest := strings.Repeat("d/", 1950)
	if err := os.MkdirAll(filepath.Join(root, deepest), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, deepest, "f.txt"), []byte("needle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git := exec.Command("git", "-C", root, "ls-files", "--others")
	if err := git.Run(); err != nil {
		t.Fatal(err)
	}
	look := git.ProcessState.UserTime() + git.ProcessState.SystemTime()
	fmt.Printf("git's look: %.2f s CPU\n", look.Seconds())
	for _, call := range []struct {
		name, tool, arguments string
		looks                 time.Duration
	}{
		{"glob", "glob", `{"pattern":"**/*.txt"}`, 3},
		{"list", "list_directory", `{}`, 3},
		{"search", "search_file_content", `{"pattern":"needle"}`, 3},
		{"command", "run_shell_command", `{"command":"touch made"}`, 15},
		{"write", "write_file", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, "x/"+deepest+"n.txt"), 4},
	} {
		t.Run(call.name, func(t *testing.T) {
			used := useOf(t, root, call.tool, call.arguments, 1)
			used.print(call.name)
			const start = 300 * time.Millisecond // start-up of the program
			if used.cpu > call.looks*look+start {
				t.Errorf("at most %d looks of git are allowed", call.looks)
			}
		})
	}
}

func (u use) print(name string) {
	fmt.Printf("%-20s %6.2f s, %6.2f s CPU, %4d MB\n", name, u.took.Seconds(), u.cpu.Seconds(), u.memory>>20)
}

// costOfALook returns the processor time to stat every file of a repository.
func costOfALook(t *testing.T, root string) (took time.Duration) {
	used := func() time.Duration {
		var usage unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
			t.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	for _, file := range files { // reads the files into the page cache
		if _, err := os.ReadFile(filepath.Join(root, file)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		begun := used()
		for _, file := range files {
			if _, err := os.Lstat(filepath.Join(root, file)); err != nil {
				t.Fatal(err)
			}
		}
		took = used() - begun
	}
	return took
}

// bigRepository returns a repository with the given number of small files, which git tracks.
func bigRepository(t *testing.T, files int) string {
	if there := os.Getenv("BIG_REPOSITORY"); there != "" {
		return there
	}
	root := t.TempDir()
	for i := range files {
		dir := filepath.Join(root, fmt.Sprintf("mod%02d", i/5000), fmt.Sprintf("pkg%02d", i/100%50))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		content := fmt.Sprintf("package pkg\n\n%sfunc F%d_%d_%d() int { return %d }\n", strings.Repeat("// some words that are said of what follows here\n", i%30+5), i/5000, i/100%50, i%100, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%03d.go", i%100)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return root
}

type use struct {
	took, cpu time.Duration
	memory    int64 // peak resident memory in bytes
}

// useOf runs the program with a prompt for which the model calls one tool the given number of
// times.
func useOf(t *testing.T, workspace, tool, arguments string, times int) use {
	agent, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	var used use
	var pid atomic.Int64
	var called time.Time
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method != http.MethodPost {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"test-model","object":"model"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if requests++; requests <= times {
			quoted, _ := json.Marshal(arguments)
			fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c%d","type":"function","function":{"name":%q,"arguments":%s}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n", requests, tool, quoted)
			if requests == 1 {
				called = time.Now()
			}
			return
		}
		used.took = time.Since(called)
		used.memory = mostResident(t, int(pid.Load()))
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"done"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	home := t.TempDir()
	cmd := exec.Command(agent, "-p", "go", "--approval-mode", "full-auto", "--model", "test-model", "--timeout", "5m")
	cmd.Dir = workspace
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + server.URL + "/v1"}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid.Store(int64(cmd.Process.Pid))
	if err := cmd.Wait(); err != nil || requests != times+1 {
		t.Fatalf("%v after %d requests\n%s", err, requests, out.String())
	}
	used.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return used
}

// useOfCompletion types a few @ in the built program and waits each time until it proposes files.
func useOfCompletion(t *testing.T, workspace string) use {
	agent, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(agent, "--model", "test-model")
	cmd.Dir = workspace
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "TERM=xterm-256color", "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=http://127.0.0.1:9/v1"}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan string)
	go func() {
		defer close(shown)
		buffer := make([]byte, 64<<10)
		for {
			n, err := terminal.Read(buffer)
			if err != nil {
				return
			}
			shown <- string(buffer[:n])
		}
	}()
	deadline := time.After(2 * time.Minute)
	until := func(text string) {
		for screen := ""; !strings.Contains(screen, text); {
			select {
			case more, ok := <-shown:
				if screen += more; !ok {
					t.Fatalf("the program ended before it showed %q", text)
				}
			case <-deadline:
				t.Fatalf("%q was not shown, but %q", text, screen)
			}
		}
	}
	until("test-model")
	begun := time.Now()
	for _, typed := range [][2]string{{"@mod12/pkg1", "mod12/pkg11/"}, {" @m12p13f099", "mod12/pkg13/file099.go"}, {" @file00", "file000.go"}, {" @xyznothing", "xyznothing"}} {
		if _, err := terminal.WriteString(typed[0]); err != nil {
			t.Fatal(err)
		}
		until(typed[1])
	}
	used := use{took: time.Since(begun), memory: mostResident(t, cmd.Process.Pid)}
	_ = cmd.Process.Kill()
	for range shown { // until it ends
	}
	_ = cmd.Wait()
	_ = terminal.Close()
	used.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return used
}

// mostResident returns the peak resident memory of a process in bytes.
func mostResident(t *testing.T, pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
