package sandbox

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A command that keeps starting processes is stopped or limited, also for root, and no process is
// left.
func TestProcessesAreBounded(t *testing.T) {
	t.Parallel()
	for _, backend := range []Backend{None, Landlock, Namespaces} {
		t.Run(backend.String(), func(t *testing.T) {
			t.Parallel()
			s, err := Use(backend)
			if err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			run := func(line string) (string, *Command) {
				cmd := exec.Command("sh", "-c", line) // bash would retry for a long time
				cmd.Dir = dir
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				cmd.WaitDelay = 10 * time.Second
				policy := Policy{Profile: ProfileWork, Workspace: dir, Grace: 50 * time.Millisecond, processes: 310}
				c, err := s.Start(context.Background(), cmd, policy)
				if err != nil {
					t.Fatal(err)
				}
				_ = c.Wait()
				return out.String(), c
			}
			out, c := run(`mkfifo pipe; for i in $(seq 360); do if [ $((i % 5)) != 0 ]; then read x <> pipe & else setsid sleep 600 & fi; done; wait; echo all`)
			if strings.Contains(out, "all\n") || !c.End().TooMany && !strings.Contains(out, "fork") {
				t.Errorf("it was not ended: %.300s", out)
			}
			if out, c := run(`for i in $(seq 20); do sleep 0.01 & done; wait; echo all`); out != "all\n" || c.End().TooMany {
				t.Errorf("few processes: %q", out)
			}
		})
	}
}

// The processes of a server without a separate namespace are not counted.
func TestServersAreNotCounted(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", "for i in 1 2 3 4 5; do sleep 0.7 & done; wait; echo all")
	cmd.Dir = t.TempDir()
	var out bytes.Buffer
	cmd.Stdout = &out
	c, err := NewUnconfined("test").Start(context.Background(), cmd, Policy{Profile: ProfileUnconfined, LongRunning: true, processes: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil || out.String() != "all\n" || c.End().TooMany {
		t.Errorf("it was stopped: %v, %q", err, out.String())
	}
}
