package plugins

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/setup/source"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// A commit is fetched by its whole id, a part of it, or a name; nothing of the repository runs, and
// no link leads out of the folder.
func TestFetchAndTake(t *testing.T) {
	t.Parallel()
	repository := t.TempDir()
	git(t, repository, "init", "-q", "-b", "main")
	write(t, repository, map[string]string{manifestFile: `{"name": "p"}`, "skills/a/SKILL.md": "one", ".gitattributes": "* filter=evil"})
	if err := os.Symlink("/etc/passwd", filepath.Join(repository, "link")); err != nil {
		t.Fatal(err)
	}
	git(t, repository, "add", "-A")
	git(t, repository, "commit", "-qm", "one")
	first := git(t, repository, "rev-parse", "HEAD")
	git(t, repository, "tag", "one")
	write(t, repository, map[string]string{"skills/a/SKILL.md": "two", "new.bin": "\x00"})
	git(t, repository, "add", "-A")
	git(t, repository, "commit", "-qm", "two")
	store := Store{t.TempDir()}
	for _, commit := range []string{first, first[:9], "one"} {
		fetched, err := Fetch(t.Context(), os.Environ(), repository, commit)
		if err != nil || fetched.Commit != first {
			t.Fatalf("%s: %+v, %v", commit, fetched, err)
		}
		defer fetched.Close()
		p := Plugin{Name: "p", Repository: repository, Commit: fetched.Commit}
		if err := store.Take(fetched, p); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(filepath.Join(store.Dir(p), "link")); err != nil || !info.Mode().IsRegular() {
			t.Errorf("the link is %v, %v", info, err)
		}
		if err := store.Put(p); err != nil {
			t.Fatal(err)
		}
	}
	old, err := store.Named("p")
	if err != nil {
		t.Fatal(err)
	}
	newest, err := Fetch(t.Context(), os.Environ(), repository, "")
	if err != nil {
		t.Fatal(err)
	}
	defer newest.Close()
	now := old
	now.Commit = newest.Commit
	if err := store.Take(newest, now); err != nil {
		t.Fatal(err)
	}
	difference, err := Difference(store.Dir(old), store.Dir(now))
	if want := "binary: /dev/null and b/new.bin differ\n--- a/skills/a/SKILL.md\n+++ b/skills/a/SKILL.md\n@@ -1,1 +1,1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n"; err != nil || difference != want {
		t.Errorf("%s, %v", difference, err)
	}
	if err := store.Put(now); err != nil {
		t.Fatal(err)
	}
	if all, err := store.List(); err != nil || len(all) != 1 || all[0].Commit != newest.Commit {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := os.Stat(store.Dir(old)); err == nil {
		t.Error("the old commit stays")
	}
	git(t, repository, "branch", first[:8], "main")
	for _, wrong := range [][2]string{{repository, first[:8]}, {"--upload-pack=x", ""}, {repository, "-x"}, {repository, "no-such"}, {"ext::sh -c true", ""}} {
		if _, err := Fetch(t.Context(), os.Environ(), wrong[0], wrong[1]); err == nil {
			t.Errorf("%q is fetched", wrong)
		}
	}
}

func TestSplitCommit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"owner/name":                 {"owner/name", ""},
		"owner/name@v1":              {"owner/name", "v1"},
		"git@example.com:a/b.git":    {"git@example.com:a/b.git", ""},
		"git@example.com:a/b.git@v1": {"git@example.com:a/b.git", "v1"},
		"https://x@y/z":              {"https://x@y/z", ""},
		"name@v1":                    {"name", "v1"},
	} {
		if repository, commit := SplitCommit(text); repository != want[0] || commit != want[1] {
			t.Errorf("%s is %s at %s", text, repository, commit)
		}
	}
	if got := address("owner/name"); got != "https://github.com/owner/name.git" {
		t.Error(got)
	}
}

// A manifest names further places, inside of the plugin only.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{manifestFile: `{"name": "p", "version": "1", "skills": "./more", "commands": ["./c", "../out", "/etc"], "hooks": "./h.json", "mcpServers": {"s": {"command": "x"}}}`})
	p, where, err := Read(dir, "")
	in := func(names ...string) (all []string) {
		for _, name := range names {
			all = append(all, filepath.Join(dir, name))
		}
		return all
	}
	if err != nil || p.Version != "1" || !slices.Equal(where.Skills, in("skills", "more")) || !slices.Equal(where.Commands, in("commands", "c")) ||
		!slices.Equal(where.Hooks, in("hooks/hooks.json", "h.json")) || !slices.Equal(where.Servers, in(".mcp.json", manifestFile)) {
		t.Errorf("%+v %+v %v", p, where, err)
	}
	if want := []string{"../out of " + manifestFile + " leads out of the plugin", "/etc of " + manifestFile + " leads out of the plugin"}; !slices.Equal(where.Skipped, want) {
		t.Errorf("left out: %q", where.Skipped)
	}
	for text, want := range map[string]string{`{"name": "../x"}`: "its name", `{`: "unexpected end", `{"name": "P Q"}`: "its name"} {
		write(t, dir, map[string]string{manifestFile: text})
		if _, _, err := Read(dir, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, _, err := Read(t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "has no") {
		t.Error(err)
	}
	if _, _, err := Read(filepath.Join(dir, "gone"), "p"); err == nil || !strings.Contains(err.Error(), "add it again") {
		t.Error(err)
	}
}

// ${CLAUDE_PLUGIN_ROOT} stands for the folder of the plugin in its own files, and in no others.
func TestRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "run ${CLAUDE_PLUGIN_ROOT}/x"})
	text, err := source.Plugin{Dir: dir}.Place("").Read(filepath.Join(dir, "f"), 1000)
	if err != nil || text.Text != "run "+filepath.ToSlash(dir)+"/x" {
		t.Errorf("%q, %v", text.Text, err)
	}
	if text, err := (source.Place{Root: dir}).Read(filepath.Join(dir, "f"), 1000); err != nil || !strings.Contains(text.Text, "${") {
		t.Errorf("%q, %v", text.Text, err)
	}
}
