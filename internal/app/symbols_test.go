package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
	"agent/internal/testing/require"
)

// The setting language-servers takes effect in a running session. With on, the tool symbol is
// offered even for few files.
func TestLanguageServersAreSetInASession(t *testing.T) {
	t.Parallel()
	if confined := (sandbox.Confinement{Sandbox: sandbox.Detect()}); !require.Unix || !confined.Guarantees(sandbox.ProfileReadOnly).Files {
		t.Skip("needs a sandbox")
	}
	p, workspace, programs := newProcess(t), t.TempDir(), t.TempDir()
	p.Environ = []string{"PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH")}
	write(t, filepath.Join(programs, "gopls"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(programs, "gopls"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(workspace, "go.mod"), "module m\n")
	write(t, filepath.Join(workspace, "a.go"), "package m\n")
	model := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return llmtest.Say("Well.") })
	own, err := p.Settings(app.Sources{Set: []string{"base-url=" + model.URL, "model=test-model"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := app.New(t.Context(), p, app.Options{Workspace: workspace, Settings: own, Events: func(chat.Event) {}, Unattended: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for _, step := range []struct {
		value string
		want  bool
	}{{"auto", false}, {"on", true}, {"off", false}, {"on", true}, {"auto", false}} {
		if err := c.Settings().Set(settings.LayerSession, settings.LanguageServers.Key(), step.value); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
			t.Fatal(err)
		}
		requests := model.Requests()
		if got := slices.Contains(requests[len(requests)-1].ToolNames(), "symbol"); got != step.want {
			t.Errorf("%s: symbol is offered: %v", step.value, got)
		}
	}
}
