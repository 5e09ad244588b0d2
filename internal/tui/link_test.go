package tui

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/style"
)

// linkWorkspace creates a workspace with a file that has a long name.
func linkWorkspace(t *testing.T) string {
	root := t.TempDir()
	for _, name := range []string{"main.go", longName} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const longName = "internal/a_long_name_for_a_folder/and_a_file_that_is_not_short_test.go"

// linkScreenplay returns a screenplay in a terminal that supports links.
func linkScreenplay(t *testing.T, width int, links, term string) *screenplay {
	root := linkWorkspace(t)
	return newScreenplayFor(t, width, 30, func(o *Options) {
		o.Workspace, o.Environ = root, []string{"HOME=/home/u", "TERM=" + term, "COLORTERM=truecolor"}
		o.Settings = func() Settings { return Settings{Links: links} }
	})
}

var linkSequence = regexp.MustCompile("\x1b\\]8;([^;]*);([^\x1b]*)\x1b\\\\(.*?)\x1b\\]8;;\x1b\\\\")

// linksOf returns the text of each link on the rows by its address. Parts with the same id are one
// link. Its rows are joined without the text before them.
func linksOf(t *testing.T, rows []string) map[string]string {
	t.Helper()
	texts, ids := map[string]string{}, map[string]string{}
	for _, row := range rows {
		row = style.Seal(row)
		for _, m := range linkSequence.FindAllStringSubmatch(row, -1) {
			if id, other := ids[m[2]]; other && id != m[1] || m[1] == "" {
				t.Errorf("%s has the ids %q and %q", m[2], id, m[1])
			}
			ids[m[2]] = m[1]
			texts[m[2]] += ansi.Strip(m[3])
		}
		if left := linkSequence.ReplaceAllString(row, "$3"); strings.Contains(left, "\x1b]") {
			t.Errorf("a row has a sequence that is not closed: %q", row)
		}
	}
	return texts
}

const linkAnswer = "It fails at " + longName + ":12:3, called by `main.go:7`. See [the docs of the packages](https://example.com/docs/with/a/long/path?and=query), " +
	"[https://good.example](https://other.example/x), <https://plain.example/a>, [main](main.go#L3), [bad](javascript:alert) and nothing.go:1."

func (s *screenplay) reply(text string) {
	s.events(chat.TurnStarted{}, chat.TextDelta{Delta: text}, chat.ReplyEnded{Text: text}, chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopDone}})
}

// The shown file names are linked completely, at every width and after a resize.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 60, 100, 200} {
		s := linkScreenplay(t, width, "cursor", "xterm-256color")
		s.reply(linkAnswer)
		file := "cursor://file/" + strings.TrimPrefix(filepath.ToSlash(s.model.surface.workspace), "/") + "/"
		want := map[string]string{
			file + longName + ":12:3":                             longName + ":12:3",
			file + "main.go:7:1":                                  "main.go:7",
			file + "main.go:3:1":                                  "main (main.go#L3)",
			"https://example.com/docs/with/a/long/path?and=query": "the docs of the packages (example.com)",
			"https://other.example/x":                             "https://good.example (https://other.example/x)",
			"https://plain.example/a":                             "https://plain.example/a",
		}
		check := func(when string) {
			t.Helper()
			got := linksOf(t, s.printed)
			for address, text := range want {
				if strings.ReplaceAll(got[address], " ", "") != strings.ReplaceAll(text, " ", "") {
					t.Errorf("%d columns, %s: %s has the text %q, want %q", width, when, address, got[address], text)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d columns, %s: links to %v", width, when, got)
			}
			for _, row := range s.printed {
				if w := style.Width(row); w > width {
					t.Errorf("%d columns, %s: a row of %d: %q", width, when, w, row)
				}
			}
			plain := strings.Join(strings.Fields(ansi.Strip(strings.Join(s.printed, " "))), "")
			for _, text := range []string{longName + ":12:3", "bad(javascript:alert)", "nothing.go:1."} {
				if !strings.Contains(plain, text) {
					t.Errorf("%d columns, %s: %q is not shown in %s", width, when, text, plain)
				}
			}
		}
		check("at first")
		s.update(resizedMsg{width: width + 13, height: 30, painted: 9})
		s.wait(settleTime)
		width += 13
		check("wider")
	}
}

