package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A user who does not want the session of /resume sent to its endpoint stays in the session that was
// open (D-82).
func TestARefusedResumeReturns(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "work", "a.txt"), "")
	url := startScript(t, "say the first answer\n")
	s := startOnScreen(t, home, url, "agent", "-m", "m")
	s.until("m at")
	s.press("go\r")
	s.until("the first answer")
	s.press("/quit\r")
	_ = s.cmd.Wait()
	logs, err := filepath.Glob(filepath.Join(home, ".local", "share", "agent", "sessions", "*", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	log, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, logs[0], strings.ReplaceAll(string(log), url, "http://gone.invalid/v1"))

	s = startOnScreen(t, home, "http://other.invalid/v1", "agent", "-m", "m")
	s.until("m at")
	id := strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl")
	s.press("/resume " + id + "\r")
	s.untilFolded("The session used http://gone.invalid/v1, your settings name http://other.invalid/v1. Send it to http://gone.invalid/v1 again? [y/N]")
	s.press("n\r")
	s.untilFolded("can't resume: the session used http://gone.invalid/v1")
	s.untilTimes("m at other.invalid", 2)

	// Ctrl+C at the question ends the program.
	s.press("/resume " + id + "\r")
	s.untilTimes("again? [y/N]", 2)
	s.press("\x03")
	if err := s.cmd.Wait(); s.cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Error(err)
	}
}
