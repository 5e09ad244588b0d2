package imports_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/extend/setup/imports"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/testing/require"
)

const token = "ghp_0123456789abcdefABCDEF0123"

// place is a home folder and a workspace with files of other coding agents.
type place struct {
	t *testing.T
	imports.Locations
}

func newPlace(t *testing.T, files map[string]string) place {
	t.Helper()
	root := t.TempDir()
	home := filepath.Join(root, "home")
	p := place{t, imports.Locations{
		Locations: trustedfile.Locations{Config: filepath.Join(home, ".config/agent"), Home: home, Workspace: filepath.Join(home, "work")},
		Base:      filepath.Join(home, ".config"),
		InOurWords: func(rule string) []string {
			if rest, ok := strings.CutPrefix(rule, "Bash"); ok {
				return []string{"run_shell_command" + rest}
			}
			return nil
		},
	}}
	for _, folder := range []string{p.Config, p.Workspace} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

func (p place) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.Home, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) read(name string) string {
	data, _ := os.ReadFile(filepath.Join(p.Home, name))
	return string(data)
}

func (p place) plan(sources ...string) imports.Plan {
	p.t.Helper()
	plan, err := imports.Read(p.Locations, sources, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return plan
}

// entry returns a written server as canonical JSON.
func (p place) entry(file, name string) string {
	p.t.Helper()
	var written struct {
		Servers map[string]any `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(p.read(file)), &written); err != nil {
		p.t.Fatalf("%s: %v", file, err)
	}
	text, _ := json.Marshal(written.Servers[name])
	return string(text)
}

// Each source is translated, and the report names everything that is lost. A second import changes
// nothing.
func TestSources(t *testing.T) {
	t.Parallel()
	const own, project = ".config/agent/mcp.json", "work/.mcp.json"
	for _, c := range []struct {
		source, file, text, name, to, want, lost string
	}{
		{"claude", ".claude.json", `{"mcpServers": {"a": {"type": "stdio", "command": "npx", "args": ["${A:-b}"], "env": {}}}}`, "a", own, `{"args":["${A:-b}"],"command":"npx","env":{},"type":"stdio"}`, ""},
		{"codex", ".codex/config.toml", "[mcp_servers.c]\ncommand = \"x\"\nargs = [\"${A} $B\"]\n", "c", own, `{"args":["${AGENT_DOLLAR:-$}{A} $B"],"command":"x"}`, ""},
		{"gemini", ".gemini/settings.json", `{"mcpServers": {"g": {"httpUrl": "https://g", "oauth": {"clientId": "i", "clientSecret": "` + token + `"}}}}`, "g", own, `{"oauth":{"clientId":"i"},"url":"https://g"}`, "clientSecret of oauth is not imported: put it into an environment variable and set clientSecretEnv to the name of the variable"},
		{"claude", ".claude.json", `{"projects": {"WORK": {"mcpServers": {"p": {"command": "x"}}}, "/other": {"mcpServers": {"no": {"command": "x"}}}}}`, "p", own, `{"command":"x"}`, ""},
		{"claude-desktop", ".config/Claude/claude_desktop_config.json", `{"mcpServers": {"a b": {"command": "x"}}}`, "a-b", own, `{"command":"x"}`, "it is named a-b here"},
		{
			"codex", ".codex/config.toml", "[mcp_servers.c]\nurl = \"https://c\"\nbearer_token_env_var = \"TOK\"\nstartup_timeout_sec = 1.5\ntool_timeout_sec = 60\nenabled_tools = [\"t\"]\nenabled = false\n[mcp_servers.c.http_headers]\nA = \"b\"\n[mcp_servers.c.env_http_headers]\nD = \"E\"\n", "c", own,
			`{"disabled":true,"enabledTools":["t"],"headers":{"A":"b","Authorization":"Bearer ${TOK}","D":"${E}"},"startup_timeout":1500,"timeout":60000,"url":"https://c"}`, "",
		},
		{"gemini", ".gemini/settings.json", `{"mcpServers": {"g": {"httpUrl": "https://g/$HOST", "trust": true, "timeout": 5000}}}`, "g", own, `{"timeout":5000,"url":"https://g/${HOST}"}`, "trust is not imported: calls of this server require approval"},
		{"claude", ".claude.json", `{"mcpServers": {"h": {"command": "x", "trust_hints": true}}}`, "h", own, `{"command":"x"}`, "trust_hints is not imported: calls of this server require approval"},
		{"gemini", "work/.gemini/settings.json", `{"mcpServers": {"g": {"url": "https://g/sse"}}}`, "g", project, `{"type":"sse","url":"https://g/sse"}`, ""},
		{"opencode", ".config/opencode/opencode.jsonc", `{"mcp": {/* mine */ "o": {"type": "local", "command": ["bun", "x"], "environment": {"K": "{env:KEY}"}, "enabled": true,}}}`, "o", own, `{"command":["bun","x"],"env":{"K":"${KEY}"},"type":"local"}`, ""},
		{"crush", ".config/crush/crush.json", `{"mcp": {"c": {"type": "http", "url": "https://c", "timeout": 120, "headers": {"Authorization": "$(cat key)"}}}}`, "c", own, `{"headers":{"Authorization":"$(cat key)"},"timeout":120000,"type":"http","url":"https://c"}`, "headers has an unknown placeholder: replace it; the value of Authorization is stored as plain text. Use ${VAR} to keep it out of the file"},
		{"cursor", ".cursor/mcp.json", `{"mcpServers": {"c": {"command": "${workspaceFolder}/x", "env": {"T": "${env:TOK}"}}}}`, "c", own, `{"command":"./x","env":{"T":"${TOK}"}}`, ""},
		{"vscode", "work/.vscode/mcp.json", `{"inputs": [], "servers": {"v": {"command": "x", "env": {"T": "${input:api-key}"}, "envFile": ".env"}}}`, "v", project, `{"command":"x","env":{"T":"${INPUT_API_KEY}"}}`, "env uses an input of VS Code, which agent doesn't support: set the environment variable INPUT_API_KEY; envFile is unknown"},
		{"windsurf", ".codeium/windsurf/mcp_config.json", `{"mcpServers": {"w": {"serverUrl": "https://w", "headers": {"Authorization": "Bearer ` + token + `"}}}}`, "w", own, `{"headers":{"Authorization":"Bearer ` + token + `"},"url":"https://w"}`, "the value of Authorization is stored as plain text. Use ${VAR} to keep it out of the file"},
	} {
		t.Run(c.source+" "+c.file, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, nil)
			p.write(c.file, strings.ReplaceAll(c.text, "WORK", filepath.ToSlash(p.Workspace)))
			for _, sources := range [][]string{{c.source}, nil} {
				plan := p.plan(sources...)
				if len(plan.Changes) != 1 {
					t.Fatalf("changes: %+v", plan.Changes)
				}
				if got := strings.Join(plan.Changes[0].Lost, "; "); got != c.lost {
					t.Errorf("lost %q", got)
				}
				if shown, _ := json.Marshal(plan.Changes); strings.Contains(string(shown), token) {
					t.Errorf("it shows a secret: %s", shown)
				}
				if sources == nil {
					if plan.ChangesFiles() || plan.Changes[0].State != imports.StateExisting {
						t.Errorf("the second run would write: %+v", plan.Changes)
					}
					continue
				}
				if err := plan.Write(); err != nil {
					t.Fatal(err)
				}
				if got := p.entry(c.to, c.name); got != c.want {
					t.Errorf("written:\n%s\nwant:\n%s", got, c.want)
				}
				require.Mode(t, filepath.Join(p.Home, c.to), 0o600)
			}
		})
	}
}

// If a name is already used, the existing entry stays, in our file and between sources. Comments
// stay.
func TestTakenNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".config/agent/mcp.json": "{\n\t// mine\n\t\"mcpServers\": {\"a\": {\"command\": \"mine\"}},\n}\n",
		".claude.json":           `{"mcpServers": {"a": {"command": "other"}, "b": {"command": "first"}}}`,
		".cursor/mcp.json":       `{"mcpServers": {"b": {"command": "second"}}}`,
	})
	plan := p.plan()
	var states []string
	for _, c := range plan.Changes {
		states = append(states, c.Name+" "+string(c.State))
	}
	if got := strings.Join(states, ", "); got != "a name taken, b new, b name taken" {
		t.Error(got)
	}
	if err := plan.Write(); err != nil {
		t.Fatal(err)
	}
	text := p.read(".config/agent/mcp.json")
	for _, want := range []string{"// mine", `"mine"`, `"first"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if strings.Contains(text, "second") || strings.Contains(text, "other") {
		t.Error(text)
	}
}

// Hooks are appended to our file, once. Unusable hooks are reported.
func TestHooks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".config/agent/hooks.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}`,
		".claude/settings.json":    `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}, {"type": "command", "command": "theirs ` + token + `"}]}], "PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "guard", "type": "command"}, {"type": "prompt"}]}], "Odd": []}}`,
		".codex/config.toml":       "notify = [\"python3\", \"n.py\"]\n[[hooks.Stop]]\nhooks = [{type = \"command\", command = \"of codex\"}]\n",
	})
	plan := p.plan()
	if err := plan.Write(); err != nil {
		t.Fatal(err)
	}
	var written struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Command string
				Args    []string
			}
		}
	}
	if err := json.Unmarshal([]byte(p.read(".config/agent/hooks.json")), &written); err != nil {
		t.Fatal(err)
	}
	h := written.Hooks
	if len(h["Stop"]) != 3 || h["Stop"][2].Hooks[0].Command != "of codex" || h["Stop"][1].Hooks[0].Command != "theirs "+token || len(h["PreToolUse"]) != 1 || h["PreToolUse"][0].Matcher != "Bash" || len(h["Notification"]) != 1 || h["Notification"][0].Hooks[0].Args[0] != "n.py" {
		t.Errorf("%+v", h)
	}
	shown, _ := json.Marshal(plan.Changes)
	for _, want := range []string{"unknown event", `\"prompt\" is not supported`, "standard input"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("no %q in %s", want, shown)
		}
	}
	if strings.Contains(string(shown), token) {
		t.Errorf("it shows a secret: %s", shown)
	}
	if p.plan().ChangesFiles() {
		t.Error("a second run would write")
	}
}