// Tools have links to files that they read and edited, to files in errors, and to files in the
// output of commands.
func TestLinksOfTools(t *testing.T) {
	t.Parallel()
	s, one := linkScreenplay(t, 100, "auto", "xterm-kitty"), 1
	s.events(chat.TurnStarted{},
		chat.ToolEnded{Name: "read_file", Traits: reading, Label: labelOf("read_file main.go"), Answer: tools.Answer{Text: "x"}},
		chat.ToolEnded{Name: "replace", Label: labelOf("replace " + longName), Answer: tools.Answer{Error: "main.go:4 has changed"}},
		chat.ToolEnded{Name: "run_shell_command", Label: labelOf("run_shell_command go vet"), Answer: tools.Answer{Text: "./main.go:9:2: undefined: x\n", ExitCode: &one}},
		chat.Notice{Text: "main.go:11 is odd"})
	got := linksOf(t, s.printed)
	var texts []string
	for address, text := range got {
		if !strings.HasPrefix(address, "file://") {
			t.Errorf("the address %s", address)
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	if want := []string{"./main.go:9:2", longName, "main.go", "main.go:11", "main.go:4"}; !slices.Equal(texts, want) {
		t.Errorf("links %q, want %q", texts, want)
	}
}

// A terminal that does not support links, or an unknown terminal, receives no link.
func TestLinksOnlyInSupportedTerminals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ links, term string }{{"off", "xterm-kitty"}, {"auto", "xterm-256color"}, {"vscode", "screen"}, {"vscode", "linux"}} {
		s := linkScreenplay(t, 60, tt.links, tt.term)
		s.reply(linkAnswer)
		if all := s.all(); strings.Contains(all, "\x1b]") || !strings.Contains(strings.Join(strings.Fields(ansi.Strip(all)), ""), "(https://example.com/docs/with/a/long/path?and=query)") {
			t.Errorf("%s in %s:\n%q", tt.links, tt.term, all)
		}
	}
}

// A model, a file or a command cannot create a link whose text differs from its target.
func TestForeignLinksAreNone(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]8;;https://evil.example\x1b\\https://good.example\x1b]8;;\x1b\\"
	s, zero := linkScreenplay(t, 100, "auto", "xterm-kitty"), 0
	s.reply("A " + evil + " and [x](https://e.example/\x1b]8;;https://evil.example\x07) and [y](<https://a.example/\u202e>) and [z](data:text/html,x)")
	s.events(chat.TurnStarted{}, chat.ToolEnded{Name: "run_shell_command", Label: labelOf("run_shell_command " + evil), Answer: tools.Answer{Text: evil, ExitCode: &zero}})
	for address, text := range linksOf(t, s.printed) {
		if strings.Contains(address, "evil") || address != "https://good.example" && address != "https://e.example/" {
			t.Errorf("%q leads to %q", text, address)
		}
	}
	for _, row := range s.printed {
		if raw := style.Seal(row); strings.Contains(raw, "evil.example\x1b\\h") {
			t.Errorf("the terminal gets %q", raw)
		}
	}
}

// A change of the setting with /set ui.links takes effect in the next row.
func TestLinksFollowTheSetting(t *testing.T) {
	t.Parallel()
	links := "off"
	s := newScreenplayFor(t, 60, 30, func(o *Options) {
		o.Workspace, o.Environ = linkWorkspace(t), []string{"TERM=xterm-kitty"}
		o.Settings = func() Settings { return Settings{Links: links} }
	})
	s.reply("main.go:1")
	links = "auto"
	s.typed("/help")
	s.press("enter")
	s.reply("main.go:2")
	if got := linksOf(t, s.printed); len(got) != 1 {
		t.Errorf("links: %v", got)
	}
}

// If a row is cut within a link, the link is closed, and the row is within its width.
func TestCutLinksAreClosed(t *testing.T) {
	t.Parallel()
	s := linkScreenplay(t, 60, "cursor", "xterm-256color")
	row := s.model.surface.theme.LinkText("日本 see main.go:12 and https://example.com/path there", s.model.surface.theme.Dim).String()
	for width := range style.Width(row) + 1 {
		cut := style.Truncate(row, width)
		if w := style.Width(cut); w > width {
			t.Errorf("%d columns: %d wide", width, w)
		}
		if sealed := style.Seal(cut); sealed != cut || strings.Count(cut, "\x1b]8;id=") != strings.Count(cut, "\x1b]8;;\x1b\\") {
			t.Errorf("%d columns: %q", width, cut)
		}
	}
}
