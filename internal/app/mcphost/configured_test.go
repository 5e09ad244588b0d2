package mcphost

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/servers"
)

// Programs returns the paths in the workspace where PATH could find the program of a server. For
// each program, it stops at the folder that contains it.
func TestPrograms(t *testing.T) {
	t.Parallel()
	work, elsewhere := fsutil.ResolveLinks(t.TempDir()), t.TempDir()
	for _, program := range []string{filepath.Join(work, "venv", "python"), filepath.Join(elsewhere, "npx")} {
		if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := strings.Join([]string{filepath.Join(work, "bin"), filepath.Join(work, "venv"), elsewhere, filepath.Join(work, "late"), "relative"}, string(filepath.ListSeparator))
	x := ConfiguredServers{LaunchContext: LaunchContext{Workspace: work, Lookup: func(name string) (string, bool) { return path, name == "PATH" }}}
	for _, s := range []servers.Server{
		{Name: "a", Transport: servers.Stdio, Command: "python"},
		{Name: "b", Transport: servers.Stdio, Command: "npx"},
		{Name: "c", Transport: servers.Stdio, Command: "./python"},
		{Name: "d", Transport: servers.Stdio, Command: "confined", Sandbox: servers.Sandboxed},
		{Name: "e", Transport: servers.HTTP, URL: "https://example.com/"},
		{Name: "f", Transport: servers.Stdio, Command: "own", Env: map[string]string{"PATH": filepath.Join(work, "late")}},
	} {
		x.Servers = append(x.Servers, &s)
	}
	var want []string
	for _, name := range []string{"bin/npx", "bin/python", "late/own", "venv/npx", "venv/python"} {
		want = append(want, filepath.Join(work, filepath.FromSlash(name)))
	}
	if got := x.Programs(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A variable with the key of a provider is recognized by its name, or by the key in its value.
func TestKeysInVariables(t *testing.T) {
	t.Parallel()
	environ := map[string]string{"OPENAI_API_KEY": "sk-0123456789", "ANTHROPIC_API_KEY": "x"}
	p := LaunchContext{Lookup: func(name string) (string, bool) { value, set := environ[name]; return value, set }}
	for name, tt := range map[string]struct {
		value string
		want  bool
	}{
		"OPENAI_API_KEY":    {"sk-0123456789", true},
		"MISTRAL_API_KEY":   {"", true},
		"ALIAS":             {"sk-0123456789", true},
		"HEADER":            {"Bearer sk-0123456789", true},
		"ADDRESS":           {"https://u:sk-0123456789@example.com/", true},
		"SHORT_ALIAS":       {"x", true},
		"OTHER":             {"ghp_0123456789", false},
		"HOLDS_A_SHORT_ONE": {"linux", false},
		"EMPTY":             {"", false},
	} {
		if got := p.holdsKey(name, tt.value); got != tt.want {
			t.Errorf("%s=%s: %v", name, tt.value, got)
		}
	}
}
