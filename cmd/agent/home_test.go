package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"agent/internal/testing/llmtest"
)

// If the workspace is the home folder or contains it, the program first requires confirmation. Only
// yes confirms (D-61).
func TestTheHomeFolderIsAskedAbout_D61(t *testing.T) {
	t.Parallel()
	server := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return llmtest.Say("hello") })
	for _, answer := range []string{"n\r", "\r", "whatever\r"} {
		home := t.TempDir()
		if err := os.MkdirAll(home+"/below", 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Args[0] = "agent"
		cmd.Dir = home
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home + "/below", "TMPDIR=" + t.TempDir(), "TERM=xterm-256color", "NO_COLOR=1",
			"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + server.URL, "GORACE=" + noRaceSleep,
		}
		terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 200, Rows: 40})
		if err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		var shown strings.Builder
		piece := make([]byte, 4096)
		for asked := false; ; {
			n, err := terminal.Read(piece)
			shown.Write(piece[:n])
			if err != nil {
				break
			}
			if !asked && strings.Contains(shown.String(), "contains your home folder") {
				asked = true
				_, _ = io.WriteString(terminal, answer)
			}
		}
		_ = cmd.Wait()
		kill.Stop()
		terminal.Close()
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(shown.String(), "or name one with -C") || strings.Contains(shown.String(), idlePrompt) {
			t.Errorf("answered %q: exit %d, %q", answer, cmd.ProcessState.ExitCode(), shown.String())
		}
	}
}
