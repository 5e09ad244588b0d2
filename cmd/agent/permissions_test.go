package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// startScript starts a server that plays a script and returns its address.
func startScript(t *testing.T, script string) string {
	t.Helper()
	turns, err := modelTurns(script)
	if err != nil {
		t.Fatal(err)
	}
	return newModel(t, append([]llmtest.Turn{}, turns...)...).URL
}

// A command that the user allowed with A runs without approval at the next start, also with -p.
// /approval lists it. Once the user revokes the permission, the command requires approval again.
func TestAPermissionIsKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	work := filepath.Join(home, "work")
	writeFile(t, filepath.Join(work, ".git", "HEAD"), "ref: refs/heads/main\n")
	const touch = `call run_shell_command {"command":"touch zz"}` + "\n\nsay done\n"
	touched := func() bool {
		err := os.Remove(filepath.Join(work, "zz"))
		return err == nil
	}
	start := func(args ...string) *screenRun {
		s := startOnScreen(t, home, startScript(t, touch), append([]string{"agent", "-m", "m", "--set", "sandbox=off"}, args...)...)
		s.until("m at")
		return s
	}
	leave := func(s *screenRun) { s.press("/quit\r"); _ = s.cmd.Wait() }

	s := start()
	s.press("go\r")
	shown := s.until("A    yes, permanently in this project: exactly `touch zz`")
	if said := strings.Join(strings.Fields(shown), " "); !strings.Contains(said, "(without the sandbox, with all your rights)") {
		t.Errorf("it does not say what it permits:\n%s", shown)
	}
	s.answer("A")
	s.until("done")
	leave(s)
	if !touched() {
		t.Fatal("the command did not run")
	}

	s = start()
	s.press("go\r")
	s.until("done")
	if !touched() {
		t.Fatal("the command did not run unasked")
	}
	s.press("/approval\r")
	shown = s.until("forget exactly `touch zz`")
	if !strings.Contains(shown, "in this project, used 1 time") {
		t.Errorf("the list does not say where it holds:\n%s", shown)
	}
	s.press("forget exactly")
	s.until("approval mode: forget exactly")
	s.press("\r")
	s.until("Revoked: exactly `touch zz`")
	leave(s)

	s = start()
	s.press("go\r")
	s.until("A    yes")
	if touched() {
		t.Error("it ran although it was taken back")
	}
	s.press("\x1b")
}

// A resumed session keeps its permissions from "a". A fork of it or another session does not have
// them.
func TestAResumedSessionKeepsWhatItWasAllowed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	work := filepath.Join(home, "work")
	writeFile(t, filepath.Join(work, ".git", "HEAD"), "ref: refs/heads/main\n")
	const touch = `call run_shell_command {"command":"touch zz"}` + "\n\nsay done\n"
	start := func(args ...string) *screenRun {
		s := startOnScreen(t, home, startScript(t, touch), append([]string{"agent", "-m", "m", "--set", "sandbox=off"}, args...)...)
		s.until("m at")
		return s
	}
	leave := func(s *screenRun) { s.press("/quit\r"); _ = s.cmd.Wait() }
	s := start()
	s.press("go\r")
	s.until("a    yes, for this session")
	s.answer("a")
	s.until("done")
	leave(s)

	s = start("-c")
	s.until("Active: 1 permanent permission")
	s.press("again\r")
	s.until("· 0s")
	leave(s)
	for _, args := range [][]string{{"-c", "--fork"}, nil} {
		s = start(args...)
		s.press("more\r")
		s.until("a    yes, for this session")
		s.press("\x1b")
		s.until("Stopped")
		leave(s)
	}
}
