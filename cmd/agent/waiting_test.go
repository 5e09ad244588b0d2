package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// A program controls a run by lines. The run sends a question and the session list shows the state.
// The program answers, and the last line has the result.
func TestDrivenByLines(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	server := llmtest.New(t, llmtest.Call("write_file", `{"file_path":"a.txt","content":"x"}`), llmtest.Say("written"))
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Args[0], cmd.Dir = "agent", folder
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + server.URL, "GORACE=" + noRaceSleep}
		return cmd
	}
	run := command("-m", "demo", "-p", "go", "--input-format", "stream-json", "--output-format", "stream-json")
	in, inErr := run.StdinPipe()
	out, outErr := run.StdoutPipe()
	if inErr != nil || outErr != nil || run.Start() != nil {
		t.Fatal(inErr, outErr)
	}
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = lines.Text()
		if !strings.Contains(last, `"type":"approval"`) {
			continue
		}
		listed, err := command("sessions", "list", "--json").Output()
		var sessions []listedSession
		if err != nil || json.Unmarshal(listed, &sessions) != nil || len(sessions) != 1 || !sessions[0].Running || sessions[0].PID != run.Process.Pid || sessions[0].WaitingSince == nil {
			t.Errorf("%v: %s", err, listed)
		}
		if _, err := io.WriteString(in, `{"type":"answer","id":1,"allow":true}`+"\n"); err != nil {
			t.Fatal(err)
		}
		_ = in.Close()
	}
	if err := run.Wait(); err != nil || !strings.HasPrefix(last, `{"type":"result"`) {
		t.Errorf("%v, the last line is %s", err, last)
	}
	if text, err := os.ReadFile(folder + "/a.txt"); err != nil || string(text) != "x" {
		t.Errorf("%q, %v", text, err)
	}
	listed, err := command("sessions", "list", "--json").Output()
	if err != nil || strings.Contains(string(listed), `"Running": true`) || strings.Contains(string(listed), "WaitingSince") {
		t.Errorf("%v: %s", err, listed)
	}
}
