package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// publishedPath returns the path of a published file or folder, which an environment variable names. It
// fetches nothing.
func publishedPath(t *testing.T, variable, what string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set: it names %s", variable, what)
	}
	return path
}

// The example hook of Claude Code runs unchanged, with the configuration from its documentation. It
// blocks a grep and allows one in a pipe (setup.md 6, 12.5).
func TestClaudeCodesExampleHook(t *testing.T) {
	t.Parallel()
	script := publishedPath(t, "CLAUDE_CODE_HOOK", "examples/hooks/bash_command_validator_example.py of anthropics/claude-code")
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	home := t.TempDir()
	writeFile(t, filepath.Join(home, ".config/agent/hooks.json"), fmt.Sprintf(`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": %q}]}]}}`, "python3 "+script))
	writeFile(t, filepath.Join(home, "work/f"), "needle\n")
	var bodies []string
	turns := []llmtest.Turn{
		llmtest.Call("run_shell_command", `{"command":"grep needle f"}`),
		llmtest.Call("run_shell_command", `{"command":"grep needle f | head -1"}`),
		llmtest.Say("done"),
	}
	server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		bodies = append(bodies, string(r.Body))
		return turns[r.Number]
	})
	if out, status := startRun(t, home, server.URL, "-p", "go", "--approval-mode", "full-auto").end(); status != 0 {
		t.Fatalf("%d: %s", status, out)
	}
	if !strings.Contains(bodies[1], "blocked by hook: • Use 'rg' (ripgrep) instead of 'grep'") || strings.Contains(bodies[1], `needle\n`) {
		t.Errorf("not blocked: %s", bodies[1])
	}
	if !strings.Contains(bodies[2], `needle\n`) {
		t.Errorf("it did not run: %s", bodies[2])
	}
}

// All published skills of Anthropic are offered with their descriptions. Activating a skill returns
// its own text (setup.md 3, 12.5).
func TestAnthropicsSkills(t *testing.T) {
	t.Parallel()
	folder := publishedPath(t, "ANTHROPIC_SKILLS", "the folder skills of anthropics/skills")
	files, err := filepath.Glob(filepath.Join(folder, "*", "SKILL.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no skills in %s: %v", folder, err)
	}
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, "work/.claude/skills"), os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	var bodies []string
	server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		bodies = append(bodies, string(r.Body))
		if r.Number < len(files) {
			return llmtest.Call("skill", fmt.Sprintf(`{"name":%q}`, filepath.Base(filepath.Dir(files[r.Number]))))
		}
		return llmtest.Say("done")
	})
	out, status := startRun(t, home, server.URL, "-p", "go", "--set", "context-limit=1000000").end()
	if status != 0 || strings.Contains(out, "not used: ") || strings.Contains(out, "left out") {
		t.Fatalf("%d: %s", status, out)
	}
	for n, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if !strings.Contains(bodies[0], "- "+name+": ") {
			t.Errorf("%s is not offered", name)
		}
		if !strings.Contains(bodies[n+1], fmt.Sprintf(`skill name=\"%s\"`, name)) {
			t.Errorf("%s is not activated", name)
		}
	}
}
