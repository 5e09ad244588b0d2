//go:build chaos

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"agent/internal/testing/llmtest"
)

// workers is the number of houses in use at the same time.
const workers = 4

// kills is the number of kills, if time allows.
const kills = 500

// killedRun is a kind of run that the test kills.
type killedRun struct {
	name string
	args []string
	// most is the duration of an undisturbed run. share is its number among a hundred runs.
	most  time.Duration
	share int
}

// killedRuns are the kinds of runs that change something. Half of the runs that could resume a
// session start a new one.
var killedRuns = []killedRun{
	{name: "headless", args: []string{"-p", "go on", "--output-format", "stream-json"}, most: 1200 * time.Millisecond, share: 40},
	{name: "interactive", args: []string{"go on"}, most: 2400 * time.Millisecond, share: 28}, // long enough to show results
	{name: "undo", args: []string{"-c", "-p", "/undo yes"}, most: 300 * time.Millisecond, share: 6},
	{name: "redo", args: []string{"-c", "-p", "/redo yes"}, most: 300 * time.Millisecond, share: 6},
	{name: "rewind", args: []string{"-c", "-p", "/rewind 1 files"}, most: 300 * time.Millisecond, share: 4},
	{name: "compress", args: []string{"-c", "-p", "/compress"}, most: 400 * time.Millisecond, share: 4},
	{name: "fork", args: []string{"-c", "--fork", "-p", "go on"}, most: 600 * time.Millisecond, share: 4},
	{name: "profile", args: []string{"profile", "save", "work", "-m", "m", "--set", "theme=dark"}, most: 30 * time.Millisecond, share: 4},
	{name: "setting", args: []string{"-p", "/profile default work"}, most: 150 * time.Millisecond, share: 4},
}

// anyKilledRun returns a random kind.
func anyKilledRun(r *rand.Rand) killedRun {
	n := r.IntN(100)
	for _, run := range killedRuns {
		if n -= run.share; n < 0 {
			return run
		}
	}
	panic("the shares are less than all")
}

// TestChaosKill kills the program at random times: non-interactive, interactive, while it resumes a
// session, and while it runs commands.
func TestChaosKill(t *testing.T) {
	seed, until := chaosSeed(t), shareOf(t)
	var mu sync.Mutex
	killed, of, all, seen := 0, map[string]int{}, 0, 0
	began := time.Now()
	t.Cleanup(func() {
		t.Logf("%d runs, %d killed %v, %d results on screens, in %s", all, killed, of, seen, time.Since(began).Round(time.Second))
		if killed > kills/2 && seen == 0 {
			t.Error("no screen showed the result of a command")
		}
		for _, run := range killedRuns {
			if killed > kills/2 && of[run.name] == 0 {
				t.Errorf("%s was never killed", run.name)
			}
		}
	})
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return killed >= kills || time.Now().After(until)
	}
	for worker := range workers {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(worker)))
			h := newHouse(t, seed+uint64(worker), anyTurn)
			for n := 0; !enough() && !t.Failed(); n++ {
				run := killedRuns[0]
				if n > 0 {
					run = anyKilledRun(r)
				}
				what := fmt.Sprintf("seed %d, worker %d, run %d, %s", seed, worker, n, run.name)
				ended := h.once(what, run, h.flags(r, run, n), time.Duration(r.Int64N(int64(run.most))))
				mu.Lock()
				all++
				if !ended {
					killed++
					of[run.name]++
				}
				mu.Unlock()
			}
			h.checkTemporary()
			mu.Lock()
			seen += h.seen
			mu.Unlock()
		})
	}
}

// flags returns the arguments of the n-th run.
func (h *house) flags(r *rand.Rand, run killedRun, n int) []string {
	if run.name == "profile" {
		return run.args
	}
	args := append([]string{"--approval-mode", "full-auto", "-m", "test-model", "--max-turns", "20"}, run.args...)
	if n > 0 && (run.name == "headless" || run.name == "interactive") && r.IntN(2) == 0 {
		args = append(args, "-c")
	}
	if r.IntN(3) == 0 {
		args = append(args, "--set", "sandbox=off")
	}
	return args
}

// once runs the program, kills it after a delay, and reports whether it had already ended.
func (h *house) once(what string, run killedRun, args []string, delay time.Duration) (ended bool) {
	h.t.Helper()
	cmd := h.program(args...)
	if run.name == "interactive" {
		var out bytes.Buffer
		screen, err := pty.Start(cmd)
		if err != nil {
			h.t.Fatal(err)
		}
		read := make(chan struct{})
		go func() { _, _ = io.Copy(&out, screen); close(read) }()
		ended = end(cmd, delay)
		screen.Close()
		<-read
		h.check(what)
		h.seen += h.checkSeen(what, out.String())
		return ended
	}
	file, err := os.Create(filepath.Join(h.home, "out"))
	if err != nil {
		h.t.Fatal(err)
	}
	cmd.Stdout = file
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	ended = end(cmd, delay)
	file.Close()
	data, _ := os.ReadFile(filepath.Join(h.home, "out"))
	h.check(what)
	h.checkShown(what, data)
	if run.name == "profile" || run.name == "setting" {
		h.checkSettings(what)
	}
	return ended
}

// checkSettings reports an error if the stored settings can't be read.
func (h *house) checkSettings(what string) {
	h.t.Helper()
	if out, err := h.program("profile", "list").CombinedOutput(); err != nil || bytes.Contains(out, []byte("file unchanged")) {
		h.t.Errorf("%s: %v\n%s", what, err, out)
	}
	files, _ := filepath.Glob(filepath.Join(h.home, ".config/agent/*.json"))
	profiles, _ := filepath.Glob(filepath.Join(h.home, ".config/agent/profiles/*.json"))
	for _, file := range append(files, profiles...) {
		if data, err := os.ReadFile(file); err != nil || !json.Valid(data) {
			h.t.Errorf("%s: %s: %v, %q", what, file, err, data)
		}
	}
}

