package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"agent/internal/testing/llmtest"
)

// Limits for many processes of agent at the same time.
const (
	heldAgents  = 50
	heldMB      = 600
	heldCPU     = 150 * time.Millisecond
	loadRuns    = 300
	loadAtOnce  = 50
	chunkOfLoad = `{"choices":[{"index":0,"delta":{"content":"word "}}]}`
)

// loadServer streams replies. No reply ends until hold is closed.
func loadServer(t *testing.T, arrived *atomic.Int64, hold <-chan struct{}) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
			return
		}
		var request struct{ Messages []struct{ Role string } }
		_ = json.NewDecoder(r.Body).Decode(&request)
		say := func(data string) { fmt.Fprintf(w, "data: %s\n\n", data); w.(http.Flusher).Flush() }
		w.Header().Set("Content-Type", "text/event-stream")
		if hold == nil && request.Messages[len(request.Messages)-1].Role == "user" {
			say(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"write_file","arguments":"{\"file_path\":\"a\",\"content\":\"x\"}"}}]}}]}`)
			say(`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)
			say("[DONE]")
			return
		}
		say(chunkOfLoad)
		arrived.Add(1)
		if hold != nil {
			<-hold
		}
		say(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
		say("[DONE]")
	}))
	t.Cleanup(server.Close)
	return server
}

// builtAgent returns the path of the release build.
func builtAgent(t *testing.T) string {
	t.Helper()
	if os.Getenv("LOAD") == "" {
		t.Skip("make load runs it")
	}
	agent := filepath.Join(t.TempDir(), "agent")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", agent, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return agent
}

func loadRun(agent, home, folder, url string) *exec.Cmd {
	run := exec.Command(agent, "-m", "m", "-p", "go", "--output-format", "stream-json", "--approval-mode", "auto-edit")
	run.Dir = folder
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + url}
	return run
}

// Fifty agents that wait for their replies use at most 600 MB, and 0.15 s of processor time each.
func TestLoadHeld(t *testing.T) {
	agent := builtAgent(t)
	hold := make(chan struct{})
	var arrived atomic.Int64
	server := loadServer(t, &arrived, hold)
	runs := make([]*exec.Cmd, heldAgents)
	for i := range runs {
		runs[i] = loadRun(agent, t.TempDir(), t.TempDir(), server.URL)
		if err := runs[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(2 * time.Minute); arrived.Load() < heldAgents; {
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d have a reply", arrived.Load(), heldAgents)
		}
		time.Sleep(50 * time.Millisecond)
	}
	kB := 0
	for _, run := range runs {
		kB += proportionalSet(run.Process.Pid)
	}
	close(hold)
	var cpu time.Duration
	for _, run := range runs {
		if err := run.Wait(); err != nil {
			t.Error(err)
		}
		cpu += run.ProcessState.UserTime() + run.ProcessState.SystemTime()
	}
	t.Logf("%d agents hold %d MB, %s of a processor each", heldAgents, kB>>10, (cpu / heldAgents).Round(time.Millisecond))
	if kB>>10 > heldMB || cpu/heldAgents > heldCPU {
		t.Errorf("more than %d MB or %s", heldMB, heldCPU)
	}
}

// proportionalSet returns the memory of a process and its children, in kB.
func proportionalSet(pid int) (kB int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
			kB, _ = strconv.Atoi(fields[1])
		}
	}
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range children {
		text, _ := os.ReadFile(file)
		for _, field := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(field)
			kB += proportionalSet(child)
		}
	}
	return kB
}

