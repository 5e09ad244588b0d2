package structure

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// extensions are one example of each extension point. Each is a new file, and a line in a registry
// that replaces a comment or a line there.
var extensions = []struct{ file, as, registry, at, line string }{
	{"setting.go", "internal/settings/bell.go", "internal/settings/registry.go", "// Add a setting of behavior here.", "Bell,"},
	{"phase.go", "internal/compression/phase_fillers.go", "internal/compression/optimize.go", "oldResults,", "oldResults,\nfillers,"},
	{"strategy.go", "internal/compression/short_results.go", "internal/compression/registry.go", "topDown{},", "topDown{},\nshortResults{},"},
	{"command.go", "internal/slash/ping.go", "internal/slash/deps.go", "// Add a command here, or in the group that it belongs to.", "pingCommand(),"},
	{"source.go", "internal/app/echoes.go", "internal/app/extend.go", "// Add a source of tools here.", "{isEcho, (*conversationParts).echoes},"},
	{"gate.go", "internal/app/no_secrets.go", "internal/app/extend.go", "// Add a gate here.", "noSecrets(),"},
	{"tool.go", "internal/tools/count_letters.go", "internal/tools/registry.go", "// Add a tool here.", "countLetters(),"},
}

// A setting, a density phase, a strategy, a slash command, a tool, a source of tools and a gate
// each need one file and one line in a registry. Help, completion, schema, files, /set and all
// displays then include them. The test builds the program with one of each and checks its output.
func TestOneFileAndOneLine(t *testing.T) {
	t.Parallel()
	agent := buildExtended(t)
	t.Run("tools and gates at run time", func(t *testing.T) { askExtended(t, agent) })
	t.Run("start", func(t *testing.T) { checkStartAllocations(t, agent) })
	t.Run("version", func(t *testing.T) { checkVersion(t, agent) })
	doc := "internal/structure/testdata/extension/doc.json"
	// Slash commands need an endpoint, but send no request to it.
	slash := func(line string) []string {
		return []string{"-p", line, "--no-session", "--base-url", "http://127.0.0.1:1/v1", "-m", "m"}
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		// The setting.
		{[]string{"settings", "ui.bell"}, []string{`ui\.bell = false \(default\)`, "ring when a turn ends", "takes true or false", "also beep"}},
		{[]string{"settings", "--json", "--set", "beep=on"}, []string{`"key": "ui\.bell",[^}]*"value": true,[^}]*"source": "flag"`}},
		{[]string{"settings", "--schema"}, []string{`"ui\.bell": \{[^}]*"boolean"`, `"beep": \{`}},
		{[]string{"__complete", "settings", ""}, []string{`ui\.bell\tring`}},
		{[]string{"__complete", "--set", ""}, []string{`ui\.bell=true`}},
		{[]string{"profile", "save", "loud", "--set", "ui.bell=yes"}, []string{`ui\.bell = true`}},
		{[]string{"settings", "ui.bell", "--profile", "loud"}, []string{`true \(profile loud\)`}},
		{slash("/set ui.bell on"), []string{`ui\.bell = true \(was false\)`}},
		{slash("/settings ring"), []string{`ui\.bell`}},
		// The density phase.
		{[]string{"settings", "compression.density.fillerPruning"}, []string{"= false", "drop replies that say nothing"}},
		{[]string{"settings", "compression.density.fillerLength"}, []string{"= 3", "a whole number of at least 1"}},
		{[]string{"settings", "--schema"}, []string{`"compression\.density\.fillerPruning"`}},
		{[]string{"context", "optimize", doc}, []string{`"recencyPruned": 0,\s+"fillersPruned": 1`}},
		{[]string{"context", "optimize", doc, "--set", "compression.density.fillerLength=1"}, []string{`"fillersPruned": 0`}},
		{[]string{"context", "replay", doc}, []string{"short-results", "old results / fillers"}},
		{[]string{"context", "replay", doc, "--json"}, []string{`"fillersPruned": 0`}},
		// The strategy.
		{[]string{"settings", "compression.strategy", "--set", "compression.strategy=Short-Results"}, []string{"= short-results", "one of .*short-results"}},
		{[]string{"settings", "--schema"}, []string{`"top-down-truncation",\s+"short-results"`}},
		{[]string{"__complete", "--set", "compression.strategy"}, []string{`compression\.strategy=short-results`}},
		{[]string{"context", "compress", doc, "--set", "compression.strategy=short-results"}, []string{`"strategyUsed": "short-results"`}},
		// The command.
		{slash("/ping"), []string{"^pong\n$"}},
		{slash("/help"), []string{`/ping +answer at once`}},
		// The tool.
		{slash("/tools"), []string{`count_letters +read +Counts the letters of a file`}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), agent, c.args...)
			home := t.TempDir()
			if c.args[0] == "profile" || strings.Contains(t.Name(), "--profile") {
				home = filepath.Dir(agent)
			}
			cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
			var complaint strings.Builder
			cmd.Stderr = &complaint
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, complaint.String())
			}
			for _, want := range c.want {
				if !regexp.MustCompile(want).Match(out) {
					t.Errorf("no %s in\n%s", want, out)
				}
			}
		})
	}
}

// askExtended runs a model that uses extensions at run time. One tool is missing in the first
// request, is named by an earlier rule, and is called without being offered. A gate refuses another
// call with a message.
func askExtended(t *testing.T, agent string) {
	t.Helper()
	srv := llmtest.New(t,
		llmtest.Call("echo_word", `{"word":"early"}`),
		llmtest.Call("write_file", `{"file_path":"echo","content":"on"}`),
		llmtest.Call("echo_word", `{"word":"hello"}`),
		llmtest.Call("echo_word", `{"word":"secret"}`),
		llmtest.Call("count_letters", `{"file_path":"echo"}`),
		llmtest.Call("count_letters", `{"file_path":".env"}`),
		llmtest.Say("done"),
	)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, ".env"), []byte("PASSWORD=tr0ub4dor"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), agent, "-p", "go", "--no-session", "--base-url", srv.URL, "-m", "test-model", "-C", folder,
		"--allow", "echo_word(*)", "--allow", "write_file(**)")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	// The run ends because no user answers the prompt about the secret file.
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "count_letters .env was refused") {
		t.Fatalf("%v\n%s", err, out)
	}
	requests := srv.Requests()
	for i, want := range []string{`unknown tool "echo_word"`, "", `echo {"word":"hello"}`, "refused: speak of something else", "2"} {
		if said := requests[i+1].Last().Content; !strings.Contains(said, want) {
			t.Errorf("call %d is answered %q, want %q", i, said, want)
		}
		if !slices.Equal(requests[i+1].ToolNames(), requests[0].ToolNames()) {
			t.Errorf("request %d offers %q", i+1, requests[i+1].ToolNames())
		}
	}
}

// buildExtended builds the program with the extensions and returns its path.
func buildExtended(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for _, e := range extensions {
		edited := replace[filepath.Join(root, e.registry)]
		if edited == "" {
			edited = e.registry
		}
		text, err := os.ReadFile(edited)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), e.at) != 1 {
			t.Fatalf("%s has the place %q not once", e.registry, e.at)
		}
		registry := filepath.Join(dir, "registry_"+e.file)
		if err := os.WriteFile(registry, []byte(strings.Replace(string(text), e.at, e.line, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, e.registry)] = registry
		replace[filepath.Join(root, e.as)] = filepath.Join(root, "internal/structure/testdata/extension", e.file+".txt")
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file, agent := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "agent")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w -X agent/internal/base/version.Linked=test", "-overlay", file, "-o", agent, "./cmd/agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return agent
}
