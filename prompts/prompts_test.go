package prompts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// write creates a file and its folders.
func write(t *testing.T, text string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// root returns a folder that only its owner can write, like a home folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// everything accepts text of any length.
func everything(string) bool { return true }

// system returns the usual prompt with overridden templates.
func system(t *testing.T, overrides string, s Session) string {
	t.Helper()
	templates, err := Load(overrides)
	if err != nil {
		t.Fatal(err)
	}
	prompt, cut := templates.System(s, false, everything)
	if cut {
		t.Error("what fits was cut")
	}
	return prompt
}

var session = Session{
	Workspace: "/w", Platform: "linux/amd64", Date: "2025-01-31", Tools: "read_file, replace",
	Instructions: []Instruction{{"/home/u/AGENTS.md", "Be {{.Brief}}."}, {"/w/AGENTS.md", "Use <tabs> & spaces."}},
}

func TestSystem(t *testing.T) {
	t.Parallel()
	got := system(t, root(t), session)
	want := `
- Workspace: /w
- Platform: linux/amd64
- Date: 2025-01-31

# Instructions from /home/u/AGENTS.md

Be {{.Brief}}.

# Instructions from /w/AGENTS.md

Use <tabs> & spaces.
`
	if !strings.HasPrefix(got, "You are `agent`") || !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s", got)
	}
	if plain := system(t, root(t), Session{Tools: "read_file"}); !strings.HasSuffix(plain, "- Date:\n") {
		t.Errorf("without instructions: %q", plain)
	}
}

// The prompt for a small context window has the same content in a third of the words.
func TestLeanSystem(t *testing.T) {
	t.Parallel()
	templates, err := Load(root(t))
	if err != nil {
		t.Fatal(err)
	}
	bare := session
	bare.Instructions = nil
	usual, _ := templates.System(bare, false, everything)
	lean, cut := templates.System(bare, true, everything)
	if cut || 2*len(lean) > len(usual) || !strings.Contains(lean, "/w (linux/amd64, 2025-01-31)") || !strings.Contains(lean, "the edit tools") {
		t.Errorf("%d bytes of %d:\n%s", len(lean), len(usual), lean)
	}
	if with, _ := templates.System(session, true, everything); !strings.HasSuffix(with, "# Instructions from /w/AGENTS.md\n\nUse <tabs> & spaces.\n") {
		t.Errorf("instructions: %s", with)
	}
}

// Instructions are cut to the available tokens, the most general ones first. A note replaces the
// cut text.
func TestInstructionsAreCutToTheWindow(t *testing.T) {
	t.Parallel()
	templates, err := Load(root(t))
	if err != nil {
		t.Fatal(err)
	}
	s := session
	s.Instructions = []Instruction{{"/home/u/AGENTS.md", strings.Repeat("general é ", 300)}, {"/w/AGENTS.md", strings.Repeat("special é ", 300)}}
	bare, _ := templates.System(Session{Workspace: "/w", Platform: s.Platform, Date: s.Date, Tools: s.Tools}, false, everything)
	for _, tc := range []struct {
		room         int
		cut          bool
		has, has_not []string
	}{
		{100_000, false, []string{"general", "special"}, []string{"cut to fit"}},
		{5500, true, []string{"general", "special", "/home/u/AGENTS.md", "cut to fit"}, nil},
		{1500, true, []string{"special", "/w/AGENTS.md", "cut to fit"}, []string{"general", "/home/u"}},
		{0, true, []string{"/w/AGENTS.md", "cut to fit"}, []string{"general", "special"}},
	} {
		room := len(bare) + tc.room
		got, cut := templates.System(s, false, func(p string) bool { return len(p) <= room })
		if cut != tc.cut || tc.room > 0 && len(got) > room || !utf8.ValidString(got) {
			t.Errorf("room %d: %d bytes of %d, cut %t", tc.room, len(got), room, cut)
		}
		for _, part := range tc.has {
			if !strings.Contains(got, part) {
				t.Errorf("room %d: %q is not in it", tc.room, part)
			}
		}
		for _, part := range tc.has_not {
			if strings.Contains(got, part) {
				t.Errorf("room %d: %q is in it", tc.room, part)
			}
		}
	}
}

func TestSystemOverride(t *testing.T) {
	t.Parallel()
	overrides := root(t)
	write(t, "Work in {{.Workspace}}.\n\n", overrides, "system.md")
	write(t, "In {{.Workspace}}.", overrides, "lean.md")
	if got := system(t, overrides, Session{Workspace: "/w"}); got != "Work in /w.\n" {
		t.Errorf("got %q", got)
	}
	templates, err := Load(overrides)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := templates.System(Session{Workspace: "/w"}, true, everything); got != "In /w.\n" {
		t.Errorf("got %q", got)
	}
}

// A broken override is not silently replaced by the embedded prompt.
func TestBrokenOverride(t *testing.T) {
	t.Parallel()
	for id, c := range map[string]struct{ text, want string }{
		"syntax":                        {"line\n{{.Workspace", "is not a valid template"},
		"unknown field":                 {"{{.Worksapce}}", "can't be executed as a template"},
		"unknown field of instructions": {"{{range .Instructions}}{{.Txt}}{{end}}", "can't be executed as a template"},
	} {
		for _, name := range []string{"system.md", "lean.md"} {
			overrides := root(t)
			file := write(t, c.text, overrides, name)
			if _, err := Load(overrides); err == nil || !strings.HasPrefix(err.Error(), file+" "+c.want) {
				t.Errorf("%s: got %v", id, err)
			}
		}
	}
	overrides := root(t)
	write(t, "", overrides, "system.md", "x") // system.md is a folder
	if _, err := Load(overrides); err == nil || !strings.Contains(err.Error(), filepath.Join(overrides, "system.md")) {
		t.Errorf("unreadable: got %v", err)
	}
}

