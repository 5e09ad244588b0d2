//go:build e2e

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// terminal is a program in a tmux pane, operated by keys and judged by what it
// shows.
type terminal struct {
	t      *testing.T
	socket string
	// home is the home folder of the program, workspace the folder it works in.
	home, workspace string
}

// newTerminal starts agent in a pane of its own, in a new home. After it has ended
// the pane stays and shows its exit status.
func newTerminal(t *testing.T, columns int, url string, args ...string) *terminal {
	t.Helper()
	sweepTerminals()
	// Sockets have short names; t.TempDir may be too long for one.
	home, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{t: t, socket: filepath.Join(home, "s"), home: home, workspace: filepath.Join(home, "work")}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen:\n%s", s.screen())
		}
		// The program gets no time to write into a home that is being removed.
		if leader, err := strconv.Atoi(strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_pid}"))); err == nil {
			_ = syscall.Kill(-leader, syscall.SIGKILL)
		}
		_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run()
		_ = os.RemoveAll(home)
	})
	if err := os.Mkdir(s.workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	s.tmux("-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(columns), "-y", "30", "-c", s.workspace,
		"-e", "HOME="+home, "-e", "TMPDIR="+home, "-e", "OPENAI_API_KEY="+secret, "-e", "OPENAI_BASE_URL="+url,
		"-e", "TERM=xterm-256color", "-e", "LC_ALL=C.UTF-8", "-e", "XDG_RUNTIME_DIR=", "cat")
	s.tmux("set", "-g", "history-limit", "10000")
	s.run(args...)
	return s
}

// sweepTerminals removes what tests left that were killed: folders of an hour, for which
// no test has a use any more, and their servers.
var sweepTerminals = sync.OnceFunc(func() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), "e2e-*"))
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = exec.Command("tmux", "-S", filepath.Join(folder, "s"), "kill-server").Run()
			_ = os.RemoveAll(folder)
		}
	}
})

// run starts agent in the pane, in place of what is there. Ctrl+C after its end does not
// drop what was printed and not yet read.
func (s *terminal) run(args ...string) {
	s.t.Helper()
	agent, err := filepath.Abs(binary)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := os.Stat(agent); err != nil {
		s.t.Fatalf("%v; run make build first", err)
	}
	s.tmux(append([]string{"respawn-pane", "-k", "-c", s.workspace, "sh", "-c", `stty noflsh; trap : INT; "$@"; echo "ended with $?"; while :; do cat; done`, "sh", agent}, args...)...)
}

// runInShell starts agent from an interactive shell, which can stop and resume it.
func (s *terminal) runInShell() {
	s.t.Helper()
	agent, err := filepath.Abs(binary)
	if err != nil {
		s.t.Fatal(err)
	}
	s.tmux("respawn-pane", "-k", "-c", s.workspace, "-e", "PS1=$ ", "bash", "--norc", "-i")
	s.until("$")
	s.tmux("send-keys", "-l", agent)
	s.keys("Enter")
}

func (s *terminal) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// screen is all that the terminal shows and has shown. While a frame is painted the
// cursor is hidden: half of one is not looked at, unless the cursor stays hidden, as on
// a page of its own.
func (s *terminal) screen() string {
	const looks = 10
	for look := 1; ; look++ {
		out, err := exec.Command("tmux", "-u", "-S", s.socket, "display-message", "-p", "#{cursor_flag}", ";", "capture-pane", "-p", "-S", "-").CombinedOutput()
		if err != nil {
			return err.Error()
		}
		cursor, screen, _ := strings.Cut(string(out), "\n")
		if cursor == "1" || look == looks {
			return strings.TrimRight(screen, "\n ")
		}
	}
}

// keys presses keys by their tmux names.
func (s *terminal) keys(names ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, names...)...)
}

// say types a text and sends it. The Enter comes by itself, so that it is no paste.
func (s *terminal) say(text string) {
	s.t.Helper()
	s.typed(text)
	s.keys("Enter")
}

// typed types a text and waits until it is in the input.
func (s *terminal) typed(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", text)
	s.until(typedAs(text))
}

// typedAs is a text as it stands in the input: a line for the shell has a mark of its
// own.
func typedAs(text string) string {
	if line, shell := strings.CutPrefix(text, "!"); shell {
		return "! " + line
	}
	return "> " + text
}

// until waits for a text to show up, and returns the screen.
func (s *terminal) until(text string) string {
	s.t.Helper()
	return s.when(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// gone waits for a text to disappear.
func (s *terminal) gone(text string) {
	s.t.Helper()
	s.when("not "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

// read waits until a question can have been read; keys before that do not answer
// it.
func (s *terminal) read(question string) {
	s.t.Helper()
	const readingTime = 500 * time.Millisecond
	var since time.Time
	s.when(question, func(screen string) bool {
		if !strings.Contains(screen, question) {
			since = time.Time{}
			return false
		}
		if since.IsZero() {
			since = time.Now()
		}
		return time.Since(since) > readingTime
	})
}

func (s *terminal) when(what string, ok func(screen string) bool) string {
	s.t.Helper()
	deadline := time.After(stalled)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		screen := s.screen()
		if ok(screen) {
			return screen
		}
		select {
		case <-tick.C:
		case <-deadline:
			s.t.Fatalf("waiting for %q", what)
		}
	}
}

// once expects every text exactly once, on the screen and in the scrollback.
func (s *terminal) once(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.when(text+", once", func(screen string) bool { return strings.Count(screen, text) == 1 })
	}
}

// asked waits until the question that is open has the keys, and can have been read.
func (s *terminal) asked() {
	s.t.Helper()
	s.read("Tab writes a message")
}