// Rules are shown in our form but not written. A rule with a secret is not shown.
func TestRules(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{".claude/settings.json": `{"permissions": {"allow": ["Bash(go test *)", "Read(x)", "mcp__s__t", "Bash(curl ` + token + `)", "Bash(DB_PASSWORD=hunter2 make)"]}, "outputStyle": "terse", "statusLine": {"type": "command", "command": "~/.claude/line.sh"}}`})
	plan := p.plan()
	shown, _ := json.Marshal(plan.Changes)
	for _, want := range []string{`--allow 'run_shell_command(go test *)'`, "--allow 'mcp__s__t'", "it contains a secret", "/set output-style terse", "/set status-line.command ~/.claude/line.sh"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("no %q in %s", want, shown)
		}
	}
	if plan.ChangesFiles() || strings.Contains(string(shown), token) || strings.Contains(string(shown), "hunter2") {
		t.Errorf("%s", shown)
	}
}

// Broken and hostile files are reported and skipped. The valid parts are used.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, says string }{
		"no JSON":        {".cursor/mcp.json", `{"mcpServers": {`, "unexpected"},
		"a list":         {".cursor/mcp.json", `[]`, "it must contain an object"},
		"list within":    {".cursor/mcp.json", `{"mcpServers": []}`, "must be an object"},
		"no TOML":        {".codex/config.toml", "a = 1\nkey = \"" + token, "see line 2"},
		"no command":     {".cursor/mcp.json", `{"mcpServers": {"x": {}}}`, "neither a command nor a url"},
		"wrong type":     {".cursor/mcp.json", `{"mcpServers": {"x": {"command": "x", "args": 3}}}`, "args must be a list of strings"},
		"only signs":     {".cursor/mcp.json", `{"mcpServers": {"../..": {"command": "x"}}}`, "1 to 32 letters"},
		"taken name":     {".cursor/mcp.json", `{"mcpServers": {"agent": {"command": "x"}}}`, "is taken"},
		"an entry":       {".cursor/mcp.json", `{"mcpServers": {"x": "` + token + `"}}`, "it must be an object"},
		"gemini's hooks": {".gemini/settings.json", `{"hooks": {"BeforeTool": []}}`, "rewrite them"},
		"broken notify":  {".codex/config.toml", `notify = 3`, "must be a list of strings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{c.file: c.text, ".claude.json": "\uFEFF" + `{"mcpServers": {"good": {"command": "x"}}}`})
			plan := p.plan()
			if len(plan.Changes) != 2 || plan.Changes[1].State != imports.StateSkipped || !strings.Contains(strings.Join(plan.Changes[1].Lost, " "), c.says) {
				t.Errorf("%+v", plan.Changes)
			}
			if shown, _ := json.Marshal(plan.Changes); strings.Contains(string(shown), token) {
				t.Errorf("it shows a secret: %s", shown)
			}
			if err := plan.Write(); err != nil || !strings.Contains(p.read(".config/agent/mcp.json"), `"good"`) {
				t.Error(err)
			}
		})
	}
}