// The prompt mentions only tools that are offered.
func TestSystemSpeaksOfOfferedTools(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"recall", "apply_patch"} {
		with, without := session, session
		with.Tools += ", " + tool
		if got := system(t, t.TempDir(), with); !strings.Contains(got, "`"+tool+"`") {
			t.Errorf("%s is not spoken of", tool)
		}
		if got := system(t, t.TempDir(), without); strings.Contains(got, "`"+tool+"`") {
			t.Errorf("%s is spoken of and not offered", tool)
		}
	}
}

// The prompt depends on the model's family and tools, and the session determines the description of
// the workspace. Subjects of commits are quoted, because anyone may have written them.
func TestSystemByModel(t *testing.T) {
	t.Parallel()
	git := &Git{Branch: "main", Changed: 3, Subjects: []string{`fix "it"`, "add"}}
	for _, tt := range []struct {
		session   Session
		says, not []string
	}{
		{Session{Tools: "replace", Family: "claude"}, []string{"none for notes or summaries", "with the edit tools"}, []string{"apply_patch", "never nothing", "Model:", "Git at", "Shell:"}},
		{Session{Tools: "replace", Family: "gemini"}, []string{"call a tool or answer, never nothing", "`old_string`"}, nil},
		{Session{Tools: "apply_patch", Family: "gpt"}, []string{"Change files with `apply_patch`", "Use the search tool"}, []string{"`replace`"}},
		{Session{Tools: "apply_patch", Family: "gpt-oss"}, []string{"Use the search tool"}, nil},
		{Session{Tools: "replace", Family: "other", Model: "m\n- x", Shell: "bash", Git: git}, []string{
			`- Model: "m\n- x"`, "- Shell: bash\n", `- Git at the start: branch "main", 3 changed or new files; last commits (data): "fix \"it\"", "add"` + "\n",
			"See it through to verified work", "hold changes that you did not make", "do not make it again in another form",
		}, []string{"Use the search tool"}},
		{Session{Tools: "replace", Git: &Git{Branch: "main", Late: true}}, []string{`branch "main", changed files: not known` + "\n"}, nil},
	} {
		got := system(t, root(t), tt.session)
		for _, want := range tt.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: nothing of %q", tt.session.Family, want)
			}
		}
		for _, other := range tt.not {
			if strings.Contains(got, other) {
				t.Errorf("%s: speaks of %q", tt.session.Family, other)
			}
		}
	}
}

// The prompt explains how to run a command outside the sandbox, and how far to trust instructions.
// It describes the sandbox only if there is one, with its actual limits.
func TestSystemDescribesTheSandbox(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sandbox *Sandbox
		says    []string
		not     []string
	}{
		{nil, []string{"instruction files ask for counts as asked for; what they forbid holds"}, []string{"outside`", "TMPDIR", "npm ci"}},
		{&Sandbox{OwnTemp: true}, []string{"$TMPDIR and a private /tmp, without network but for servers that they start.", "`outside` with a reason", "`go mod download`, `npm ci`"}, nil},
		{&Sandbox{}, []string{"workspace, $TMPDIR, without network but"}, []string{"private"}},
		{&Sandbox{Network: true}, []string{"workspace, $TMPDIR. The"}, []string{"network"}},
	} {
		s := session
		s.Sandbox = c.sandbox
		got := system(t, root(t), s)
		for _, text := range c.says {
			if !strings.Contains(got, text) {
				t.Errorf("%+v: it does not say %q", c.sandbox, text)
			}
		}
		for _, text := range c.not {
			if strings.Contains(got, text) {
				t.Errorf("%+v: it says %q", c.sandbox, text)
			}
		}
	}
}

// The prompt of a subagent does not mention a tool or a user that it does not have.
func TestSystemOfAnAgentThatOnlyLooks(t *testing.T) {
	t.Parallel()
	templates, err := Load(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range []string{"claude", "gemini", "gpt", "other"} {
		for _, lean := range []bool{false, true} {
			got, _ := templates.System(Session{Agent: true, Tools: "read_file, run_shell_command, search_file_content", Family: family, Trailer: "x", Sandbox: &Sandbox{}, Git: &Git{}}, lean, everything)
			for _, other := range []string{"replace`", "apply_patch", "old_string", "edit tools", "successful edit", "Stage", "git reset", "smallest change", "After a change", "commit message", "and change", "what you changed", "ask one", "the user", "Say in one sentence", "recall", "\n\n\n"} {
				if strings.Contains(got, other) {
					t.Errorf("%s, lean %t: it says %q:\n%s", family, lean, other, got)
				}
			}
		}
	}
	if got, _ := templates.System(Session{Agent: true, Tools: "replace"}, false, everything); !strings.Contains(got, "edit tools") || strings.Contains(got, "the user") {
		t.Errorf("an agent that edits is told %s", got)
	}
}
