package servers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/extend/setup/trustedfile"

	"agent/internal/testing/require"
	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// listed returns the names of the servers in order, with their origins.
func listed(f Listing) (all []string) {
	for _, s := range f.Servers {
		all = append(all, string(s.Origin)+":"+s.Name)
	}
	return all
}

// TestPrecedence checks that flags have priority over the user's file, and the user's file over the
// project's. A notice reports each hidden server.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	root := filepath.Join(home, "repo")
	w := Locations{Locations: trustedfile.Locations{Config: filepath.Join(home, ".config/agent"), Home: home, Workspace: filepath.Join(root, "sub")}, Dir: home, Given: []string{`{"mcpServers":{"a":{"command":"flag"}}}`, "more.json"}}
	write(t, filepath.Join(home, "more.json"), `{"mcpServers":{"e":{"url":"http://x"}}}`)
	write(t, UserFile(w.Config), `{"mcpServers":{"b":{"command":"user"},"a":{"command":"user"}}}`)
	write(t, ProjectFile(root), `{"mcpServers":{"c":{"command":"root"},"d":{"command":"root"}}}`)
	write(t, ProjectFile(w.Workspace), `{"mcpServers":{"c":{"command":"near","allow":["*"],"trustHints":true},"b":{"command":"near"}}}`)
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := Find(w)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"flag:a", "flag:e", "user:b", "project:c", "project:d"}, listed(f)); diff != "" {
		t.Error(diff)
	}
	if c := f.ByName("c"); c.Command != "near" || c.Allow != nil || c.TrustHints || c.Folder != w.Workspace {
		t.Errorf("%+v", c)
	}
	notes := strings.Join(f.Notes, "\n")
	for _, want := range []string{
		"server a of " + UserFile(w.Config) + " is not used: --mcp-config already has a server of that name",
		"server b of " + ProjectFile(w.Workspace) + " is not used: " + UserFile(w.Config) + " already has a server of that name",
		"server c of " + ProjectFile(root) + " is not used",
		"the fields allow and trustHints are ignored",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
	w.GivenOnly = true
	if f, _ := Find(w); len(f.Servers) != 2 {
		t.Errorf("--no-setup: %v", listed(f))
	}
	w.Given = []string{`{"mcpServers":{"a":{}}}`}
	if _, err := Find(w); err == nil || !strings.Contains(err.Error(), "--mcp-config: server a of --mcp-config is not used: it has neither a command nor a url") {
		t.Errorf("%v", err)
	}
}

