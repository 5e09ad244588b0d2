package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/testing/nettest"
)

// A personAt is a user with a home folder and with hosts of the internet.
type personAt struct {
	t    *testing.T
	home string
	net  *nettest.Net
}

// newPerson starts hosts that answer by the lines of a script (see playHosts).
func newPerson(t *testing.T, hosts string) *personAt {
	t.Helper()
	p := &personAt{t, t.TempDir(), nettest.New(t, playHosts(hosts))}
	if err := os.MkdirAll(filepath.Join(p.home, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *personAt) environ() []string {
	return append([]string{"DBUS_SESSION_BUS_ADDRESS="}, p.net.Environ()...)
}

// logins returns the path of the file that stores logins if there is no keyring.
func (p *personAt) logins() string { return filepath.Join(p.home, ".local/state/agent/logins.json") }

// command returns a command that runs the program.
func (p *personAt) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), os.Args[0], args...)
	cmd.Args[0] = "agent"
	cmd.Dir = filepath.Join(p.home, "work")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + p.home, "GORACE=" + noRaceSleep}, p.environ()...)
	return cmd
}

// run runs the program to its end, and returns all that it printed.
func (p *personAt) run(stdin string, args ...string) (said string, status int) {
	p.t.Helper()
	cmd := p.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// fronts are the interfaces that can send "hi" to a model. Each returns the visible answer or
// error, and a reason if the interface reported it wrongly. fails is set if a failure is expected,
// down if a new login can't fix it. The screen waits for the text want.
var fronts = map[string]func(p *personAt, want string, fails, down bool, args ...string) (shown, wrong string){
	"-p": func(p *personAt, _ string, fails, _ bool, args ...string) (string, string) {
		said, status := p.run("", append([]string{"-p", "hi"}, args...)...)
		if (status == exitProvider) != fails || !fails && status != exitOK {
			return said, fmt.Sprintf("status %d", status)
		}
		return said, ""
	},
	"screen": func(p *personAt, want string, _, _ bool, args ...string) (string, string) {
		s := startWith(p.t, p.home, p.environ(), append([]string{"agent"}, args...)...)
		s.until("Ask for something")
		s.press("hi\r")
		s.untilFolded(want)
		shown := strings.Join(s.screen.Lines(), "\n")
		s.press("/quit\r") // so that it writes no file while the caller searches for tokens
		_ = s.cmd.Wait()
		return shown, ""
	},
	"editor": func(p *personAt, _ string, fails, down bool, args ...string) (string, string) {
		const signIn = -32000
		answer, err := p.editor(append([]string{"acp"}, args...)...)
		switch {
		case err != nil:
			return answer, err.Error()
		case (fails && !down) != strings.Contains(answer, fmt.Sprintf(`"code":%d`, signIn)):
			return answer, "the code of the error"
		}
		return answer, ""
	},
}

// editor opens a session, sends "hi", and returns all lines up to the answer.
func (p *personAt) editor(args ...string) (lines string, err error) {
	cmd := p.command(args...)
	to, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	var said bytes.Buffer
	from, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	defer func() { _ = to.Close(); _ = cmd.Wait() }()
	late := time.AfterFunc(stalled, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	scanner := bufio.NewScanner(io.TeeReader(from, &said))
	scanner.Buffer(nil, 32<<20)
	folder := cmd.Dir
	fmt.Fprintln(to, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	fmt.Fprintf(to, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", folder)
	for scanner.Scan() {
		var m agentMessage
		if err := json.Unmarshal(scanner.Bytes(), &m); err != nil {
			return said.String(), err
		}
		switch string(m.ID) {
		case "2":
			var opened struct{ SessionID string }
			_ = json.Unmarshal(m.Result, &opened)
			fmt.Fprintf(to, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"hi"}]}}`+"\n", opened.SessionID)
		case "3":
			return said.String(), nil
		}
	}
	return said.String(), fmt.Errorf("the program ended: %v", scanner.Err())
}
