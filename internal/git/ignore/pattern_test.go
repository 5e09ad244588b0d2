package ignore

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"agent/internal/sandbox"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A walk excludes the same files as git, for any ignore patterns.
func TestPatternsAreGits(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a": "", "b.log": "", "ab": "", "x y ": "", "#c": "", "!d": "", "{a}": "", "a,b": "", "[": "", `back\slash`: "",
		"sub/a": "", "sub/b.log": "", "sub/deep/a": "", "sub/deep/ab": "", "sub/deep/b.log": "", "sub/{a}": "",
		"other/sub/a": "", "other/b": "", "other/deep/er/a": "", "deep/b.log": "", "a.d/a": "", "a.d/b": "",
	}
	root := t.TempDir()
	write(t, root, files)
	runGit(t, root, "init", "-q")
	top, err := openFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	defer top.close()
	words := rapid.SampledFrom([]string{
		"a", "b", "ab", "*", "**", "**/", "/**", "/", "/", "?", "!", "#", "\\", "\\#", "\\!", " ", "\\ ", "[ab]", "[!a]", "[^b]", "[a-c]", "[", "]", "{a}", "{a,b}", "a,b",
		"*.log", "sub", "sub/", "deep", "/deep", "other", "er", ".d", "\\\\", "x y ", "\r", "\t",
	})
	line := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(words, 1, 4).Draw(t, "words"), "") })
	// Git matches a**/b with a/b and ab, which contradicts its documentation.
	line = line.Filter(func(line string) bool {
		names := strings.Split(strings.TrimPrefix(line, "!"), "/")
		return !slices.ContainsFunc(names, func(name string) bool { return name != "**" && strings.Contains(name, "**") })
	})
	lines := rapid.Map(rapid.SliceOfN(line, 0, 4), func(lines []string) string { return strings.Join(lines, "\n") })
	for i := range 100 { // a fixed sequence: git has quirks that no user relies on
		above, below := lines.Example(2*i), lines.Example(2*i+1)
		write(t, root, map[string]string{".gitignore": above, "sub/.gitignore": below})
		if diff := cmp.Diff(listedByGit(t, root), slices.Sorted(slices.Values(walkedFiles(t.Context(), top, ".")))); diff != "" {
			t.Errorf("with the patterns\n%q\nand in sub\n%q\n(-git +walk):\n%s", above, below, diff)
		}
	}
}

func listedByGit(t *testing.T, root string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "--others", "--exclude-standard", "-z")
	cmd.Env = append(sandbox.PlainEnviron(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	return slices.Sorted(slices.Values(slices.DeleteFunc(files, func(f string) bool { return f == "" })))
}

func TestKept(t *testing.T) {
	t.Parallel()
	kept := Matcher("private/\n*.key\n!open.key\nold***\n")
	for file, want := range map[string]bool{"private/a/b": true, "a/private/b": true, "private": false, "a.key": true, "x/open.key": false, "private/open.key": true, "a.go": false, "old": true, "x/older": true} {
		if got := kept(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

// A class that excludes characters does not match a slash, in either form.
func TestClassesMatchNoSlash(t *testing.T) {
	t.Parallel()
	kept := Matcher("a[!b]c\nd[^e]f\n[[!g]h\n")
	for file, want := range map[string]bool{"axc": true, "abc": false, "a/c": false, "dxf": true, "d/f": false, "!h": true, "[h": true} {
		if kept(file) != want {
			t.Errorf("%s is kept: %v", file, !want)
		}
	}
}

// A backslash protects one space at the end of a line, unless another backslash escapes it.
func TestSpacesAtTheEndOfALine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{`a  `: `a`, `a\  `: `a\ `, `a\\  `: `a\\`, `a\\\  `: `a\\\ `, `a\`: `a\`, ` a`: ` a`} {
		if got := trimSpaces(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
