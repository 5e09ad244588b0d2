package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/attach"
	"agent/internal/testing/fifo"
	"agent/internal/testing/llmtest"
)

func init() { programs["clocked"] = clocked }

// Each byte of the file $CLOCK moves the clock of the program clocked by step. warmLife is the setting for
// a cache lifetime with which a refresh is due within one step.
const (
	step     = 13 * time.Minute
	warmLife = "cache-life=14m"
)

// clocked runs agent with a clock that the test moves.
func clocked() {
	w := processWorld()
	w.process.Now = func() time.Time {
		moved, _ := os.ReadFile(os.Getenv("CLOCK"))
		return time.Now().Add(time.Duration(len(moved)) * step)
	}
	os.Exit(execute(context.Background(), os.Args[1:], w))
}

// warmed is a session in the background whose cache is kept warm. Its model has a host name, because a
// loopback address gets no refreshes. The model server is the proxy for this host.
type warmed struct {
	*killedSession
	// turn answers a message or a result. refresh answers a request that keeps the cache warm. Both get
	// the number of the request.
	turn, refresh func(number int) llmtest.Turn
	// client follows the session, and does not count as a window.
	client *attach.Conn
	// waits has the reason of each refresh, such as work or message.
	waits []string
}

func newWarmed(t *testing.T) *warmed {
	w := &warmed{}
	turns, refreshes := 0, 0 // the session sends one request at a time
	server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		if string(r.Fields["max_tokens"]) == "1" || string(r.Fields["max_completion_tokens"]) == "1" {
			refreshes++
			return w.refresh(refreshes)
		}
		turns++
		return w.turn(turns)
	})
	w.killedSession = newKilledSession(t, "http://api.example/v1")
	w.environ = append(w.environ, "HTTP_PROXY="+strings.TrimSuffix(server.URL, "/v1"), "CLOCK="+w.clock())
	return w
}

func (w *warmed) clock() string { return filepath.Join(w.home, "clock") }

// move moves the clock of the session by one step, so that a refresh is due.
func (w *warmed) move() {
	moved, _ := os.ReadFile(w.clock())
	if err := os.WriteFile(w.clock(), append(moved, '.'), 0o600); err != nil {
		w.t.Error(err)
	}
}

// pricesWith returns arguments that set a mode of cache-warming and prices. 100k tokens cost 0.2 cents from
// the cache, and 5 dollars without it.
func pricesWith(mode string) (args []string) {
	for _, set := range []string{warmLife, "cache-warming=" + mode, "price.input=50", "price.output=1", "price.cache-read=0.02", "context-limit=1000000", "sandbox=off"} {
		args = append(args, "--set", set)
	}
	return args
}

// start starts the session.
func (w *warmed) start(mode string) {
	w.t.Helper()
	cmd := w.command("clocked", "--"+inBackground, "--bg", "-m", "test-model", "-p", "go", "--approval-mode", "full-auto")
	cmd.Args = append(cmd.Args, pricesWith(mode)...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	if name, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		w.t.Fatalf("%q: %v", name, err)
	}
	paths := attach.List([]string{filepath.Join(w.home, ".local/state/agent/sockets")})
	if len(paths) != 1 {
		w.t.Fatalf("%v", paths)
	}
	if w.client, err = attach.Dial(paths[0]); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = w.client.Close() })
	if _, err := w.client.Join(attach.JoinRequest{}); err != nil {
		w.t.Fatal(err)
	}
}

// window attaches a terminal to the session.
func (w *warmed) window() *screenRun {
	w.t.Helper()
	s := startWith(w.t, w.home, w.environ, "agent", "attach")
	s.until("attached: Ctrl+D leaves")
	return s
}

// untilTurn reads lines of the session up to the end of a turn.
func (w *warmed) untilTurn() {
	w.t.Helper()
	for {
		line, err := w.client.ReadLine()
		if err != nil {
			w.t.Fatal(err)
		}
		var l struct{ Type, Wait string }
		_ = json.Unmarshal(line, &l) // members of other lines may have other types
		switch l.Type {
		case "warm":
			w.waits = append(w.waits, l.Wait)
		case "turn":
			return
		}
	}
}

// A user who leaves sees the cost of the next message, with each command to leave.
func TestLeavingNamesTheCostOfComingBack(t *testing.T) {
	t.Parallel()
	for _, leave := range []string{"/quit\r", "\x04", "/leave\r"} {
		w := newWarmed(t)
		w.turn = func(int) llmtest.Turn { return llmtest.Say("some words").Usage(100_000, 1, 60_000) }
		s := startWith(t, w.home, w.environ, append([]string{"agent", "-m", "test-model"}, pricesWith("idle")...)...)
		s.until(idlePrompt)
		s.press("go\r")
		s.until("some words")
		s.until(idlePrompt)
		s.press(leave)
		s.untilFolded("minutes, later $5.")
	}
}

// A key at an attached terminal stops a refresh in progress.
func TestAKeyAtAnAttachedTerminalStopsARefresh(t *testing.T) {
	t.Parallel()
	w := newWarmed(t)
	begin, sent, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	pipe := filepath.Join(w.folder, "pipe")
	if err := fifo.Make(t, pipe); err != nil {
		t.Fatal(err)
	}
	w.turn = func(number int) llmtest.Turn {
		if number > 1 {
			return llmtest.Say("It is over.")
		}
		w.move()
		return llmtest.Turn{}.Wait(begin).Call("run_shell_command", `{"command":"cat pipe"}`).Usage(100_000, 1, 60_000)
	}
	w.refresh = func(int) llmtest.Turn { return llmtest.Turn{}.Reached(sent).Gone(stopped) }
	w.start("working")
	s := w.window()
	close(begin)
	<-sent
	s.press("x")
	<-stopped
	if err := os.WriteFile(pipe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.until("It is over.")
	s.press("\x15/stats cache\r")
	s.untilFolded("refresh during work, 0 tokens, $0.002: stopped")
}

// When the last window closes, a refresh between turns is stopped, and no other follows. Refreshes during
// work do not depend on windows.
func TestTheLastWindowEndsRefreshes(t *testing.T) {
	t.Parallel()
	w := newWarmed(t)
	writeFile(t, filepath.Join(w.home, ".local/state/agent/pauses"), strings.Repeat("1200\n1800\n", 10)) // in seconds
	begin, ended, sent, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	w.turn = func(int) llmtest.Turn {
		w.move()
		return llmtest.Turn{}.Wait(begin).Say("some words").Usage(100_000, 1, 60_000)
	}
	w.refresh = func(number int) llmtest.Turn {
		w.move()
		if number == 2 {
			return llmtest.Turn{}.Reached(sent).Gone(stopped)
		}
		return llmtest.Turn{}.Wait(ended).Say("I").Usage(100_000, 1, 100_000) // the refresh may have started during the turn
	}
	w.start("idle")
	s := w.window()
	close(begin)
	w.untilTurn()
	close(ended)
	<-sent
	_ = s.cmd.Process.Kill()
	<-stopped
	for range 4 {
		if err := w.client.Send(map[string]string{"type": "user", "text": "more"}); err != nil {
			t.Fatal(err)
		}
		w.untilTurn()
	}
	if len(w.waits) < 2 || w.waits[1] != "message" || slices.Contains(w.waits[2:], "message") {
		t.Errorf("refreshes waited for %q, those after the second without a window", w.waits)
	}
}
