package prompts

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// write makes a file with its folders.
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

// root is a folder that only its owner writes to, as homes are.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// everything fits.
func everything(string) bool { return true }

// system is the usual prompt with the templates of overrides.
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
- Tools: read_file, replace

# Instructions from /home/u/AGENTS.md

Be {{.Brief}}.

# Instructions from /w/AGENTS.md

Use <tabs> & spaces.
`
	if !strings.HasPrefix(got, "You are `agent`") || !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s", got)
	}
	if plain := system(t, root(t), Session{Tools: "read_file"}); !strings.HasSuffix(plain, "- Tools: read_file\n") {
		t.Errorf("without instructions: %q", plain)
	}
}

// The prompt of a small window says the same in a third of the words.
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
	if cut || 2*len(lean) > len(usual) || !strings.Contains(lean, "/w (linux/amd64, 2025-01-31)") || !strings.Contains(lean, "read_file, replace") {
		t.Errorf("%d bytes of %d:\n%s", len(lean), len(usual), lean)
	}
	if with, _ := templates.System(session, true, everything); !strings.HasSuffix(with, "# Instructions from /w/AGENTS.md\n\nUse <tabs> & spaces.\n") {
		t.Errorf("instructions: %s", with)
	}
}

// Instructions are cut to what fits, the most general first; what is cut says so.
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
		"unknown field":                 {"{{.Worksapce}}", "cannot be filled in"},
		"unknown field of instructions": {"{{range .Instructions}}{{.Txt}}{{end}}", "cannot be filled in"},
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

func TestInstructionsOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id        string
		files     []string // folders with an AGENTS.md; a trailing .git makes a repository
		config    string
		workspace string
		want      []string
	}{
		{"none", nil, "config", "home/w", nil},
		{"the user's own first, then downwards", []string{"config", "home", "home/r", "home/r/.git", "home/r/a", "home/r/a/b"}, "config", "home/r/a/b", []string{"config", "home/r", "home/r/a", "home/r/a/b"}},
		{"without a repository from home", []string{"home", "home/a", "outside"}, "config", "home/a", []string{"home", "home/a"}},
		{"not below the workspace", []string{"home/a", "home/a/b"}, "config", "home/a", []string{"home/a"}},
		{"not beside the workspace", []string{"home/a", "home/b"}, "config", "home/a", []string{"home/a"}},
		{"home itself", []string{"home", "."}, "config", "home", []string{"home"}},
		{"the configuration folder itself", []string{"home", "home/config"}, "home/config", "home/config", []string{"home/config", "home"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			top := root(t)
			for _, dir := range c.files {
				write(t, " from "+dir+"\n\n", top, dir, instructionsFile)
			}
			if err := os.MkdirAll(filepath.Join(top, c.workspace), 0o700); err != nil {
				t.Fatal(err)
			}
			found, err := Instructions(filepath.Join(top, c.config), filepath.Join(top, "home"), filepath.Join(top, c.workspace))
			if len(err) > 0 {
				t.Fatal(err)
			}
			var want []Instruction
			for _, dir := range c.want {
				want = append(want, Instruction{filepath.Join(top, dir, instructionsFile), "from " + dir})
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Outside of home and of a repository, and below a folder for everybody, only the
// workspace itself instructs the model.
func TestInstructionsOfStrangers(t *testing.T) {
	t.Parallel()
	top := root(t)
	shared := filepath.Join(top, "shared")
	own := write(t, "mine", shared, "w", "deep", instructionsFile)
	write(t, "a trap", shared, instructionsFile)
	write(t, "a trap", shared, ".git", "HEAD")
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	for id, home := range map[string]string{"home elsewhere": filepath.Join(top, "home"), "no home": ""} {
		found, err := Instructions(filepath.Join(top, "config"), home, filepath.Dir(own))
		if len(err) > 0 {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Instruction{{own, "mine"}}, found); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestInstructionsAreCut(t *testing.T) {
	t.Parallel()
	const note = "\n(cut: the file is longer than 64 KiB)"
	for id, c := range map[string]struct{ give, want string }{
		"at the bound":    {strings.Repeat("x", maxInstructions), strings.Repeat("x", maxInstructions)},
		"one more":        {strings.Repeat("x", maxInstructions+1), strings.Repeat("x", maxInstructions) + note},
		"within a letter": {"x" + strings.Repeat("ä", maxInstructions), "x" + strings.Repeat("ä", maxInstructions/2-1) + note},
		"not UTF-8":       {"a\xffb", "ab"},
		"blank":           {" \n\t\n", ""},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			top := root(t)
			write(t, c.give, top, instructionsFile)
			found, err := Instructions(filepath.Join(top, "config"), top, top)
			if len(err) > 0 {
				t.Fatal(err)
			}
			got := ""
			for _, i := range found {
				got += i.Text
			}
			if got != c.want || !utf8.ValidString(got) {
				t.Errorf("%d bytes, want %d; ends with %q", len(got), len(c.want), got[max(0, len(got)-60):])
			}
		})
	}
}

func TestInstructionsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for id, make := range map[string]func(file string) error{
		"folder": func(file string) error { return os.Mkdir(file, 0o700) },
		"pipe":   func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"loop":   func(file string) error { return os.Symlink(file, file) },
	} {
		top := root(t)
		file := filepath.Join(top, instructionsFile)
		if err := make(file); err != nil {
			t.Fatal(err)
		}
		write(t, "mine", top, "config", instructionsFile)
		found, problems := Instructions(filepath.Join(top, "config"), top, top)
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), file) || len(found) != 1 {
			t.Errorf("%s: got %v, %v", id, found, problems)
		}
	}
}

// The prompt speaks only of tools that are offered.
func TestSystemSpeaksOfOfferedTools(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"recall", "todo_write", "web_fetch"} {
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
