//go:build chaos

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"

	"agent/internal/llm/llmtest"
)

// workers is how many houses there are at once.
const workers = 4

// kills is how often programs are killed, if there is time.
const kills = 500

// TestChaosKill kills the program at moments of chance: headless, interactive, and
// while it takes a session up again.
func TestChaosKill(t *testing.T) {
	seed, until := chaosSeed(t), share(t)
	var killed, all, seen atomic.Int64
	began := time.Now()
	t.Cleanup(func() {
		t.Logf("%d runs, %d killed, %d results on screens, in %s", all.Load(), killed.Load(), seen.Load(), time.Since(began).Round(time.Second))
		if killed.Load() > kills/2 && seen.Load() == 0 {
			t.Error("no screen showed the result of a command")
		}
	})
	for worker := range workers {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(worker)))
			h := newHouse(t, seed+uint64(worker), anyTurn)
			for n := 0; killed.Load() < kills && time.Now().Before(until) && !t.Failed(); n++ {
				what := fmt.Sprintf("seed %d, worker %d, run %d", seed, worker, n)
				args := []string{"--max-turns", "20"}
				if n > 0 && r.IntN(2) == 0 {
					args = append(args, "-c")
				}
				if r.IntN(3) == 0 {
					args = append(args, "--set", "sandbox=off")
				}
				interactive, most := r.IntN(3) == 0, 1200
				if interactive {
					most = 2400 // to see results, too
				}
				delay := time.Duration(r.IntN(most)) * time.Millisecond
				all.Add(1)
				if !h.once(what, interactive, args, delay) {
					killed.Add(1)
				}
			}
			h.checkTemporary()
			seen.Add(int64(h.seen))
		})
	}
}

// once runs the program and kills it after a delay; it reports whether it had ended
// before.
func (h *house) once(what string, interactive bool, args []string, delay time.Duration) (ended bool) {
	h.t.Helper()
	if interactive {
		var out bytes.Buffer
		cmd := h.agent(append(args, "go on")...)
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
	} else {
		cmd := h.agent(append(args, "-p", "go on", "--output-format", "stream-json")...)
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
	}
	return ended
}

// TestChaosCrashPoints kills the program at a system call that changes the disk.
func TestChaosCrashPoints(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace")
	}
	seed, until := chaosSeed(t), share(t)
	r := rand.New(rand.NewPCG(seed, 100))
	h := newHouse(t, seed, func(r *rand.Rand, _ *llmtest.Request) llmtest.Turn {
		n := r.IntN(1 << 30)
		if n%5 == 0 {
			return llmtest.Say("done")
		}
		return llmtest.Call("write_file", fmt.Sprintf(`{"file_path":"f%d.txt","content":%q}`, n%5, whole(n)))
	})
	points := []string{"fsync", "write", "renameat2", "mkdirat", "unlinkat", "openat", "linkat", "flock", "ftruncate"}
	crashes := 0
	for n := 0; n < 90 && time.Now().Before(until) && !t.Failed(); n++ {
		call := points[n%len(points)]
		what := fmt.Sprintf("seed %d, run %d, %s", seed, n, call)
		program := h.agent("--set", "sandbox=off", "--max-turns", "6", "-p", "go")
		if n > 0 && r.IntN(2) == 0 {
			program.Args = append(program.Args, "-c")
		}
		inject := fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", call, 1+r.IntN(12))
		cmd := h.command(append([]string{strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", inject}, program.Args...)...)
		if err := cmd.Run(); err != nil {
			crashes++
		}
		h.check(what)
	}
	t.Logf("%d crashes", crashes)
	h.checkTemporary()
}

// TestChaosFullDisk runs sessions on disks that become full at a point of chance.
func TestChaosFullDisk(t *testing.T) {
	if exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() != nil {
		t.Skip("no disk can be mounted to fill it")
	}
	seed, until := chaosSeed(t), share(t)
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

// TestChaosTwoWriters has two programs insert lines into one file: each insertion is
// in it, or was refused. And of two that take up one session one is told.
func TestChaosTwoWriters(t *testing.T) {
	seed, until := chaosSeed(t), share(t)
	const insertions = 10 // of each
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

// TestChaosWire breaks the wire at points of chance: a run ends in bounded time, with
// a status that says how.
func TestChaosWire(t *testing.T) {
	seed, until := chaosSeed(t), share(t)
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
