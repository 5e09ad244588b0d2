//go:build unix

package tui

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	xterm "golang.org/x/term"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/testing/vt"
	"agent/internal/tui/term"
)

// childVariable makes the test binary the program in the terminal. Its value is the scene that the
// child runs.
const childVariable = "TUI_TEST_SCENE"

func TestMain(m *testing.M) {
	if scene := os.Getenv(childVariable); scene != "" {
		os.Exit(playScene(scene))
	}
	// TestResizeStorm is the only random test here. Each check lays out a long reply again in many
	// sizes.
	_ = flag.Set("rapid.checks", "25") // -rapid.checks raises it
	os.Exit(m.Run())
}

// playScene runs the interface with a driver for a scene.
func playScene(scene string) int {
	driver, prompts := &sceneDriver{}, &writtenPrompts{}
	if scene == "pick" {
		return playPick()
	}
	err := Run(context.Background(), Options{
		Driver: driver, Commands: crashingCommands{}, In: os.Stdin, Out: os.Stdout, Environ: os.Environ(),
		Events: func(emit func(chat.Event)) {
			driver.emit = emit
			if scene == "order" {
				go driver.manyBlocks()
			}
		},
		Greeting: []string{"hello"}, LogPath: "the log", History: prompts,
	})
	fmt.Printf("prompts: %q\n", prompts.written)
	fmt.Printf("ended: %v\n", err)
	if err != nil {
		return 1
	}
	return 0
}

// writtenPrompts is a prompt history.
type writtenPrompts struct {
	mu             sync.Mutex
	added, written []string
}

func (h *writtenPrompts) Load() ([]atcmd.Message, error) { return nil, nil }

func (h *writtenPrompts) Add(prompt atcmd.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.added = append(h.added, prompt.Text())
}

func (h *writtenPrompts) Write() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.written = h.added
	return nil
}

// playPick shows a list of choices before a session starts.
func playPick() int {
	pick := command.ChoiceList{Title: "session", Choices: []command.Choice{{Name: "first"}, {Name: "second"}}}
	chosen, ok, err := Choose(context.Background(), Options{In: os.Stdin, Out: os.Stdout, Environ: os.Environ()}, pick)
	fmt.Printf("chosen: %q %v %v\n", chosen.Name, ok, err)
	return 0
}

// crashingCommands panics when a command runs.
type crashingCommands struct{}

func (crashingCommands) Run(context.Context, string) (command.Output, error) { panic("oh no") }
func (crashingCommands) SendsMessage(string) bool                            { return false }
func (crashingCommands) Complete(string) (int, []command.Completion)         { return 0, nil }

// sceneDriver answers every message with its own text.
type sceneDriver struct {
	fakeDriver
	emit func(chat.Event)
}

func (d *sceneDriver) Send(message atcmd.Message) {
	d.emit(chat.TurnStarted{})
	d.emit(chat.UserMessage{Text: message.Text()})
	d.emit(chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopDone}})
}

// manyBlocks emits all kinds of events that print text to the scrollback.
func (d *sceneDriver) manyBlocks() {
	d.emit(chat.TurnStarted{})
	for i := range 300 {
		d.emit(chat.TextDelta{Delta: fmt.Sprintf("block %d\n\n", 3*i)})
		d.emit(chat.Notice{Text: fmt.Sprintf("block %d", 3*i+1)})
		d.emit(chat.TextDelta{Delta: fmt.Sprintf("block %d", 3*i+2)})
		d.emit(chat.ReplyEnded{})
	}
	d.emit(chat.Notice{Text: "the end"})
	d.emit(chat.TurnEnded{})
}

// session is a child process in a terminal.
type session struct {
	t    *testing.T
	pty  *os.File
	tty  *os.File
	cmd  *exec.Cmd
	done chan struct{}
	// before is the terminal's mode before the child started.
	before *xterm.State

	mu      sync.Mutex
	changed chan struct{}
	raw     strings.Builder
}

func startSession(t *testing.T, scene string) *session {
	t.Helper()
	s := &session{t: t, changed: make(chan struct{}, 1), done: make(chan struct{})}
	var err error
	if s.pty, s.tty, err = pty.Open(); err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	if s.before, err = xterm.GetState(int(s.tty.Fd())); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = append(os.Environ(), childVariable+"="+scene, "TERM=xterm-256color", "COLORFGBG=", "NO_COLOR=1")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.tty, s.tty, s.tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_, _ = s.cmd.Process.Wait()
		s.tty.Close()
		s.pty.Close()
		<-s.done
	})
	return s
}

func (s *session) read() {
	defer close(s.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.pty.Read(buf)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.raw.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
}

// written returns everything that was written to the terminal.
func (s *session) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// lines returns the lines of the terminal and its scrollback.
func (s *session) lines() []string {
	terminal := vt.New(80, 24)
	whole := s.written()
	// The last escape sequence may be incomplete.
	if i := strings.LastIndexByte(whole, 0x1b); i >= 0 && term.UnitLength([]byte(whole[i:])) == 0 {
		whole = whole[:i]
	}
	_, _ = io.WriteString(terminal, whole)
	return terminal.Lines()
}

// until waits for a line that contains text and returns all lines.
func (s *session) until(text string) []string {
	s.t.Helper()
	deadline := time.After(time.Minute)
	for {
		lines := s.lines()
		if strings.Contains(strings.Join(lines, "\n"), text) {
			return lines
		}
		select {
		case <-s.changed:
		case <-deadline:
			s.t.Fatalf("%q did not show up:\n%s", text, strings.Join(lines, "\n"))
		}
	}
}

func (s *session) write(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.pty, text); err != nil {
		s.t.Fatal(err)
	}
}
