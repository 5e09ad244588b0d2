package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// caseCount returns the number of random cases: few, or CHECKS.
func caseCount(few int) int {
	if n, err := strconv.Atoi(os.Getenv("CHECKS")); err == nil {
		return n
	}
	return few
}

// callOf is the reply of a model that calls a tool.
func callOf(name, arguments string) string {
	quoted, _ := json.Marshal(arguments)
	return fmt.Sprintf(`200 data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":%q,"arguments":%s}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`, name, quoted)
}

// TestTokens searches for marked tokens in everything that sessions write, send, inherit and show
// (logins.md, "Done when" 3). Hooks, servers and commands print their environment. Vendors redirect
// and repeat the token. There are crashes, --debug and exports. Tokens may appear only in the file
// of logins and in requests to their hosts. CHECKS=300 draws the 300 sessions of "Done when" 3.
func TestTokens(t *testing.T) {
	t.Parallel()
	const chat = "api.kimi.com/coding/v1/chat/completions "
	for i := range caseCount(8) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(i), 36))
			replies := []string{
				callOf("run_shell_command", `{"command":"env; set; cat ~/.local/state/agent/logins.json; cat /proc/$PPID/environ | tr '\\0' '\\n'; ls -la ~/.local/state/agent"}`),
				callOf("read_file", `{"file_path":"../.local/state/agent/logins.json"}`),
				callOf("grep", `{"pattern":"access","path":"../.local"}`),
				`401 {"error":{"message":"bad token Bearer ` + mark + `-access"}}`,
				`302 [Location: https://evil.example/steal] {}`,
				`307 [Location: http://api.kimi.com/coding/v1/chat/completions] {}`,
				`500 {"error":{"message":"` + mark + `-access"}}`,
				`200 data: {"choices":[{"index":0,"delta":{"content":"hm"}}]}\n\ndata: {"error":{"message":"` + mark + `-access"}}\n\n`,
				"lost",
			}
			random.Shuffle(len(replies), func(a, b int) { replies[a], replies[b] = replies[b], replies[a] })
			hosts := deviceCodes + "\n" + kimiTokens + "\n" + kimiTokens + "\n" + kimiModels + "\n"
			for _, reply := range replies[:1+random.IntN(5)] {
				hosts += chat + reply + "\n"
			}
			p := newPerson(t, hosts+kimiReply)
			for name, text := range map[string]string{
				".claude/settings.json":    `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"sh ~/dump.sh"}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"sh ~/dump.sh"}]}]}}`,
				".config/agent/hooks.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"sh ~/dump.sh"}]}],"Stop":[{"hooks":[{"type":"command","command":"sh ~/dump.sh"}]}]}}`,
				".config/agent/mcp.json":   `{"mcpServers":{"dump":{"command":"sh","args":["-c","env >> ~/inherited"],"cwd":"` + p.home + `"}}}`,
				"dump.sh":                  `{ echo; env; cat; } >> "$HOME/inherited" 2>&1` + "\n",
				"work/a.txt":               "hello\n",
			} {
				writeFile(t, filepath.Join(p.home, name), text)
			}
			said, status := p.run("", "login", "kimi", "--client-id", "own")
			if status != exitOK {
				t.Fatal(said)
			}
			shown := said
			args := []string{"-p", "look around", "--provider", "kimi", "-m", "m", "--approval-mode", "full-auto", "--set", "max-retries=1", "--max-turns", "8"}
			if random.IntN(2) == 0 {
				args = append(args, "--debug")
			}
			args = append(args, [][]string{nil, {"--output-format", "json"}, {"--output-format", "stream-json"}}[random.IntN(3)]...)
			crashes := random.IntN(4) == 0
			if crashes {
				shown += p.killed(time.Duration(random.IntN(600))*time.Millisecond, args...)
			} else {
				said, _ = p.run("", args...)
				shown += said
			}
			for _, more := range [][]string{
				{"doctor", "--provider", "kimi", "-m", "m"}, {"sessions", "list", "--json"}, {"models", "--provider", "kimi"}, {"-p", "hi", "-c", "--provider", "kimi", "-m", "m"}, {"settings"}, {"login"},
			} {
				said, _ = p.run("", more...)
				shown += said
			}
			for _, log := range p.records() {
				for _, more := range [][]string{{"sessions", "share", log}, {"sessions", "export", log, "--json"}, {"sessions", "show", log}} {
					said, _ = p.run("", more...)
					shown += said
				}
			}
			p.leaks(t, "a session", shown)
			if _, err := os.Stat(filepath.Join(p.home, "inherited")); err != nil && !crashes {
				t.Errorf("no hook and no server has looked: %v\n%s", err, shown)
			}
			said, status = p.run("", "logout", "kimi")
			if text, _ := os.ReadFile(p.logins()); status != exitOK || strings.Contains(string(text)+said, mark) {
				t.Errorf("after logout: %s\n%s", said, text)
			}
		})
	}
}

// killed runs the program, kills it after a delay, and returns its output.
func (p *personAt) killed(after time.Duration, args ...string) string {
	cmd := p.command(args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	said, _ := io.ReadAll(out)
	_ = cmd.Wait()
	return string(said)
}

// records returns the ids of the recorded sessions.
func (p *personAt) records() (ids []string) {
	logs, err := filepath.Glob(filepath.Join(p.home, ".local/share/agent/sessions/*/*.jsonl"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, log := range logs {
		ids = append(ids, strings.TrimSuffix(filepath.Base(log), ".jsonl"))
	}
	return ids
}
