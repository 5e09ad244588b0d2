//go:build unix

package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	xterm "golang.org/x/term"

	"agent/internal/chat"
	"agent/internal/tui/term"
)

// The terminal of this test never answers a query. Bubble Tea's init would query the position of
// the cursor and wait five seconds. The test terminal does not know that query and fails. See
// package termquiet.
func TestTerminalFirstPaintDoesNotWait(t *testing.T) {
	t.Parallel()
	s := startSession(t, "plain")
	s.until("Ask for something")
	s.write("typed")
	s.until("> typed")
}

func TestTerminalKeysAreNotLost(t *testing.T) {
	t.Parallel()
	s := startSession(t, "plain")
	s.write("early ")
	s.until("> early")
	for _, piece := range []string{"a", "\x1b]11;rgb:ff", "ff/ffff/ffff\x1b", "\\b", "\xe6", "\x97\xa5", "\x1b[13;", "2u", "c"} {
		s.write(piece)
	}
	lines := s.until("  c")
	if joined := strings.Join(lines, "\n"); !strings.Contains(joined, "> early ab日\n  c") {
		t.Errorf("the input shows:\n%s", joined)
	}
	s.write("\r")
	s.until("> early ab日\n  c\n\n> Ask")
}

// When the program ends, the command that writes a prompt may not have run yet.
func TestTerminalLastPromptIsWritten(t *testing.T) {
	t.Parallel()
	s := startSession(t, "plain")
	s.until("Ask for something")
	s.write("exit\r")
	s.until(`prompts: ["exit"]`)
}

func TestTerminalPasteNeverSends(t *testing.T) {
	t.Parallel()
	s := startSession(t, "plain")
	s.until("Ask for something")
	for _, piece := range strings.SplitAfter("\x1b[200~one\rtwo\r\x1b[201~ok", "") {
		s.write(piece)
	}
	s.until("> one\n  two\n  ok")
	s.write("\x15\x7f" + "\x1b[200~" + strings.Repeat("some text\r", 5000) + "\x1b[201~")
	s.until("[pasted 5000 lines]")
}

func TestTerminalScrollbackIsInOrder(t *testing.T) {
	t.Parallel()
	s := startSession(t, "order")
	lines := s.until("the end")
	var got []string
	for _, line := range lines {
		if _, block, ok := strings.Cut(line, "block "); ok {
			got = append(got, block)
		}
	}
	var want []string
	for i := range 900 {
		want = append(want, fmt.Sprint(i))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks in the scrollback (-want +got):\n%s", diff)
	}
}

func TestTerminalResize(t *testing.T) {
	t.Parallel()
	s := startSession(t, "plain")
	s.until("Ask for something, / for commands, ! shell, ? keys")
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: 40, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	s.until("> Ask for something, / for commands")
}

// Run stops the goroutines that it starts. The test is not parallel, because goroutines of other
// tests would count.
func TestRunLeavesNoGoroutines(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	defer tty.Close()
	defer master.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var events sync.WaitGroup
	err = Run(ctx, Options{
		Driver: &fakeDriver{}, In: tty, Out: tty, Environ: []string{"TERM=xterm"},
		Events: func(emit func(chat.Event)) {
			events.Go(func() {
				emit(chat.TurnStarted{})
				emit(chat.TextDelta{Delta: "one\n\n"})
				cancel()
			})
		},
	})
	events.Wait()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want the context's error", err)
	}
}

func TestRunNeedsATerminal(t *testing.T) {
	t.Parallel()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	if err := Run(t.Context(), Options{In: in, Out: out}); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("Run = %v, want ErrNoTerminal", err)
	}
}

// A list before the session can be searched, follows the size of the window, and leaves no text on
// the screen.
func TestTerminalPick(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"\r": `chosen: "first" true <nil>`, "sec\r": `chosen: "second" true <nil>`, "\x03": `chosen: "" false <nil>`} {
		s := startSession(t, "pick")
		s.until("session: type to filter")
		if err := pty.Setsize(s.pty, &pty.Winsize{Cols: 40, Rows: 24}); err != nil {
			t.Fatal(err)
		}
		s.until("1/2")
		s.write(keys)
		lines := s.until(want)
		if joined := strings.Join(lines, "\n"); strings.Contains(joined, "session:") {
			t.Errorf("the list is still there:\n%s", joined)
		}
	}
}

// However the program ends, it restores the terminal.
func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*session)
		want string
		ok   bool
	}{
		{"Ctrl+D", func(s *session) { s.write("\x04") }, "ended: <nil>", true},
		{"SIGTERM", func(s *session) { _ = s.cmd.Process.Signal(syscall.SIGTERM) }, "ended: " + ErrTerminated.Error(), false},
		{"SIGHUP", func(s *session) { _ = s.cmd.Process.Signal(syscall.SIGHUP) }, "ended: " + ErrTerminated.Error(), false},
		{"SIGQUIT", func(s *session) { _ = s.cmd.Process.Signal(syscall.SIGQUIT) }, "ended: " + ErrTerminated.Error(), false},
		{"a crash", func(s *session) { s.write("/crash\r") }, "the session is saved", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startSession(t, "plain")
			s.until("Ask for something")
			tt.end(s)
			lines := s.until(tt.want)
			if joined := strings.Join(lines, "\n"); strings.Contains(joined, "Ask for something") {
				t.Errorf("the live part is still there:\n%s", joined)
			}
			var exit *exec.ExitError
			if err := s.cmd.Wait(); tt.ok != (err == nil) || err != nil && !errors.As(err, &exit) {
				t.Errorf("the child ended with %v", err)
			}
			after, err := xterm.GetState(int(s.tty.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fmt.Sprint(s.before), fmt.Sprint(after)); diff != "" {
				t.Errorf("terminal modes (-before +after):\n%s", diff)
			}
			raw := s.written()
			for _, sequence := range []string{term.KeyboardOff, "\x1b[?2004l", "\x1b[?25h"} {
				if strings.LastIndex(raw, sequence) < strings.LastIndex(raw, "Ask for something") {
					t.Errorf("%q is not sent at the end", sequence)
				}
			}
		})
	}
}
