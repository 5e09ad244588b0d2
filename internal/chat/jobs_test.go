package chat

import (
	"strings"
	"testing"

	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// newJobsBench returns a bench whose model can run commands in the background.
func newJobsBench(t *testing.T, turns ...answerFunc) *bench {
	t.Helper()
	b := newBench(t, turns...)
	confined, err := workspace.New(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	b.config.Env.Workspace, b.config.Env.Jobs = confined, shell.NewJobs(nil, nil)
	b.renew()
	t.Cleanup(b.config.Env.Jobs.Close)
	b.config.Tools = tools.NewRegistry(defaultTools()...)
	b.renew()
	return b
}

// A background command that ends is reported once, before the next request.
func TestEndedJobsAreReported(t *testing.T) {
	t.Parallel()
	look := calls(tools.ShellToolName, `{"command":"","action":"tail","job":1,"wait_seconds":30}`)
	b := newJobsBench(t, calls(tools.ShellToolName, `{"command":"exit 3","background":true}`), look, look, say("done"))
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	notices := seen[Notice](b)
	if len(notices) != 1 || !strings.HasPrefix(notices[0].Text, "background job 1 ended (exit 3 after ") || !strings.HasSuffix(notices[0].Text, "): exit 3") {
		t.Errorf("told %v", notices)
	}
}

// If the mode becomes read-only, a running job continues, and one notice reports it.
func TestJobsAreNamedWhenTheModeNarrows(t *testing.T) {
	t.Parallel()
	b := newJobsBench(t, calls(tools.ShellToolName, `{"command":"sleep 60","background":true}`), say("done"))
	b.set("approval-mode", "full-auto")
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"auto-edit", "plan", "read-only"} {
		b.set("approval-mode", mode)
		b.emitStatus()
	}
	if got := seen[Notice](b); len(got) != 1 || got[0].Text != "The mode is now plan, but job 1 is still running: sleep 60. To stop it: /jobs end 1" {
		t.Errorf("told %v", got)
	}
}
