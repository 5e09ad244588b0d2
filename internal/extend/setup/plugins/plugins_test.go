package plugins

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/extend/setup/trustedfile"
	"agent/internal/testing/require"
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

// fetched fetches a commit and writes all its files.
func fetched(t *testing.T, repository, commit string, environ ...string) (FetchedCommit, []string) {
	t.Helper()
	f, err := Fetch(t.Context(), append(os.Environ(), environ...), repository, commit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	leftOut, err := f.Write(t.Context(), "", f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return f, leftOut
}

// commit commits all files of a repository and returns the ID.
func commit(t *testing.T, repository string) string {
	t.Helper()
	git(t, repository, "add", "-A")
	git(t, repository, "commit", "-qm", "a")
	return git(t, repository, "rev-parse", "HEAD")
}

// A commit can be fetched by its full ID, a prefix of it, or a name.
func TestFetchAndTake(t *testing.T) {
	t.Parallel()
	repository := t.TempDir()
	git(t, repository, "init", "-q", "-b", "main")
	write(t, repository, map[string]string{manifestFile: `{"name": "p"}`, "skills/a/SKILL.md": "one"})
	first := commit(t, repository)
	git(t, repository, "tag", "one")
	write(t, repository, map[string]string{"skills/a/SKILL.md": "two", "new.bin": "\x00"})
	commit(t, repository)
	store := Store{t.TempDir()}
	for _, commit := range []string{first, first[:9], "one"} {
		f, _ := fetched(t, repository, commit)
		if f.Commit != first {
			t.Fatalf("%s is %s", commit, f.Commit)
		}
		p := Plugin{Name: "p", Repository: repository, Commit: f.Commit}
		if err := store.Install(t.Context(), f, p); err != nil {
			t.Fatal(err)
		}
		if err := store.Save(p); err != nil {
			t.Fatal(err)
		}
	}
	old, err := store.ByName("p")
	if err != nil {
		t.Fatal(err)
	}
	newest, _ := fetched(t, repository, "")
	now := old
	now.Commit = newest.Commit
	if err := store.Install(t.Context(), newest, now); err != nil {
		t.Fatal(err)
	}
	difference, err := Diff(store.Dir(old), store.Dir(now))
	if want := "binary: /dev/null and b/new.bin differ\n--- a/skills/a/SKILL.md\n+++ b/skills/a/SKILL.md\n@@ -1,1 +1,1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n"; err != nil || difference != want {
		t.Errorf("%s, %v", difference, err)
	}
	if err := store.Save(now); err != nil {
		t.Fatal(err)
	}
	if all, err := store.List(); err != nil || len(all) != 1 || all[0].Commit != newest.Commit {
		t.Errorf("%+v, %v", all, err)
	}
	if left, _ := filepath.Glob(filepath.Join(store.Folder, "p", "*")); !slices.Equal(left, []string{store.Dir(now)}) {
		t.Errorf("there are %q", left)
	}
	git(t, repository, "branch", first[:8], "main")
	for _, wrong := range [][2]string{{repository, first[:8]}, {"--upload-pack=x", ""}, {repository, "-x"}, {repository, "no-such"}, {"ext::sh -c true", ""}} {
		if _, err := Fetch(t.Context(), os.Environ(), wrong[0], wrong[1]); err == nil {
			t.Errorf("%q is fetched", wrong)
		}
	}
}

// The files equal the files of the commit, byte for byte. Checkout settings of the repository or
// the user have no effect, and no repository of the user changes.
func TestFetchIsExact(t *testing.T) {
	t.Parallel()
	repository, own := t.TempDir(), t.TempDir()
	for _, dir := range []string{repository, own} {
		git(t, dir, "init", "-q", "-b", "main")
	}
	write(t, own, map[string]string{"a.md": "mine"})
	mine := commit(t, own)
	write(t, repository, map[string]string{
		manifestFile: `{"name": "p"}`, ".gitattributes": "*.md ident eol=crlf filter=evil working-tree-encoding=UTF-16\nsecret.md export-ignore\n",
		"secret.md": "$Id$ $Format:%H$\n", "lfs.md": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "run.sh": "#!/bin/sh\n",
	})
	if err := os.Chmod(filepath.Join(repository, "run.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(repository, "link.md")); err != nil {
		t.Fatal(err)
	}
	git(t, repository, "-c", "core.attributesFile="+os.DevNull, "add", "-A", "--", ".", ":!*.md")
	for _, name := range []string{"secret.md", "lfs.md"} {
		id := git(t, repository, "hash-object", "-w", "--no-filters", name)
		git(t, repository, "update-index", "--add", "--cacheinfo", "100644,"+id+","+name)
	}
	git(t, repository, "add", "link.md")
	git(t, repository, "update-index", "--add", "--cacheinfo", "160000,"+mine+",sub")
	git(t, repository, "commit", "-qm", "a")
	f, leftOut := fetched(t, repository, "", "GIT_DIR="+filepath.Join(own, ".git"), "GIT_WORK_TREE="+own, "GIT_INDEX_FILE="+filepath.Join(own, ".git", "index"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=filter.evil.smudge", "GIT_CONFIG_VALUE_0=echo evil")
	if want := []string{"lfs.md is stored in Git LFS", "link.md is a link", "sub is a submodule, which is another repository"}; !slices.Equal(sorted(leftOut), want) {
		t.Errorf("left out: %q", leftOut)
	}
	if data, err := os.ReadFile(filepath.Join(f.Dir, "secret.md")); err != nil || string(data) != "$Id$ $Format:%H$\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Lstat(filepath.Join(f.Dir, "link.md")); err == nil {
		t.Error("the link is there")
	}
	if info, err := os.Stat(filepath.Join(f.Dir, "run.sh")); err != nil || require.Unix && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if data, err := os.ReadFile(filepath.Join(own, "a.md")); err != nil || string(data) != "mine" || git(t, own, "rev-parse", "HEAD") != mine || git(t, own, "status", "--porcelain") != "" {
		t.Errorf("the person's repository has changed: %q, %v", data, err)
	}
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return texts
}

// A folder is refused completely if it has a file name that some system reads as another name, or
// as several names.
func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	for why, names := range map[string][]string{
		"A.md and a.md differ only in case":          {"A.md", "a.md"},
		"B and b differ only in case":                {"B/x", "b/y"},
		"drop the last character of the name":        {"c."},
		"some systems drop":                          {"d /x"},
		"read the name as a path":                    {`..\x`},
		"the name has invisible characters":          {"e\nf"},
		"cannot be used: the name has":               {"g\u202ef"},
		".git/config cannot be used":                 {".git/config"},
		"a plugin can't contain .git":                {"h/.GIT/config"},
		"../x cannot be used: it is not a file name": {"../x"},
	} {
		f := FetchedCommit{}
		for _, name := range names {
			f.entries = append(f.entries, entry{"100644", "0", name, 0})
		}
		if _, err := f.Write(t.Context(), "", t.TempDir()); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %s", names, err, why)
		}
		if _, err := f.Write(t.Context(), "elsewhere", t.TempDir()); err == nil || strings.Contains(err.Error(), why) {
			t.Errorf("%q counts for another folder: %v", names, err)
		}
	}
	many := FetchedCommit{entries: make([]entry, maxFiles+1)}
	for i := range many.entries {
		many.entries[i] = entry{"100644", "0", "x", 0}
	}
	for name, f := range map[string]FetchedCommit{"files": many, "bytes": {entries: []entry{{"100644", "0", "x", maxBytes + 1}}}} {
		if _, err := f.Write(t.Context(), "", t.TempDir()); err == nil || !strings.Contains(err.Error(), "more than 5000 files or 64.0 MiB") {
			t.Errorf("too many %s: %v", name, err)
		}
	}
}

// A changed mode of an executable file is a difference, too.
func TestDifferenceOfModes(t *testing.T) {
	t.Parallel()
	if !require.Unix {
		t.Skip("files have no such mode there")
	}
	before, after := t.TempDir(), t.TempDir()
	for _, dir := range []string{before, after} {
		write(t, dir, map[string]string{"a": "same", "b": "same", "c": "same"})
	}
	write(t, after, map[string]string{"d": "new\n"})
	for _, path := range []string{filepath.Join(after, "a"), filepath.Join(before, "b"), filepath.Join(after, "d")} {
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	difference, err := Diff(before, after)
	if want := "now executable: b/a\nno longer executable: b/b\n--- /dev/null\n+++ b/d\n@@ -0,0 +1,1 @@\n+new\nnow executable: b/d\n"; err != nil || difference != want {
		t.Errorf("%s, %v", difference, err)
	}
}

// A folder whose name is a prefix of the commit ID is found. Another commit with the same prefix
// gets a separate folder.
func TestFoldersOfOlderVersions(t *testing.T) {
	t.Parallel()
	repository := t.TempDir()
	git(t, repository, "init", "-q", "-b", "main")
	write(t, repository, map[string]string{manifestFile: `{"name": "p"}`, "a": "new"})
	commit(t, repository)
	f, _ := fetched(t, repository, "")
	store := Store{t.TempDir()}
	now := Plugin{Name: "p", Commit: f.Commit}
	old := Plugin{Name: "p", Commit: f.Commit[:12] + strings.Repeat("0", 28)}
	folder := filepath.Join(store.Folder, "p", f.Commit[:12])
	write(t, folder, map[string]string{"a": "old"})
	if err := store.Save(old); err != nil || store.Dir(old) != folder {
		t.Fatalf("%s, %v", store.Dir(old), err)
	}
	if err := store.Install(t.Context(), f, now); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(store.Dir(now), "a")); err != nil || string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
	if err := store.Save(now); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(store.Folder, "p", "*")); !slices.Equal(left, []string{filepath.Join(store.Folder, "p", f.Commit)}) {
		t.Errorf("there are %q", left)
	}
}

// An offer names only plugins that can be added: folders of the repository, and addresses without
// spaces.
func TestOffers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{".claude-plugin/marketplace.json": `{"plugins": [
		{"name": "a", "description": "one\u001b[31m\ntwo", "source": "./a"}, {"name": "up", "source": "../out"}, {"name": "B", "source": "./b"}, {"name": "root", "source": "./"},
		{"name": "x", "source": {"repo": "owner/name"}}, {"name": "y", "source": {"url": "git@example.com:a/b.git"}},
		{"name": "o", "source": {"url": "--upload-pack=x"}}, {"name": "s", "source": {"url": "https://example.com/;id"}}, {"name": "d", "source": {"repo": "a/$(id)"}}
	]}`})
	offers, err := ReadMarketplace(dir)
	var lines []string
	for _, o := range offers {
		lines = append(lines, o.String())
	}
	if want := []string{"a  one␛[31m two", "root  ", "x    (agent plugin add owner/name)", "y    (agent plugin add git@example.com:a/b.git)"}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("%q, %v", lines, err)
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