// TestFields checks every name that coding agents use for the fields, in separate entries.
func TestFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, entry string
		want        Server
		notes       []string
		problem     string
	}{
		{
			name: "stdio", entry: `{"command":"npx","args":["-y","x"],"env":{"A":"1"},"env_vars":["B"],"cwd":"sub"}`,
			want: Server{Transport: Stdio, Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"A": "1"}, EnvVars: []string{"B"}, Cwd: "sub"},
		},
		{
			name: "opencode", entry: `{"type":"local","command":["npx","x"],"environment":{"A":"1"},"enabled":false}`,
			want: Server{Transport: Stdio, Command: "npx", Args: []string{"x"}, Env: map[string]string{"A": "1"}, Disabled: true},
		},
		{
			name: "http", entry: `{"type":"streamable-http","url":"https://x","headers":{"A":"b"},"oauth":{"clientId":"i","clientSecretEnv":"S","scopes":["a"],"callbackPort":1}}`,
			want: Server{Transport: HTTP, URL: "https://x", Headers: map[string]string{"A": "b"}, OAuth: OAuth{ClientID: "i", ClientSecretEnv: "S", Scopes: []string{"a"}, CallbackPort: 1}},
		},
		{
			name: "gemini", entry: `{"httpUrl":"https://x","includeTools":["a"],"excludeTools":["b"]}`,
			want: Server{Transport: HTTP, URL: "https://x", Only: []string{"a"}, Except: []string{"b"}},
		},
		{name: "sse", entry: `{"type":"sse","url":"https://x"}`, want: Server{Transport: SSE, URL: "https://x"}},
		{
			name: "claude times", entry: `{"command":"x","startup_timeout":1500,"timeout":2000}`,
			want: Server{Transport: Stdio, Command: "x", StartTimeout: 1500 * time.Millisecond, Timeout: 2 * time.Second},
		},
		{
			name: "codex times", entry: `{"command":"x","startup_timeout_sec":1.5,"tool_timeout_sec":2,"enabled_tools":["a"],"disabled_tools":["b"]}`,
			want: Server{Transport: Stdio, Command: "x", StartTimeout: 1500 * time.Millisecond, Timeout: 2 * time.Second, Only: []string{"a"}, Except: []string{"b"}},
		},
		{
			name: "own", entry: `{"command":"x","allow":["a"],"alwaysLoad":true,"trustHints":true,"sandbox":"work","disabled":true}`,
			want: Server{Transport: Stdio, Command: "x", Allow: []string{"a"}, AlwaysLoad: true, TrustHints: true, Sandbox: "work", Disabled: true},
		},
		{
			name: "unknown", entry: `{"command":"x","comand":"y","trust":true}`, want: Server{Transport: Stdio, Command: "x"},
			notes: []string{"unknown field comand, did you mean command", "unknown field trust"},
		},
		{
			name: "unknown, like two", entry: `{"command":"x","tools":["a"]}`, want: Server{Transport: Stdio, Command: "x"},
			notes: []string{"unknown field tools; did you mean enabledTools"},
		},
		{name: "no text", entry: `{"command":7}`, problem: "command must be a string"},
		{name: "no list", entry: `{"command":"x","args":"y"}`, problem: "args must be a list of strings"},
		{name: "negative", entry: `{"command":"x","timeout":-1}`, problem: "must not be negative"},
		{name: "kind", entry: `{"type":"ws","url":"ws://x"}`, problem: `type "ws" is not known`},
		{name: "no object", entry: `"npx"`, problem: "it must be an object"},
		{name: "sandboxes", entry: `{"command":"x","sandbox":"yes"}`, problem: "use work or off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := Listing{Invalid: map[string]string{}}
			f.read("f.json", []byte(`{"mcpServers": {"s": `+tt.entry+`, "other": {"command": "y"}}}`), OriginUser, "")
			if f.ByName("other") == nil {
				t.Error("the other entry is gone")
			}
			if problems := strings.Join(f.Problems, "\n"); tt.problem != "" {
				if !strings.Contains(problems, tt.problem) || f.ByName("s") != nil || f.Invalid["s"] == "" {
					t.Errorf("problems %q", problems)
				}
				return
			}
			got := f.ByName("s")
			if got == nil {
				t.Fatal(f.Problems)
			}
			tt.want.Name, tt.want.Origin, tt.want.File = "s", OriginUser, "f.json"
			if tt.want.Sandbox == "" {
				tt.want.Sandbox = "off"
			}
			with := *got
			with.Fields = nil
			if diff := cmp.Diff(tt.want, with); diff != "" {
				t.Error(diff)
			}
			for _, want := range tt.notes {
				if !strings.Contains(strings.Join(f.Notes, "\n"), strings.ReplaceAll(want, ", did you mean command", "")) {
					t.Errorf("no %q in %q", want, f.Notes)
				}
			}
			if len(f.Notes) != len(tt.notes) {
				t.Errorf("%q", f.Notes)
			}
		})
	}
}

