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

// terminal is a program in a tmux pane. Tests press keys and check the screen.
type terminal struct {
	t      *testing.T
	socket string
	// home is the home folder of the program, workspace the folder it works in.
	home, workspace string
}

// newTerminal starts agent in a new pane and a new home. After agent ends, the pane stays and shows
// the exit status.
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
		// The program must not write into a home that is being removed.
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

// sweepTerminals removes the folders and tmux servers of killed tests. A folder that is an hour old
// is no longer in use.
var sweepTerminals = sync.OnceFunc(func() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), "e2e-*"))
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = exec.Command("tmux", "-S", filepath.Join(folder, "s"), "kill-server").Run()
			_ = os.RemoveAll(folder)
		}
	}
})

// run starts agent in the pane, in place of the current program. Ctrl+C after its end does not drop
// output that tmux has not read yet.
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

// screen returns the screen and the scrollback. The program hides the cursor while it paints, so
// screen waits until the cursor is visible. It stops waiting after some attempts, because some
// pages always hide the cursor.
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

// say types a text and sends it. Enter is sent separately, because text with Enter would be a
// paste.
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

// typedAs returns a text as the input shows it. A shell command has its own mark there.
func typedAs(text string) string {
	if line, shell := strings.CutPrefix(text, "!"); shell {
		return "! " + line
	}
	return "> " + text
}

// until waits until the screen shows a text, and returns the screen.
func (s *terminal) until(text string) string {
	s.t.Helper()
	return s.when(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// gone waits for a text to disappear.
func (s *terminal) gone(text string) {
	s.t.Helper()
	s.when("not "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

// read waits until a prompt accepts keys. The prompt ignores keys for a short time after it opens.
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

// once reports an error unless the screen and the scrollback show every text exactly once.
func (s *terminal) once(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.when(text+", once", func(screen string) bool { return strings.Count(screen, text) == 1 })
	}
}

// asked waits until the open prompt accepts keys.
func (s *terminal) asked() {
	s.t.Helper()
	s.read("Tab writes a message")
}