// TestChaosFullDisk runs sessions on disks that become full at a random time.
func TestChaosFullDisk(t *testing.T) {
	if exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() != nil {
		t.Skip("no disk can be mounted to fill it")
	}
	seed, until := chaosSeed(t), shareOf(t)
	r := rand.New(rand.NewPCG(seed, 200))
	h := newHouse(t, seed, anyTurn)
	for n := 0; n < 40 && time.Now().Before(until) && !t.Failed(); n++ {
		what := fmt.Sprintf("seed %d, run %d", seed, n)
		program := h.agent("--set", "sandbox=off", "--max-turns", "4", "-p", "go")
		script := fmt.Sprintf(`mount -t tmpfs -o size=%dk none "$HOME/tmp" && export XDG_DATA_HOME="$HOME/tmp"
"$@"; status=$?; cat "$HOME"/tmp/agent/sessions/*/*.jsonl >"$HOME/log"; exit $status`, 4+4*r.IntN(20))
		cmd := h.command(append([]string{"unshare", "-rm", "sh", "-c", script, "sh"}, program.Args...)...)
		out, err := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); status != exitOK && status != exitLimit {
			t.Errorf("%s: %v\n%s", what, err, out)
		}
		log, _ := os.ReadFile(filepath.Join(h.home, "log"))
		checkLog(t, what, log)
		h.checkFiles(what)
		h.checkProcesses(what)
	}
}

// TestChaosTwoWriters runs two programs that insert lines into one file. The file contains each
// insertion, or the insertion was refused. If both resume one session, one of them reports that it
// is in use.
func TestChaosTwoWriters(t *testing.T) {
	seed, until := chaosSeed(t), shareOf(t)
	const insertions = 10 // by each program
	for round := 0; round < 20 && time.Now().Before(until) && !t.Failed(); round++ {
		requests := 0
		h := newHouse(t, seed, func(_ *rand.Rand, r *llmtest.Request) llmtest.Turn {
			requests++
			read := func(turn llmtest.Turn) llmtest.Turn { return turn.Call("read_file", `{"file_path":"shared.txt"}`) }
			switch {
			case r.Last().Role == "user":
				return read(llmtest.Turn{})
			case requests > 4*insertions:
				return llmtest.Say("done")
			default:
				return read(llmtest.Call("insert_at_line", fmt.Sprintf(`{"file_path":"shared.txt","line_number":1,"content":"line %d inserted\n"}`, requests)))
			}
		})
		shared := filepath.Join(h.work, "shared.txt")
		if err := os.WriteFile(shared, []byte("begin\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		done := make(chan int)
		for range 2 {
			go func() {
				out, err := h.agent("-p", "go", "--output-format", "stream-json").Output()
				if err != nil {
					t.Errorf("%v\n%s", err, out)
				}
				succeeded := 0
				for line := range strings.Lines(string(out)) {
					if strings.Contains(line, `"tool_result"`) && strings.Contains(line, `"insert_at_line"`) && !strings.Contains(line, `"error":"`) {
						succeeded++
					}
				}
				done <- succeeded
			}()
		}
		want := <-done + <-done
		data, _ := os.ReadFile(shared)
		if got := strings.Count(string(data), "inserted\n"); got != want {
			t.Errorf("seed %d, round %d: %d insertions were reported, %d are in the file", seed, round, want, got)
		}
		h.check(fmt.Sprintf("round %d", round))
	}
}

// TestChaosWire breaks the connection at random bytes. A run ends in limited time, and its status
// reports how it ended.
func TestChaosWire(t *testing.T) {
	seed, until := chaosSeed(t), shareOf(t)
	r := rand.New(rand.NewPCG(seed, 300))
	h := newHouse(t, seed, func(r *rand.Rand, q *llmtest.Request) llmtest.Turn {
		switch r.IntN(9) {
		case 0:
			return llmtest.Fail(500, `{"error":{"message":"boom"}}`)
		case 1:
			return llmtest.Fail(429, `{"error":{"message":"slow down"}}`, "Retry-After", "0")
		case 2:
			return llmtest.Drop()
		case 3:
			return anyTurn(r, q).CutAt(r.IntN(2000))
		case 4:
			return llmtest.HTML(502)
		case 5:
			return llmtest.Say("half").Hang()
		case 6:
			return llmtest.Fail(400, `{"error":{"message":"content filter"}}`)
		default:
			return anyTurn(r, q)
		}
	})
	for n := 0; n < 40 && time.Now().Before(until) && !t.Failed(); n++ {
		what := fmt.Sprintf("seed %d, run %d", seed, n)
		args := []string{"--max-turns", "5", "--set", "max-retries=2", "--set", "request-timeout=2s", "--set", "idle-timeout=1s", "-p", "go"}
		if n > 0 && r.IntN(2) == 0 {
			args = append(args, "-c")
		}
		cmd := h.agent(args...)
		out := &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if !end(cmd, stalled) {
			t.Errorf("%s: it did not end\n%s", what, out)
		}
		switch status := cmd.ProcessState.ExitCode(); status {
		case exitOK, exitFailed, exitProvider, exitLimit:
		default:
			t.Errorf("%s: exit status %d\n%s", what, status, out)
		}
		h.check(what)
	}
	h.checkTemporary()
}
