package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/testing/llmtest"
)

// Clients by other authors finish a turn with an edit and a command. "make acp" fetches the
// clients. ACP_MODULES is the folder of the npm packages, ACP_EL the folder of acp.el.
func TestClientsOfOthers(t *testing.T) {
	modules, lisp := os.Getenv("ACP_MODULES"), os.Getenv("ACP_EL")
	if modules == "" && lisp == "" {
		t.Skip("make acp runs it")
	}
	agent := filepath.Join(t.TempDir(), "agent")
	if out, err := exec.Command("go", "build", "-o", agent, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := func(name string) string {
		path, err := filepath.Abs("testdata/acp/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	if modules != "" { // Node resolves imports relative to the folder of the module
		text, err := os.ReadFile(script("client.mjs"))
		if err == nil {
			err = os.WriteFile(filepath.Join(modules, "client.mjs"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		where string
		line  func(folder string) []string
	}{
		"the TypeScript client": {modules, func(folder string) []string { return []string{"node", modules + "/client.mjs", agent, folder} }},
		"acpx": {modules, func(folder string) []string {
			return []string{"node", modules + "/node_modules/.bin/acpx", "--agent", agent + " acp", "--cwd", folder, "--approve-all", "--timeout", "60", "exec", "go"}
		}},
		"Emacs": {lisp, func(string) []string {
			return []string{"emacs", "--batch", "--quick", "--directory", lisp, "--load", script("client.el")}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.where == "" {
				t.Skip("it is not there")
			}
			server := llmtest.New(t, llmtest.Call("write_file", `{"file_path":"edited","content":"by the agent\n"}`), llmtest.Call("run_shell_command", `{"command":"cp edited copied"}`), llmtest.Say("All is done."))
			home, folder := t.TempDir(), t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			line := c.line(folder)
			client := exec.CommandContext(ctx, line[0], line[1:]...)
			client.Dir = folder
			client.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + server.URL, "AGENT=" + agent, "FOLDER=" + folder}
			out, err := client.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "All is done.") {
				t.Errorf("%v\n%s", err, out)
			}
			if text, err := os.ReadFile(filepath.Join(folder, "copied")); err != nil || string(text) != "by the agent\n" {
				t.Errorf("the turn left %q, %v\n%s", text, err, out)
			}
		})
	}
}