// TestFiles checks that comments and trailing commas are accepted, VS Code's key is reported, and
// names are checked.
func TestFiles(t *testing.T) {
	t.Parallel()
	read := func(text string) Listing {
		f := Listing{Invalid: map[string]string{}}
		f.read("f.json", []byte(text), OriginUser, "")
		return f
	}
	f := read("// mine\n{\"mcpServers\": {\n  /* b first */ \"b\": {\"command\": \"x\",},\n  \"a\": {\"command\": \"x\"},\n},}")
	if got := listed(f); !slices.Equal(got, []string{"user:b", "user:a"}) || len(f.Problems) > 0 {
		t.Errorf("%q %q", got, f.Problems)
	}
	for text, want := range map[string]string{
		`{"servers":{"a":{"command":"x"}}}`:      "VS Code's",
		`{"mcp":{}}`:                             "it has no mcpServers (it has: mcp)",
		`{"mcpServers":[]}`:                      "mcpServers must be an object",
		`[`:                                      "it is not valid JSON",
		`{"mcpServers":{"a b":{"command":"x"}}}`: "1 to 32 letters",
		`{"mcpServers":{"a__b":{"command":"x"}}}`:              "contain __",
		`{"mcpServers":{"a_":{"command":"x"}}}`:                "end with _",
		`{"mcpServers":{"agent":{"command":"x"}}}`:             "is taken",
		`{"mcpServers":{"` + strings.Repeat("a", 33) + `":1}}`: "1 to 32 letters",
	} {
		if got := strings.Join(read(text).Problems, "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
	if f := read(`{}`); len(f.Problems) > 0 {
		t.Errorf("an empty file: %q", f.Problems)
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	from := Environment{
		Lookup: func(name string) (string, bool) {
			value, set := map[string]string{"TOKEN": "t0k", "EMPTY": "", "OPENAI_API_KEY": "sk-1", "ALIAS": "sk-1"}[name]
			return value, set
		},
		Key: func(name, value string) bool { return name == "OPENAI_API_KEY" || value == "sk-1" },
	}
	s := Server{Origin: OriginUser, Transport: Stdio, Command: "${CMD:-npx}", Args: []string{"a${TOKEN}b$TOKEN${EMPTY:-e}${EMPTY}"}, Env: map[string]string{"A": "${TOKEN}"}, EnvVars: []string{"ALIAS", "NONE"}, OAuth: OAuth{ClientSecretEnv: "TOKEN"}, Cwd: "${X:-}", URL: "http://${TOKEN}", Headers: map[string]string{"H": "Bearer ${TOKEN}"}}
	got, err := s.Expand(from)
	if err != nil {
		t.Fatal(err)
	}
	want := Server{Origin: OriginUser, Transport: Stdio, Command: "npx", Args: []string{"at0kb$TOKENe"}, Env: map[string]string{"A": "t0k", "ALIAS": "sk-1"}, EnvVars: s.EnvVars, OAuth: OAuth{ClientSecretEnv: "TOKEN", ClientSecret: "t0k"}, URL: "http://t0k", Headers: map[string]string{"H": "Bearer t0k"}}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Error(diff)
	}
	if s.Env["ALIAS"] != "" {
		t.Error("the server itself was changed")
	}
	for _, tt := range []struct {
		server Server
		want   string
	}{
		{Server{Origin: OriginUser, Command: "${UNSET}"}, "the variable UNSET is not set"},
		{Server{Origin: OriginProject, Args: []string{"${OPENAI_API_KEY}"}}, "OPENAI_API_KEY contains a provider's API key"},
		{Server{Origin: OriginProject, Args: []string{"${OPENAI_API_KEY:-x}"}}, "OPENAI_API_KEY contains a provider"},
		{Server{Origin: OriginProject, EnvVars: []string{"ALIAS"}}, "ALIAS contains a provider's API key"},
		{Server{Origin: OriginProject, OAuth: OAuth{ClientSecretEnv: "OPENAI_API_KEY"}}, "OPENAI_API_KEY contains a provider's API key"},
		{Server{Origin: OriginPlugin, OAuth: OAuth{ClientSecretEnv: "ALIAS"}}, "ALIAS contains a provider's API key"},
	} {
		if _, err := tt.server.Expand(from); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "sk-1") {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestEnviron checks that a server gets the usual variables and the variables of its entry, and no
// others.
func TestEnviron(t *testing.T) {
	t.Parallel()
	s := Server{Env: map[string]string{"MINE": "1", "LANG": "C"}}
	got := s.Environ([]string{"PATH=/bin", "HOME=/h", "LC_ALL=x", "XDG_DATA_HOME=/d", "LANG=de", "OPENAI_API_KEY=sk", "SSH_AUTH_SOCK=/s", "https_proxy=p"}, map[string]string{"CLAUDE_PROJECT_DIR": "/w"})
	if diff := cmp.Diff([]string{"CLAUDE_PROJECT_DIR=/w", "HOME=/h", "LANG=C", "LC_ALL=x", "MINE=1", "PATH=/bin", "XDG_DATA_HOME=/d", "https_proxy=p"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestLines checks that listings show the names of variables and no secret.
func TestLines(t *testing.T) {
	t.Parallel()
	s := Server{
		Transport: Stdio, Command: "npx", Args: []string{"-y", "srv", "--api-key", "abcdefghijkl", "--token=abc", "--mode=fast", "ghp_0123456789abcdefghij", "${X:-hush}"},
		Env: map[string]string{"LOG": "debug", "API_KEY": "abcdefghijkl", "B": "${B}", "OTHER": "ghp_0123456789abcdefghij"},
	}
	want := []string{
		"npx -y srv --api-key (12 characters) --token=(3 characters) --mode=fast (24 characters) ${X}",
		"API_KEY=(12 characters)", "B=${B}", "LOG=debug", "OTHER=(24 characters)",
	}
	if diff := cmp.Diff(want, s.Describe()); diff != "" {
		t.Error(diff)
	}
	s = Server{Transport: HTTP, URL: "https://me:pass@host/${P}/x?key=abc&b=${K}", Headers: map[string]string{"Authorization": "Bearer ${T}", "X": "abcdefghijkl"}}
	want = []string{"http https://(7 characters)@host/${P}/x?key=(3 characters)&b=${K}", "Authorization: Bearer ${T}", "X: (12 characters)"}
	if diff := cmp.Diff(want, s.Describe()); diff != "" {
		t.Error(diff)
	}
}

// TestEdits checks that edits keep comments and other entries.
func TestEdits(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "mcp.json")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(Add(file, "a", NewServer{Command: "x", Args: []string{"<y>"}}))
	require.Mode(t, file, 0o600)
	write(t, file, "{\n  // keep\n  \"mcpServers\": {\"z\": {\"command\": \"z\", \"enabled\": false}},\n  \"other\": 1,\n}\n")
	must(Add(file, "b", NewServer{Type: HTTP, URL: "https://x"}))
	must(SetDisabled(file, "z", false))
	must(SetDisabled(file, "b", true))
	data, err := os.ReadFile(file)
	must(err)
	f := Listing{Invalid: map[string]string{}}
	f.read(file, data, OriginUser, "")
	if len(f.Servers) != 2 || f.ByName("z").Disabled || !f.ByName("b").Disabled || !strings.Contains(string(data), "// keep") || !strings.Contains(string(data), `"other"`) {
		t.Errorf("%s", data)
	}
	must(Remove(file, "z"))
	for what, err := range map[string]error{
		"already":           Add(file, "b", NewServer{Command: "x"}),
		"has no server q":   Remove(file, "q"),
		"has no server r":   SetDisabled(file, "r", true),
		"neither a command": Add(file, "n", NewServer{}),
		"is taken":          Add(file, "mcp", NewServer{Command: "x"}),
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"x","args":["${A:-b}"],"oauth":{"scopes":[]}}}}`)
	f.Add(`{"mcpServers":{"a":{"url":"http://u:p@h/?a=b&c"}}} // x`)
	f.Fuzz(func(t *testing.T, text string) {
		found := Listing{Invalid: map[string]string{}}
		found.read("f", []byte(text), OriginProject, "/")
		for _, s := range found.Servers {
			s.Describe()
			_, _ = s.Expand(Environment{Lookup: func(string) (string, bool) { return "v", true }})
		}
	})
}

// A server with both a program and an address is listed by its command line, because the program
// runs.
func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"command": "sh", "args": ["-c", "x"], "url": "https://example.com/mcp"}`:            "sh -c x",
		`{"type": "http", "command": "sh", "args": ["-c"], "url": "https://example.com/mcp"}`: "https://example.com/mcp",
	} {
		s, _, err := parse("s", []byte(text))
		if err != nil || strings.Join(s.Words(), " ") != want {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
}
