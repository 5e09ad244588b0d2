//go:build e2e

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/internal/base/tempdir"
	"agent/internal/testing/llmtest"
)

const (
	idle = "Ask for something"
	busy = "Type to queue a message"
	// noServer is an endpoint for tests that send no request.
	noServer = "http://127.0.0.1:1/v1"
)

func eachWidth(t *testing.T, test func(t *testing.T, columns int)) {
	t.Parallel()
	for _, columns := range []int{60, 100, 200} {
		t.Run(fmt.Sprint(columns, " columns"), func(t *testing.T) {
			t.Parallel()
			test(t, columns)
		})
	}
}

// The demo, with every answer to an approval prompt.
func TestTerminalDemoApprovals(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		s := newTerminal(t, columns, "", "demo")
		s.until("This is the demo")
		s.read("? run sh test.sh")
		s.keys("a") // always: the command runs again after the repair
		s.read("? edit till.sh")
		s.keys("n")
		s.until("Why not?")
		s.tmux("send-keys", "-l", "use 1000")
		s.keys("Enter")
		s.until("you refused: use 1000")
		s.until("> " + idle)
		s.say("continue")
		s.read("? edit till.sh")
		s.keys("y")
		s.when("the tests run again without a question", func(screen string) bool {
			return strings.Count(screen, "ran sh test.sh") == 2
		})
		s.read("? edit till.sh")
		s.keys("Escape") // no, and stop the turn
		s.until("> " + idle)
		s.once("This job takes a minute.", "use 1000", "> continue", "Now the tests have to agree.", "My edit repaired one check")
		if screen := s.screen(); strings.Contains(screen, "? edit") {
			t.Error("a question is left on the screen")
		}
		s.keys("C-d")
		s.until("ended with 0")
	})
}

// A message that is typed while the model works is queued, and is sent at the next pause.
func TestTerminalQueue(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	server := newModel(t, llmtest.Say("I look.").Wait(released).Call("list_directory", "{}"), llmtest.Say("I have read it."))
	s := newTerminal(t, 120, server.URL)
	s.until(idle)
	s.say("first")
	s.until("I look.")
	s.until(busy)
	s.say("and also this")
	s.gone("> and also this")
	s.until("and also this")
	close(released)
	s.until("I have read it.")
	s.until("> " + idle)
	requests := server.Requests()
	if got := requests[1].Last(); got.Role != "user" || got.Content != "and also this" {
		t.Errorf("the second request ends with %+v", got)
	}
	s.once("> first", "I look.", "> and also this", "I have read it.")
}

// Esc ends a turn. The partial reply stays, and the next turn continues.
func TestTerminalInterruptAndGoOn(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		server := newModel(t, llmtest.Say("Half a sent").Hang(), llmtest.Say("Whole."))
		s := newTerminal(t, columns, server.URL)
		s.until(idle)
		s.say("go")
		s.until("Half a sent")
		s.keys("Escape")
		s.until("> " + idle)
		s.once("Half a sent")
		s.say("again")
		s.until("Whole.")
		s.until("> " + idle)
		s.once("> go", "Half a sent", "> again", "Whole.")
		s.typed("unsent")
		s.keys("C-c")
		s.until("Ctrl+C again quits")
		s.gone("> unsent")
		s.gone("Ctrl+C again quits")
		s.keys("C-c", "C-c")
		s.until("ended with 0")
	})
}

// A paste is never sent, whatever it contains.
func TestTerminalPaste(t *testing.T) {
	t.Parallel()
	server := newModel(t, llmtest.Say("Three lines."))
	s := newTerminal(t, 60, server.URL)
	s.until(idle)
	s.tmux("set-buffer", "one\ntwo\nthree\n")
	s.tmux("paste-buffer", "-p")
	s.until("three")
	if n := len(server.Requests()); n != 0 {
		t.Fatalf("the paste was sent (%d requests)", n)
	}
	s.keys("Enter")
	s.until("Three lines.")
	if got := strings.TrimSpace(server.Requests()[0].Last().Content); got != "one\ntwo\nthree" {
		t.Errorf("sent %q", got)
	}
}

