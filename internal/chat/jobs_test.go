package chat

import (
	"strings"
	"testing"

	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// A background command that ends is told before the next request, once.
func TestEndedJobsAreTold(t *testing.T) {
	t.Parallel()
	look := calls(tools.ShellToolName, `{"command":"","action":"tail","job":1,"wait_seconds":30}`)
	b := newBench(t, calls(tools.ShellToolName, `{"command":"exit 3","background":true}`), look, look, say("done"))
	confined, err := workspace.New(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	b.Env.Workspace, b.Env.Jobs = confined, shell.NewJobs(nil, nil)
	t.Cleanup(b.Env.Jobs.Close)
	b.Tools = tools.NewRegistry(defaultTools()...)
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	notices := seen[Notice](b)
	if len(notices) != 1 || !strings.HasPrefix(notices[0].Text, "background job 1 ended (exit 3 after ") || !strings.HasSuffix(notices[0].Text, "): exit 3") {
		t.Errorf("told %v", notices)
	}
}
