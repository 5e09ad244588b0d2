package shell

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// cmdJobs runs lines with cmd, which is there under Wine too.
func cmdJobs(t *testing.T) *Jobs {
	j := NewJobs(os.Environ(), nil)
	j.Preferred = Cmd
	t.Cleanup(j.Close)
	return j
}

// The exit code and the quotes of a line are its own.
func TestCmdRunsALine(t *testing.T) {
	j := cmdJobs(t)
	for line, want := range map[string]struct {
		out  string
		code int
	}{"echo a & exit 3": {"a", 3}, `echo "a b"`: {`"a b"`, 0}, "nosuchprogram": {"", 1}} {
		r, err := j.Run(context.Background(), Command{Line: line, Dir: t.TempDir(), OutputBytes: 1000}, nil)
		if err != nil || !strings.Contains(r.Output, want.out) || (r.Exit == 0) != (want.code == 0) {
			t.Errorf("%q: %q %d %v %v", line, r.Output, r.Exit, r.NotStarted, err)
		}
	}
}

// What a line started ends with it when its time is up.
func TestCmdIsEndedWithItsChildren(t *testing.T) {
	j := cmdJobs(t)
	j.Grace = 500 * time.Millisecond
	begun := time.Now()
	r, err := j.Run(context.Background(), Command{Line: "cmd /c pause >nul <con & ping -n 60 127.0.0.1 >nul", Dir: t.TempDir(), OutputBytes: 1000, Timeout: time.Second}, nil)
	if !r.TimedOut || time.Since(begun) > 20*time.Second {
		t.Errorf("%+v %v after %v", r, err, time.Since(begun))
	}
}
