//go:build e2e

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/internal/streamjson"
	"agent/internal/testing/llmtest"
)

// A session that its user has left is on the board, even after its terminal is closed. A user who
// attaches to it sees the conversation, can send a message and answer a prompt, and the session
// continues.
func TestTerminalLeave(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		server := newModel(t, llmtest.Say("The answer."), llmtest.Call("run_shell_command", `{"command":"touch a1"}`), llmtest.Say("Done."))
		s := newTerminal(t, columns, server.URL)
		t.Cleanup(func() {
			for _, row := range s.sessions() {
				_ = syscall.Kill(row.PID, syscall.SIGKILL)
			}
		})
		s.runInShell()
		s.until(idle)
		s.say("go")
		s.until("The answer.")
		s.until("> " + idle)
		s.say("/leave")
		s.until("The session continues")
		s.tmux("send-keys", "-l", "echo in the sh''ell")
		s.keys("Enter")
		s.until("in the shell")
		rows := s.sessions()
		if len(rows) != 1 || rows[0].Title != "go" || rows[0].State != "done" || !rows[0].Detached {
			t.Fatalf("%+v", rows)
		}

		s.run("board") // closes the terminal of the session
		s.until("done")
		if screen := s.screen(); !strings.Contains(screen, "go") {
			t.Errorf("the board has no session:\n%s", screen)
		}
		s.keys("q")
		s.until("ended with 0")

		s.run("attach", rows[0].ID)
		s.until("The answer.")
		s.until("> " + idle)
		s.once("> go", "The answer.")
		s.say("more")
		s.read("? run touch a1")
		s.keys("y")
		s.until("Done.")
		s.until("> " + idle)
		s.once("> more", "ran touch a1")
		if _, err := os.Stat(filepath.Join(s.workspace, "a1")); err != nil {
			t.Error(err)
		}
		s.keys("C-d")
		s.until("ended with 0")
		if rows := s.sessions(); len(rows) != 1 || rows[0].State != "done" {
			t.Fatalf("%+v", rows)
		}

		s.run("board")
		s.until("done")
		s.keys("s")
		s.until("no session is running")
		s.keys("q")
		s.until("ended with 0")
	})
}

// sessions returns the rows of the board.
func (s *terminal) sessions() []streamjson.SessionState {
	s.t.Helper()
	cmd := exec.Command(binary, "board", "--json")
	cmd.Env = []string{"HOME=" + s.home, "TMPDIR=" + s.home, "PATH=" + os.Getenv("PATH")}
	return boardRows(s.t, cmd)
}
