package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// Searches without approval never return content that an ignore file or an ask rule of the
// repository protects. This is true for tools and commands, and for subagents too.
func TestSearchesOmitProtectedFiles(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{".agentignore": "kept.txt\n", ".claude/settings.json": `{"permissions": {"ask": ["Read(./kept.txt)"]}}`} {
		for _, call := range [][2]string{{"run_shell_command", `{"command":"grep -r word ."}`}, {"run_shell_command", `{"command":"cd sub; grep -rn word .."}`}, {"search_file_content", `{"pattern":"word"}`}} {
			for _, agent := range []bool{false, true} {
				p := newProcess(t)
				answered := ""
				server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
					first, ofAgent := r.Last().Role != "tool", strings.Contains(r.Messages[0].Content, "# Your task")
					if !first {
						answered += r.Last().Content
					}
					switch {
					case first && agent && !ofAgent:
						return llmtest.Call("task", `{"agent":"explore","title":"it","task":"do it"}`)
					case first:
						return llmtest.Call(call[0], call[1])
					}
					return llmtest.Say("done")
				})
				given, err := p.Settings(app.Sources{Set: []string{"model=m"}})
				if err != nil {
					t.Fatal(err)
				}
				for _, pair := range [][2]string{{settings.BaseURL.Key(), server.URL}, {settings.ApprovalMode.Key(), "read-only"}} {
					_ = given.Set(settings.LayerFlags, pair[0], pair[1])
				}
				work := t.TempDir()
				for name, text := range map[string]string{file: text, "kept.txt": "word KEY\n", "open.txt": "word open\n", "sub/a.txt": "word open\n"} {
					_ = os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o755)
					if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				made, err := app.New(t.Context(), p, app.Options{Workspace: work, Named: true, Settings: given, Events: func(chat.Event) {}})
				if err != nil {
					t.Fatal(err)
				}
				_, _ = made.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
				made.Close()
				// Without a sandbox the command is refused instead.
				if strings.Contains(answered, "KEY") || !strings.Contains(answered, "open") && !strings.Contains(answered, "refused") {
					t.Errorf("%s, %s, by an agent %v: %s", file, call, agent, answered)
				}
			}
		}
	}
}
