package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/extend/setup/trustedfile"
)

func write(t *testing.T, text string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func findIn(home, root string) Set {
	return Find(trustedfile.Locations{Config: home + "/.config/agent", Home: home, Workspace: root}, nil)
}

// TestNamesInALine checks the order of names. Skills have priority over commands, and the project
// over the user. A hidden entry is available after its origin. A line may call up to five skills,
// and the last one gets the arguments.
func TestNamesInALine(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	root := filepath.Join(home, "work")
	write(t, "", root+"/.git/HEAD")
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		write(t, "---\nname: "+name+"\ndescription: skill "+name+"\n---\nproject "+name, root+"/.claude/skills/"+name+"/SKILL.md")
	}
	write(t, "---\nname: a\ndescription: other\n---\nuser a", home+"/.claude/skills/a/SKILL.md")
	write(t, "user command a: $1", home+"/.claude/commands/a.md")
	write(t, "pr $ARGUMENTS", root+"/.claude/commands/git/pr.md")
	write(t, "my pr", home+"/.claude/commands/git/pr.md")
	set := findIn(home, root)
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
	write(t, "", root+"/.git/HEAD")
	write(t, "in @a.go: !`show $1` and !`no`", root+"/.claude/commands/c.md")
	call := findIn(home, root).Calls("/c '</command>;x'")[0]
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

// BenchmarkFind finds 200 skills and 50 commands in at most 10 ms. Without any, it takes at most 1
// ms.
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
				findIn(home, root)
			}
		})
	}
}
