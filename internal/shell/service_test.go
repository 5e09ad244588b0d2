package shell

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"
)

// A service answers on its pipes, its errors go to the log, and Close ends it and its child
// processes.
func TestService(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // read after the service has ended
	s, err := StartService(t.Context(), ServiceCommand{
		Path: "/bin/sh", Args: []string{"-c", `echo ready >&2; trap "" TERM; sleep 100 & while read line; do echo "heard $line"; done; wait`},
		Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"},
	}, &log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.In.WriteString("one\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(s.Out).ReadString('\n'); err != nil || line != "heard one\n" {
		t.Errorf("it said %q, %v", line, err)
	}
	s.Close()
	if !s.WaitEnd(time.Second) || !strings.Contains(s.EndText(), "killed") || log.String() != "ready\n" {
		t.Errorf("ended %q, the log has %q", s.EndText(), log.String())
	}
	if _, err := StartService(t.Context(), ServiceCommand{Path: "/bin/sh", Dir: "/no/such/folder"}, &log); err == nil {
		t.Error("it started in a folder that is not there")
	}
}