// Each of three hundred runs ends with its result, to a pipe and to a file. They share a home, and
// fifty run at the same time.
func TestLoadRuns(t *testing.T) {
	agent, home := builtAgent(t), t.TempDir()
	var arrived atomic.Int64
	server := loadServer(t, &arrived, nil)
	var cpu atomic.Int64
	var group sync.WaitGroup
	slots := make(chan struct{}, loadAtOnce)
	begun := time.Now()
	for i := range loadRuns {
		slots <- struct{}{}
		folder := t.TempDir()
		group.Go(func() {
			defer func() { <-slots }()
			run := loadRun(agent, home, folder, server.URL)
			var out bytes.Buffer
			run.Stdout = &out
			if i%2 == 0 {
				file, err := os.Create(filepath.Join(folder, "out"))
				if err != nil {
					t.Error(err)
					return
				}
				defer file.Close()
				run.Stdout = file
			}
			err := run.Run()
			if i%2 == 0 {
				text, _ := os.ReadFile(filepath.Join(folder, "out"))
				out.Write(text)
			}
			cpu.Add(int64(run.ProcessState.UserTime() + run.ProcessState.SystemTime()))
			last := ""
			for lines := bufio.NewScanner(&out); lines.Scan(); {
				last = lines.Text()
			}
			if written, readErr := os.ReadFile(filepath.Join(folder, "a")); err != nil || readErr != nil || string(written) != "x" || !strings.HasPrefix(last, `{"type":"result"`) || !strings.Contains(last, `"exit":0`) {
				t.Errorf("run %d: %v, %q, the last line is %s", i, err, written, last)
			}
		})
	}
	group.Wait()
	nothingIsTorn(t, home)
	took := time.Since(begun)
	t.Logf("%d runs in %s, %.0f a minute, %s of a processor each", loadRuns, took.Round(time.Second), loadRuns/took.Minutes(), (time.Duration(cpu.Load()) / loadRuns).Round(time.Millisecond))
}

// nothingIsTorn reads every JSON file that the runs have written below their home, and reports an
// error for an incomplete one.
func nothingIsTorn(t *testing.T, home string) {
	t.Helper()
	read := 0
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasPrefix(filepath.Ext(path), ".json") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		for {
			var line json.RawMessage
			if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s is torn: %v", path, err)
				break
			}
		}
		read++
		return nil
	})
	if err != nil || read < loadAtOnce/2 {
		t.Errorf("%d files were read: %v", read, err)
	}
}

// Fifty agents with one home receive a signal to end at the same time, some while they start and
// the rest during a reply. All end within two seconds with their result, and no file is incomplete.
func TestLoadEnds(t *testing.T) {
	agent, home := builtAgent(t), t.TempDir()
	var arrived atomic.Int64
	hold := make(chan struct{})
	server := loadServer(t, &arrived, hold)
	defer close(hold)
	outs, runs := make([]bytes.Buffer, heldAgents), make([]*exec.Cmd, heldAgents)
	for i := range runs {
		runs[i] = loadRun(agent, home, t.TempDir(), server.URL)
		runs[i].Stdout = &outs[i]
		if err := runs[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for arrived.Load() < heldAgents/2 {
		time.Sleep(time.Millisecond)
	}
	begun := time.Now()
	for _, run := range runs {
		if err := run.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
	starting := 0
	for i, run := range runs {
		_ = run.Wait()
		lines := strings.Split(strings.TrimSpace(outs[i].String()), "\n")
		last := lines[len(lines)-1]
		switch status := run.ProcessState.Sys().(syscall.WaitStatus); {
		case last == "": // it had not started to write
			starting++
		case status.ExitStatus() != 130 || !strings.HasPrefix(last, `{"type":"result"`):
			t.Errorf("agent %d: %v, the last line is %s", i, run.ProcessState, last)
		}
	}
	took := time.Since(begun)
	if took > 2*time.Second {
		t.Errorf("the end took %s", took)
	}
	nothingIsTorn(t, home)
	t.Logf("%d agents ended %s after SIGTERM, %d of them before their first line", heldAgents, took.Round(time.Millisecond), starting)
}

// A command that prints a gigabyte needs no more memory than one with little output.
func TestLoadOutput(t *testing.T) {
	const most = 80 << 10 // kB
	agent := builtAgent(t)
	for name, line := range map[string]string{"lines": "yes a line of output | head -c 1000000000", "one line": "head -c 1000000000 /dev/zero | tr '\\\\0' x"} {
		server := llmtest.New(t, llmtest.Call("run_shell_command", `{"command":"`+line+`"}`), llmtest.Say("done"))
		run := loadRun(agent, t.TempDir(), t.TempDir(), server.URL)
		run.Args = append(run.Args, "--approval-mode", "full-auto", "--set", "sandbox=off")
		var out bytes.Buffer
		run.Stdout = &out
		begun := time.Now()
		if err := run.Run(); err != nil || !strings.Contains(out.String(), `"response":"done"`) {
			t.Fatalf("%s: %v %s", name, err, out.String())
		}
		peak := run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
		if peak > most || out.Len() > 1<<20 {
			t.Errorf("%s: %d kB of memory, %d bytes of events", name, peak, out.Len())
		}
		t.Logf("%s: %d MB at most, %s", name, peak>>10, time.Since(begun).Round(100*time.Millisecond))
	}
}
