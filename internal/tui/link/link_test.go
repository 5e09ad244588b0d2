package link

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/testing/require"
)

func environ(pairs ...string) func(string) string {
	return func(key string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1]
			}
		}
		return ""
	}
}

var kitty = environ("TERM", "xterm-kitty")

// workspace returns a folder with some files, and some targets that must not be linked.
func workspace(t *testing.T) string {
	root := t.TempDir()
	for name, mode := range map[string]os.FileMode{"main.go": 0o644, "src/a_test.go": 0o644, "src/é.md": 0o644, "run.sh": 0o755, "Start.command": 0o644, "x.Desktop": 0o644} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	return root
}

// open returns the Links of a workspace, and closes its folder after the test.
func open(t testing.TB, setting string, env func(string) string, root string, now func() time.Time) *Links {
	l := New(setting, env, root, now)
	if l != nil {
		t.Cleanup(func() { _ = l.folder.Close() })
	}
	return l
}

func TestTakesLinks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		env  []string
		want taken
	}{
		{"nothing known", []string{"TERM", "xterm-256color"}, unknown},
		{"kitty", []string{"TERM", "xterm-kitty"}, known},
		{"iTerm", []string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app"}, known},
		{"VS Code", []string{"TERM", "xterm-256color", "TERM_PROGRAM", "vscode"}, known},
		{"GNOME", []string{"TERM", "xterm-256color", "VTE_VERSION", "6003"}, known},
		{"an old GNOME", []string{"TERM", "xterm-256color", "VTE_VERSION", "4205"}, unknown},
		{"Windows Terminal", []string{"TERM", "xterm-256color", "WT_SESSION", "1"}, known},
		{"Windows Terminal itself", []string{"WT_SESSION", "1"}, known},
		{"Terminal.app", []string{"TERM", "xterm-256color", "TERM_PROGRAM", "Apple_Terminal"}, never},
		{"dumb", []string{"TERM", "dumb", "TERM_PROGRAM", "iTerm.app"}, never},
		{"the console", []string{"TERM", "linux"}, never},
		{"no TERM", []string{"TERM_PROGRAM", "iTerm.app"}, never},
		{"tmux 3.3 in kitty", []string{"TERM", "tmux-256color", "TMUX", "x", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "3.3a", "KITTY_WINDOW_ID", "1"}, never},
		{"tmux 3.4", []string{"TERM", "tmux-256color", "TMUX", "x", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "3.4"}, known},
		{"tmux next", []string{"TERM", "tmux-256color", "TMUX", "x", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "next-3.6"}, known},
		{"an old tmux", []string{"TERM", "screen", "TMUX", "x"}, never},
		{"screen", []string{"TERM", "screen.xterm-256color", "STY", "x", "VTE_VERSION", "6003"}, never},
		{"Emacs", []string{"TERM", "eterm-color", "INSIDE_EMACS", "x"}, never},
	} {
		if got := takesLinks(environ(tt.env...)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// targetOf returns the target of a text that is a single link, or "".
func targetOf(l *Links, text string) string {
	if places := l.FindLinks(text); len(places) == 1 {
		return places[0].Target.url
	}
	return ""
}

// A megabyte of possible file names does not cause a file lookup for each of them.
func TestLooksAreBounded(t *testing.T) {
	t.Parallel()
	l := open(t, "vscode", kitty, workspace(t), time.Now)
	var text strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&text, "n%d.go ", i)
	}
	l.FindLinks(text.String())
	if len(l.looked) != maxCheckedFiles {
		t.Errorf("%d files were looked for", len(l.looked))
	}
	if targetOf(l, "main.go") == "" {
		t.Error("the next text has no links")
	}
	if places := l.FindLinks("main.go" + strings.Repeat(" ", longText)); len(places) > 0 {
		t.Errorf("a long text has the links %v", places)
	}
}

func TestSetting(t *testing.T) {
	t.Parallel()
	root := workspace(t)
	slashed := filepath.ToSlash(root)
	rooted := "/" + strings.TrimPrefix(slashed, "/")
	plain := environ("TERM", "xterm-256color")
	for _, tt := range []struct {
		name, setting string
		env           func(string) string
		want          string
	}{
		{"off", Off, kitty, ""},
		{"auto, terminal not known", Auto, plain, ""},
		{"by name, terminal not known", "vscode", plain, "vscode://file" + rooted + "/main.go:3:1"},
		{"by name, terminal never", "vscode", environ("TERM", "dumb"), ""},
		{"auto, Cursor", Auto, environ("TERM", "xterm", "TERM_PROGRAM", "vscode", "CURSOR_TRACE_ID", "1"), "cursor://file" + rooted + "/main.go:3:1"},
		{"auto, Zed", Auto, environ("TERM", "xterm", "TERM_PROGRAM", "zed"), "zed://file" + rooted + "/main.go:3:1"},
		{"IDEA", "idea", kitty, "idea://open?file=" + url.QueryEscape(slashed) + "%2Fmain.go&line=3"},
	} {
		var got string
		if l := open(t, tt.setting, tt.env, root, time.Now); l != nil {
			got = targetOf(l, "main.go:3")
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	host, _ := os.Hostname()
	if filepath.Separator != '/' {
		host = ""
	}
	for env, want := range map[string]string{"xterm-kitty": "#3", "foot": ""} {
		if got := targetOf(open(t, Auto, environ("TERM", env), root, time.Now), "main.go:3"); got != "file://"+host+rooted+"/main.go"+want {
			t.Errorf("%s: %q", env, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	root := workspace(t)
	l := open(t, "vscode", kitty, root, time.Now)
	long := "https://example.com/" + strings.Repeat("x", longest)
	for text, want := range map[string]string{
		"see main.go:12, and src/a_test.go:3:7.":          "main.go:12 src/a_test.go:3:7",
		"(main.go)":                                       "main.go",
		"./main.go:12:5: undefined: x":                    "./main.go:12:5",
		"src/a_test.go:12:	code":                          "src/a_test.go:12",
		"main.go:12:code":                                 "main.go:12",
		"src/é.md#L4 is it":                               "src/é.md#L4",
		"main.go:12-20":                                   "main.go:12",
		root + "/main.go:1":                               root + "/main.go:1",
		"mainXgo:12 or other.go:3":                        "",
		"/etc/passwd:1 ../x out/passwd:1 /etc/hosts":      "",
		"src/ src out e.g. . .. / a/b":                    "",
		"https://example.com/a_(b), then.":                "https://example.com/a_(b)",
		"(see https://example.com/a?b=c#d).":              "https://example.com/a?b=c#d",
		"https://user@evil.example https://a:b@c.example": "",
		"javascript:alert(1) data:text/html,x file:///etc/passwd ftp://x.example": "",
		"https://ex\u0430mple.com/ http:// https:///x":                            "",
		"https://example.com/\x1b]8;;x\x1b\\":                                     "",
		long:                                                                      "",
		"`main.go`:12 \"src/a_test.go\"":                                          "main.go src/a_test.go",
	} {
		var got []string
		for _, p := range l.FindLinks(text) {
			got = append(got, text[p.From:p.To])
			if around := p.Target.Link("x"); SequenceLength(around) == 0 || strings.Count(around, "\x1b") != 4 {
				t.Errorf("%q: the sequence is %q", text, around)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var none *Links
	if got := none.FindLinks("main.go:12"); got != nil {
		t.Errorf("no links: %v", got)
	}
}

// An executable file is not linked with the file scheme, because a desktop would run it. An editor
// can open it.
func TestFileSchemeRunsNothing(t *testing.T) {
	t.Parallel()
	root := workspace(t)
	shown := 1
	if !require.Unix {
		shown = 2 // run.sh is not executable on Windows
	}
	for setting, want := range map[string]int{"file": shown, "cursor": 4} {
		l := open(t, setting, kitty, root, time.Now)
		if got := len(l.FindLinks("main.go run.sh:1 Start.command x.Desktop")); got != want {
			t.Errorf("%s: %d links, want %d", setting, got, want)
		}
	}
}

// A file that is created later is linked later, but not every frame looks it up.
func TestLooksAgain(t *testing.T) {
	t.Parallel()
	root, now := workspace(t), time.Now()
	l := open(t, "vscode", kitty, root, func() time.Time { return now })
	there := func() bool { return len(l.FindLinks("new.go")) > 0 }
	if there() {
		t.Fatal("it is there")
	}
	if err := os.WriteFile(filepath.Join(root, "new.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if there() {
		t.Error("it was looked for again at once")
	}
	if now = now.Add(again); !there() {
		t.Error("it is not found later")
	}
}

func TestLengthKnowsOnlyOurs(t *testing.T) {
	t.Parallel()
	ours := target("https://example.com/").Link("text")
	if n := SequenceLength(ours); ours[n:] != "text"+closes {
		t.Errorf("Length(%q) = %d", ours, n)
	}
	for _, foreign := range []string{
		"\x1b]8;;https://example.com/\x1b\\text", "\x1b]8;id=1;https://example.com/\x1b\\", "\x1b]8;" + name("https://example.com/") + ";https://evil.example/\x1b\\",
		"\x1b]8;id=1;\x1b\\", "\x1b]8;;", "\x1b]0;title\x1b\\", "\x1b]8;;\a", "x",
	} {
		if n := SequenceLength(foreign); n != 0 {
			t.Errorf("Length(%q) = %d", foreign, n)
		}
	}
}

func FuzzPlaces(f *testing.F) {
	f.Add("main.go:12:5 https://example.com/(x) src/\x1b]8;;")
	root := f.TempDir()
	if err := os.WriteFile(filepath.Join(root, "main.go"), nil, 0o644); err != nil {
		f.Fatal(err)
	}
	l := open(f, "file", kitty, root, time.Now)
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, p := range l.FindLinks(text) {
			if p.From < at || p.To <= p.From || p.To > len(text) {
				t.Fatalf("%q: %+v", text, p)
			}
			at = p.To
			url := p.Target.url
			if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "file://") || len(url) > longest || strings.ContainsFunc(url, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
				t.Fatalf("%q leads to %q", text, url)
			}
		}
	})
}