// A resize in the middle of a reply loses no text and keeps the order.
func TestTerminalResizeWithinAReply(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	turn := llmtest.Turn{}
	for i := range 40 {
		turn = turn.Say(fmt.Sprintf("paragraph %02d of the reply, which is some words long\n\n", i))
		if i == 20 {
			turn = turn.Wait(released)
		}
	}
	server := newModel(t, turn)
	s := newTerminal(t, 120, server.URL)
	s.until(idle)
	s.say("go")
	s.until("paragraph 20")
	s.tmux("resize-window", "-x", "60", "-y", "20")
	s.when("a narrow status line", func(screen string) bool {
		lines := strings.Split(screen, "\n")
		return len([]rune(lines[len(lines)-1])) <= 60
	})
	close(released)
	s.until("paragraph 39")
	s.until("> " + idle)
	for i := range 40 {
		s.once(fmt.Sprintf("paragraph %02d", i))
	}
	if n := strings.Count(s.screen(), "> "+idle); n != 1 {
		t.Errorf("the input is there %d times", n)
	}
}

// The slash commands and the keys that need no model work.
func TestTerminalSession(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		s := newTerminal(t, columns, noServer, "-m", "test-model")
		s.until(idle)
		s.say("/set compression-strategy high-density")
		s.until("compression.strategy = high-density")
		s.say("/context")
		s.until("Ctrl+X remove")
		s.keys("Escape")
		s.until("> " + idle)
		s.say("/density")
		s.until("Nothing was pruned yet")
		s.say("/contxt now")
		s.until("unknown command /contxt")
		s.until("/context")
		s.say("!echo h''i from the shell")
		s.until("hi from the shell")
		s.until("> " + idle)
		s.keys("Up")
		s.until("! echo h''i from the shell")
		s.keys("Up")
		s.until("> /contxt now")
		s.keys("C-c")
		s.until("> " + idle)
		s.keys("BTab")
		s.until("AUTO-EDIT")
		s.say("/quit")
		s.until("ended with 0")
		s.once("Nothing was pruned yet", "✗ unknown command /contxt")
	})
}

// A session reports an unreachable endpoint and continues.
func TestTerminalUnreachable(t *testing.T) {
	t.Parallel()
	s := newTerminal(t, 60, noServer, "-m", "test-model", "hello")
	s.until("refused")
	s.until("> " + idle)
	s.keys("C-d")
	s.until("ended with 0")
}

// A killed session can be resumed, and the shell gets its terminal back. SIGTERM ends the session
// cleanly.
func TestTerminalEndFromOutside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		signal syscall.Signal
		status string
	}{{syscall.SIGKILL, "ended with 137"}, {syscall.SIGTERM, "ended with 130"}} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			t.Parallel()
			server := newModel(t, llmtest.Call("list_directory", "{}"), llmtest.Say("Half a sent").Hang(), llmtest.Say("Whole."))
			s := newTerminal(t, 120, server.URL)
			s.until(idle)
			s.say("go")
			s.until("Half a sent")
			if err := syscall.Kill(s.process(), tt.signal); err != nil {
				t.Fatal(err)
			}
			s.until(tt.status)
			if tt.signal == syscall.SIGTERM && strings.Contains(s.screen(), busy) {
				t.Error("the input is left on the screen")
			}
			checkReplay(t, s.home, server.URL)
			s.run("--continue")
			s.until(idle)
			s.say("and now?")
			s.until("Whole.")
		})
	}
}

// If the user presses Ctrl+C repeatedly while a command ignores it, no process and no temporary
// folder remain.
func TestTerminalControlCFourTimes(t *testing.T) {
	t.Parallel()
	model := newModel(t, llmtest.Call("run_shell_command", strings.Replace(stubborn, "BACKGROUND", "false", 1)), llmtest.Turn{}.Hang())
	s := newTerminal(t, 100, model.URL, "--approval-mode", "full-auto", "--set", "sandbox=off")
	pipe := newPipe(t, s.workspace)
	s.until(idle)
	s.say("go")
	command := commandBegan(t, pipe)
	for range 4 {
		s.keys("C-c")
	}
	s.when("the end", func(screen string) bool {
		if strings.Contains(screen, "ended with") {
			return true
		}
		s.keys("C-c") // the earlier presses may have been too far apart to quit
		return false
	})
	checkGone(t, command)
	if left, _ := filepath.Glob(filepath.Join(s.home, tempdir.Prefix+"*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// process returns the process ID of agent, the child of the shell in the pane.
func (s *terminal) process() int {
	s.t.Helper()
	shell := strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_pid}"))
	data, err := os.ReadFile(filepath.Join("/proc", shell, "task", shell, "children"))
	if err != nil {
		s.t.Fatal(err)
	}
	var id int
	if _, err := fmt.Sscan(string(data), &id); err != nil {
		s.t.Fatal(err)
	}
	return id
}
