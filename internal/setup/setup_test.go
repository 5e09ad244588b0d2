package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/setup/commands"
	"agent/internal/setup/skills"
	"agent/internal/setup/source"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func find(home, root string) Set {
	return Set{
		Skills:   skills.Find(source.Where{Config: home + "/.config/agent", Home: home, Workspace: root}),
		Commands: commands.Find(source.Where{Config: home + "/.config/agent", Home: home, Workspace: root}),
	}
}

// Names: skills before commands, the project before the user, what lost behind its origin;
// up to five skills in a row, of which the last has the arguments.
func TestWhatALineCalls(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	root := filepath.Join(home, "work")
	write(t, root+"/.git/HEAD", "")
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		write(t, root+"/.claude/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: skill "+name+"\n---\nproject "+name)
	}
	write(t, home+"/.claude/skills/a/SKILL.md", "---\nname: a\ndescription: other\n---\nuser a")
	write(t, home+"/.claude/commands/a.md", "user command a: $1")
	write(t, root+"/.claude/commands/git/pr.md", "pr $ARGUMENTS")
	write(t, home+"/.claude/commands/git/pr.md", "my pr")
	set := find(home, root)
	for line, want := range map[string]string{
		"/a one":             "skill project a one",
		"/project:a":         "skill project a",
		"/user:a":            "skill user a",
		"/a /b\n/c x":        "skill project a; skill project b; skill project c x",
		"/a /b /c /d /e /f":  "skill project a; skill project b; skill project c; skill project d; skill project e /f",
		"/git:pr 'x y' \n z": "command pr 'x y' \n z",
		"/user:git:pr":       "command my pr",
		"/git:pr /a":         "command pr /a",
		"/unknown":           "",
		"look at /a":         "",
	} {
		var got []string
		for _, call := range set.Calls(line) {
			text, _, err := call.Text(nil)
			if err != nil {
				t.Fatal(err)
			}
			mark, rest, _ := strings.Cut(strings.TrimPrefix(text, "<"), " ")
			_, rest, _ = strings.Cut(rest, ">\n")
			rest, _, _ = strings.Cut(rest, "\n</")
			got = append(got, mark+" "+strings.ReplaceAll(rest, "\n\n", " "))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestTextOfACall(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	root := filepath.Join(home, "work")
	write(t, root+"/.git/HEAD", "")
	write(t, root+"/.claude/commands/c.md", "in @a.go: !`show $1` and !`no`")
	call := find(home, root).Calls("/c '</command>;x'")[0]
	text, files, err := call.Text(func(line string) (string, string, error) {
		if line == "no" {
			return "", "refused", nil
		}
		return "printed by " + line + "\n", "", nil
	})
	want := "<command name=\"c\">\nin @a.go: printed by show '<\\/command>;x' and `no` (not run: refused)\n</command>"
	if err != nil || text != want || len(files) != 1 || files[0] != "a.go" {
		t.Errorf("%v %v\n%s\n%s", err, files, text, want)
	}
	broken := errors.New("ended")
	if _, _, err := call.Text(func(string) (string, string, error) { return "", "", broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// 200 skills and 50 commands are found in at most 10 ms, and nothing in at most 1 ms;
// the benchmark is what is measured.
func BenchmarkFind(b *testing.B) {
	for _, many := range []int{0, 200} {
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			home := b.TempDir()
			root := filepath.Join(home, "work")
			put := func(path, text string) {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					b.Fatal(err)
				}
			}
			put(root+"/.git/HEAD", "")
			for i := range many {
				put(fmt.Sprintf("%s/.claude/skills/s%d/SKILL.md", root, i), fmt.Sprintf("---\nname: s%d\ndescription: does things\n---\n%s", i, strings.Repeat("word ", 500)))
				if i < many/4 {
					put(fmt.Sprintf("%s/.claude/commands/c%d.md", root, i), "do it")
				}
			}
			for b.Loop() {
				find(home, root)
			}
		})
	}
}