// If one of our files is broken, nothing is written. A link can't lead out of the workspace.
func TestOwnFileBrokenAndLinks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{".config/agent/mcp.json": "{", ".claude.json": `{}`, "elsewhere.json": `{"servers": {"x": {"command": "x"}}}`})
	if _, err := imports.Read(p.Locations, nil, nil); err == nil || !strings.Contains(err.Error(), "mcp.json") {
		t.Error(err)
	}
	p.write(".config/agent/mcp.json", "{}")
	p.write("work/.vscode/keep", "")
	if err := os.Symlink(filepath.Join(p.Home, "elsewhere.json"), filepath.Join(p.Workspace, ".vscode/mcp.json")); err != nil {
		t.Fatal(err)
	}
	plan := p.plan("vscode")
	if len(plan.Changes) != 1 || plan.Changes[0].State != imports.StateSkipped || !strings.Contains(plan.Changes[0].Lost[0], "leads out of") {
		t.Errorf("%+v", plan.Changes)
	}
	if err := imports.Check([]string{"cluade"}, nil); err == nil || !strings.Contains(err.Error(), "did you mean claude") {
		t.Error(err)
	}
	if err := imports.Check(nil, []imports.Kind{"themes"}); err == nil {
		t.Error("an unknown kind")
	}
}

// Two imports that are planned before either is written store a hook once.
func TestHooksOfTwoImports(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{".claude/settings.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo once"}]}]}}`})
	first, second := p.plan(), p.plan()
	for _, plan := range []imports.Plan{first, second} {
		if err := plan.Write(); err != nil {
			t.Fatal(err)
		}
	}
	if text := p.read(".config/agent/hooks.json"); strings.Count(text, "echo once") != 1 {
		t.Error(text)
	}
}
