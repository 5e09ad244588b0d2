package hooks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/extend/setup/trustedfile"
)

// place writes files into a home folder with a configuration and a repository.
func place(t *testing.T, files map[string]string) trustedfile.Locations {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "w/.git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return trustedfile.Locations{Config: filepath.Join(home, ".config/agent"), Home: home, Workspace: filepath.Join(home, "w")}
}

func one(event, hook string) string {
	return `{"hooks": {"` + event + `": [{"matcher": "Bash", "hooks": [` + hook + `]}]}}`
}

// Find reads the hook files in the listed order, the user's files first. It ignores files of other
// programs in the home folder (setup.md 6).
func TestHooksPlaces(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		".claude/settings.json": one("Stop", `{"type":"command","command":"never"}`),
		".codex/hooks.json":     one("Stop", `{"type":"command","command":"never"}`),
		".agents/hooks.json":    one("Stop", `{"type":"command","command":"never"}`),
	}
	want := []string{
		".config/agent/hooks.json", "w/.agents/hooks.json", "w/.codex/hooks.json", "w/.claude/settings.json", "w/.claude/settings.local.json",
		"w/sub/.claude/settings.json",
	}
	for _, file := range want {
		files[file] = one("Stop", `{"type":"command","command":"`+file+`"}`)
	}
	w := place(t, files)
	w.Workspace = filepath.Join(w.Workspace, "sub")
	var got []string
	found := Find(w)
	for _, h := range found.Hooks {
		got = append(got, h.Command)
		if project := strings.TrimSuffix(filepath.Dir(filepath.Dir(h.File)), "/"); h.IsUserOwned() != (h.Command == want[0]) || !h.IsUserOwned() && h.Project != project {
			t.Errorf("%s: own %t, project %s", h.File, h.IsUserOwned(), h.Project)
		}
	}
	if !slices.Equal(got, want) || len(found.Skipped) > 0 {
		t.Errorf("found %q, left out %q", got, found.Skipped)
	}
	if found := Find(trustedfile.Locations{Config: filepath.Join(w.Home, ".config/agent"), Home: w.Home, Workspace: w.Home}); len(found.Hooks) != 1 {
		t.Errorf("in the home folder: %v", found.Hooks)
	}
}

// Find reads all fields of a hook (setup.md 6).
func TestHooksFields(t *testing.T) {
	t.Parallel()
	w := place(t, map[string]string{"w/.claude/settings.json": "\uFEFF" + one("PreToolUse",
		`{"type":"command","command":"check","args":["a b"],"timeout":1.5,"if":"Bash(git *)","async":true,"once":true,"statusMessage":"x"},
		{"type":"command","command":"guard","onFailure":"block"}`)})
	found := Find(w)
	if len(found.Hooks) != 2 || len(found.Skipped) > 0 {
		t.Fatalf("%+v", found)
	}
	a, b := found.Hooks[0], found.Hooks[1]
	if a.Event != PreToolUse || a.Matcher != "Bash" || !slices.Equal(a.Words(), []string{"check", "a b"}) || a.Timeout != 1500*time.Millisecond ||
		a.If != "Bash(git *)" || !a.Async || !a.Once || a.Blocks || a.Name() != "PreToolUse Bash" || !strings.HasPrefix(string(a.Raw), `{"type"`) {
		t.Errorf("%+v", a)
	}
	if !b.Blocks || b.Async || b.Once || b.Timeout != 0 || b.Args != nil {
		t.Errorf("%+v", b)
	}
}