// A manifest may name further folders inside the plugin only.
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
	if want := []string{"../out of " + manifestFile + " is outside the plugin", "/etc of " + manifestFile + " is outside the plugin"}; !slices.Equal(where.Skipped, want) {
		t.Errorf("left out: %q", where.Skipped)
	}
	for text, want := range map[string]string{`{"name": "../x"}`: "invalid name", `{`: "unexpected end", `{"name": "P Q"}`: "invalid name"} {
		write(t, dir, map[string]string{manifestFile: text})
		if _, _, err := Read(dir, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, _, err := Read(t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "has no") {
		t.Error(err)
	}
	if _, _, err := Read(filepath.Join(dir, "gone"), "p"); err == nil || !strings.Contains(err.Error(), "add the plugin again") {
		t.Error(err)
	}
}

// ${CLAUDE_PLUGIN_ROOT} means the plugin's folder in its own files, and has no meaning in other
// files.
func TestRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "run ${CLAUDE_PLUGIN_ROOT}/x"})
	text, err := trustedfile.Plugin{Dir: dir}.ReadScope("").Read(filepath.Join(dir, "f"), 1000)
	if err != nil || text.Text != "run "+filepath.ToSlash(dir)+"/x" {
		t.Errorf("%q, %v", text.Text, err)
	}
	if text, err := (trustedfile.ReadScope{Root: dir}).Read(filepath.Join(dir, "f"), 1000); err != nil || !strings.Contains(text.Text, "${") {
		t.Errorf("%q, %v", text.Text, err)
	}
}

// After a fetch was killed, the next one removes its folder, and no folder that is in use.
func TestFoldersOfKilledFetchesGo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	repository := t.TempDir()
	git(t, repository, "init", "-q", "--template=")
	write(t, repository, map[string]string{"a": "1"})
	commit(t, repository)
	folders := func() []string {
		all, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range all { // all of them are old
			if err := os.Chtimes(folder, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	first, _ := fetched(t, repository, "")
	lasting := folders()
	second, _ := fetched(t, repository, "")
	if all := folders(); len(lasting) != 1 || len(all) != 2 {
		t.Fatalf("two fetches have the folders %q", all)
	}
	copied := filepath.Join(os.Getenv("TMPDIR"), "agent-"+strings.Repeat("K", 12))
	if err := os.CopyFS(copied, os.DirFS(lasting[0])); err != nil { // a copy without its lock, as after a kill
		t.Fatal(err)
	}
	folders()
	third, _ := fetched(t, repository, "")
	if _, err := os.Lstat(copied); err == nil {
		t.Error("the folder of a killed fetch stays")
	}
	for _, f := range []FetchedCommit{first, second, third} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if all := folders(); len(all) > 0 {
		t.Errorf("%q stay", all)
	}
}
