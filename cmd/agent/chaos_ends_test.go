//go:build chaos && linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"agent/internal/testing/llmtest"
)

// endWays are the ways to end a run from outside. Closing the terminal also sends a SIGHUP.
var endWays = []struct {
	name    string
	signals []syscall.Signal
	closes  bool
}{
	{name: "interrupt", signals: []syscall.Signal{syscall.SIGINT}},
	{name: "terminate", signals: []syscall.Signal{syscall.SIGTERM}},
	{name: "hangup", signals: []syscall.Signal{syscall.SIGHUP}},
	{name: "quit", signals: []syscall.Signal{syscall.SIGQUIT}},
	{name: "interrupt twice", signals: []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
	{name: "terminate twice", signals: []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
	{name: "terminal closed", closes: true},
}

// endPhase is the activity of a run when it is ended.
type endPhase struct {
	name string
	turn llmtest.Turn
	args []string
	// begun is the output that shows the beginning of the phase.
	begun string
	// asks is set if the phase needs a user to answer. starts is set if the test waits for no
	// output.
	asks, starts bool
}

var endPhases = []endPhase{
	{name: "before the reply", turn: llmtest.Turn{}.Hang()},
	{name: "within the reply", turn: llmtest.Say("Let me ").Hang(), begun: "Let me"},
	{name: "within a call", turn: llmtest.Say("Let me ").Event(halfCall).Hang(), begun: "Let me"},
	{name: "between attempts", turn: llmtest.Fail(503, `{"error":{"message":"busy now"}}`, "Retry-After", "60"), begun: "busy now"},
	{name: "in a command", turn: llmtest.Say("Let me ").Call("run_shell_command", `{"command":"echo begun; sleep 300"}`), begun: "Let me"},
	{name: "in a command that listens to nothing", turn: llmtest.Say("Let me ").Call("run_shell_command", `{"command":"trap '' TERM INT HUP; (setsid sleep 300 &); echo begun; while :; do sleep 1; done"}`), begun: "Let me"},
	{name: "in an edit", turn: llmtest.Say("Let me ").Call("write_file", `{"file_path":"f0.txt","content":`+fmt.Sprintf("%q", whole(1))+`}`), begun: "Let me"},
	{name: "at a question", turn: llmtest.Say("Let me ").Call("run_shell_command", `{"command":"touch a"}`), args: []string{"--approval-mode", "ask"}, begun: "Let me", asks: true},
	{name: "while it starts", starts: true},
}

// TestChaosEnds ends runs in every way in every phase, with and without a terminal. Each run ends
// soon and leaves no process, and its session can be resumed.
func TestChaosEnds(t *testing.T) {
	hearSignals()
	seed, until := chaosSeed(t), shareOf(t)
	r := rand.New(rand.NewPCG(seed, 500))
	type ending struct {
		way, phase int
		terminal   bool
	}
	var all []ending
	for way := range endWays {
		for phase := range endPhases {
			for _, terminal := range []bool{false, true} {
				if terminal || !endWays[way].closes && !endPhases[phase].asks {
					all = append(all, ending{way, phase, terminal})
				}
			}
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	done := 0
	for i, e := range all {
		if time.Now().After(until) || t.Failed() {
			break
		}
		done++
		what := fmt.Sprintf("seed %d, %s %s, terminal %v", seed, endWays[e.way].name, endPhases[e.phase].name, e.terminal)
		t.Run(fmt.Sprint(i), func(t *testing.T) { playEnding(t, what, endPhases[e.phase], endWays[e.way].signals, e.terminal) })
	}
	t.Logf("%d of %d", done, len(all))
}

// playEnding runs the program until it is in a phase, ends it, and checks the files and processes
// after it.
func playEnding(t *testing.T, what string, phase endPhase, signals []syscall.Signal, terminal bool) {
	t.Helper()
	asked := make(chan struct{}, 1)
	h := newHouse(t, 1, func(_ *rand.Rand, request *llmtest.Request) llmtest.Turn {
		select {
		case asked <- struct{}{}:
		default:
		}
		switch last := request.Last(); {
		case last.Content == "and now?":
			return llmtest.Say("Going on.")
		case last.Role == "tool":
			return llmtest.Turn{}.Hang()
		}
		return phase.turn
	})
	if err := os.WriteFile(filepath.Join(h.work, "f0.txt"), []byte(whole(0)), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(phase.args, "go")
	if !terminal {
		args = append(phase.args, "-p", "go", "--output-format", "stream-json")
	}
	cmd := h.agent(args...)
	out := startShown(t, cmd, terminal)
	if !phase.starts {
		<-asked
		out.until(t, phase.begun)
	}
	time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond) // at a random time within the phase
	if signals == nil {
		out.from.Close()
	}
	for i, signal := range signals {
		if i > 0 {
			waitForSignal(t, &run{t: t, cmd: cmd})
		}
		_ = cmd.Process.Signal(signal)
	}
	if !end(cmd, stalled) {
		t.Errorf("%s: it did not end", what)
	}
	// A program that has just started may not have a signal handler yet. A program whose terminal
	// is closed may fail to write to it first.
	if status := cmd.ProcessState.ExitCode(); status != exitInterrupted && !phase.starts && !(signals == nil && status == exitFailed) {
		t.Errorf("%s: %v", what, cmd.ProcessState)
	}
	h.check(what)
	if left := h.temporary(); len(left) > 0 && !phase.starts {
		t.Errorf("%s: left are %q", what, left)
	}
	if len(h.logs()) > 0 {
		h.mustRun("-c", "-p", "and now?")
	}
}

// programOutput is the output of a program.
type programOutput struct {
	from *os.File

	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
}

// startShown starts a program in a terminal, or without one.
func startShown(t *testing.T, cmd *exec.Cmd, terminal bool) *programOutput {
	t.Helper()
	s := &programOutput{changed: make(chan struct{}, 1)}
	var err error
	if terminal {
		s.from, err = startInTerminal(cmd)
	} else {
		var to *os.File
		if s.from, to, err = os.Pipe(); err == nil {
			cmd.Stdout, cmd.Stderr = to, to
			err = cmd.Start()
			to.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.from.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := s.from.Read(buf)
			s.mu.Lock()
			s.text.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
			select {
			case s.changed <- struct{}{}:
			default:
			}
		}
	}()
	return s
}

// startInTerminal is pty.Start with a terminal that can be closed while it is read.
func startInTerminal(cmd *exec.Cmd) (*os.File, error) {
	blocking, err := pty.Start(cmd)
	if err != nil {
		return nil, err
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	return os.NewFile(uintptr(fd), "terminal"), err
}

// until waits for a text in the output.
func (s *programOutput) until(t *testing.T, text string) {
	t.Helper()
	late := time.After(stalled)
	for {
		s.mu.Lock()
		all := s.text.String()
		s.mu.Unlock()
		if strings.Contains(all, text) {
			return
		}
		select {
		case <-s.changed:
		case <-late:
			t.Fatalf("%q is not shown:\n%s", text, all)
		}
	}
}