// An invalid hook is omitted and reported once, and the others are used (setup.md 0.3, 0.4 and 6).
func TestHooksLeftOut(t *testing.T) {
	t.Parallel()
	good := `{"type":"command","command":"good"}`
	for text, want := range map[string]string{
		`{"hooks": {"PreToolUse": [{"matcher": "Bash(", "hooks": [` + good + `]}]}}`:     `the matcher "Bash(" does not compile`,
		`{"hooks": {"PreToolUse": [{"matcher": "a)(b", "hooks": [` + good + `]}]}}`:      `the matcher "a)(b" does not compile`,
		`{"hooks": {"Setup": [{"hooks": [` + good + `]}]}}`:                              "for Setup: unknown event",
		one("Stop", `{"type":"http","url":"x"},{"type":"http","url":"y"}`):               `hook type "http" is not supported`,
		one("Stop", `{"type":"prompt","prompt":"x"}`):                                    `hook type "prompt" is not supported`,
		one("Stop", `{"type":"agent","prompt":"x"}`):                                     `hook type "agent" is not supported`,
		one("Stop", `{"type":"mcp_tool"}`):                                               `hook type "mcp_tool" is not supported`,
		one("Stop", `{"type":"command"}`):                                                "it has no command",
		one("Stop", `{"type":"command","command":"x","timeout":-1}`):                     "its timeout must be between",
		one("Stop", `{"type":"command","command":"x","timeout":"1"}`):                    "timeout has the wrong type (string)",
		one("Stop", `{"type":"command","command":"x","onFailure":"deny"}`):               "its onFailure is",
		one("Stop", `{"type":"command","command":"x","onFailure":"block","async":true}`): "an async hook can't have onFailure",
		one("Stop", `{"type":"command","command":"x","if":"Bash(x)"}`):                   "only for events of tool calls",
		one("PreToolUse", `{"type":"command","command":"x","if":"Bash(x"}`):              `its condition "if" (Bash(x) is not valid`,
		one("Stop", `{"type":"command","command":"x","shell":"powershell"}`):             "use bash",
		one("Stop", `1`):                                   "it has the wrong type (number)",
		`{"hooks": {"Stop": {}}}`:                          "the value of the event must be a list",
		`{"hooks": {"Stop": [1]}}`:                         "it has the wrong type (number)",
		`{"hooks": {`:                                      "unexpected end of JSON input at 1:",
		`{"hooks": [` + good + `]}`:                        "hooks has the wrong type (array)",
		`{"disableAllHooks":true,` + one("Stop", good)[1:]: "the file sets disableAllHooks",
	} {
		found := Find(place(t, map[string]string{"w/.claude/settings.json": text, ".config/agent/hooks.json": one("Stop", good)}))
		if len(found.Hooks) != 1 || len(found.Skipped) != 1 || !strings.Contains(found.Skipped[0], want) || !strings.Contains(found.Skipped[0], "settings.json") {
			t.Errorf("%s:\nhooks %v\nleft out %q\nwant %q", text, found.Hooks, found.Skipped, want)
		}
	}
}

// An absent matcher, "" and * match everything. Names and lists match exactly. Anything else is a
// regular expression for the whole name (setup.md 6).
func TestHooksMatching(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		matcher string
		yes, no []string
	}{
		{"", []string{"Bash", "x"}, nil},
		{"*", []string{"Bash", "x"}, nil},
		{"Edit", []string{"Edit"}, []string{"MultiEdit", "edit", "NotebookEdit"}},
		{"Edit|Write", []string{"Edit", "Write"}, []string{"Read", "Edit|Write"}},
		{"Edit, Write", []string{"Edit", "Write"}, []string{"Read", ""}},
		{"mcp__my-server__get-it", []string{"mcp__my-server__get-it"}, []string{"mcp__my-server__get", "mcp__my"}},
		{"mcp__my-server__.*", []string{"mcp__my-server__get"}, []string{"xmcp__my-server__get"}},
		{"Notebook.*", []string{"NotebookEdit"}, []string{"xNotebook"}},
		{"Edit|Wri.*", []string{"Edit", "Write"}, []string{"MultiEdit", "Edits"}},
		{"^Bash$", []string{"Bash"}, []string{"BashOutput"}},
	} {
		matches, err := matcher(c.matcher)
		if err != nil {
			t.Errorf("%q: %v", c.matcher, err)
			continue
		}
		h := Hook{matches: matches}
		for _, name := range c.yes {
			if !h.Matches(name) || !h.Matches("other", name) && c.matcher != "" {
				t.Errorf("%q does not match %q", c.matcher, name)
			}
		}
		for _, name := range c.no {
			if h.Matches(name) {
				t.Errorf("%q matches %q", c.matcher, name)
			}
		}
	}
}

func FuzzHooks(f *testing.F) {
	f.Add(one("PreToolUse", `{"type":"command","command":"x","if":"Bash(x)"}`))
	f.Fuzz(func(t *testing.T, text string) {
		var found Listing
		p := parser{into: &found, file: "f", reported: map[string]bool{}}
		p.parse([]byte(text))
		for _, h := range found.Hooks {
			h.Matches("Bash")
			if strings.TrimSpace(h.Command) == "" {
				t.Errorf("%q: an empty command", text)
			}
		}
	})
}
