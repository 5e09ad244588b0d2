package notes

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/testing/cputime"
	"agent/internal/testing/require"

	"pgregory.net/rapid"
)

const writeForever = "NOTES_TEST_WRITE_FOREVER"

func TestMain(m *testing.M) {
	if base := os.Getenv(writeForever); base != "" {
		b := Open(filepath.Join(base, "config"), base, filepath.Join(base, "work"))
		for i := 0; ; i++ {
			n, err := b.Add(Note{Text: fmt.Sprintf("note %d %s", i, strings.Repeat("x ", 200)), Made: made}, ScopeRepository, "")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Println(n.ID)
		}
	}
	_ = flag.Set("rapid.checks", "40") // -rapid.checks raises it
	os.Exit(m.Run())
}

// times returns few, or many if tests run at full size (make properties).
func times(few, many int) int {
	if checks, _ := strconv.Atoi(flag.Lookup("rapid.checks").Value.String()); checks >= 1000 {
		return many
	}
	return few
}

var made = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

func book(t testing.TB) (*Book, string) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(base, "work")
	if err := os.MkdirAll(filepath.Join(work, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	return Open(filepath.Join(base, "config"), base, work), work
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b *Book) text(t testing.TB) string {
	data, err := os.ReadFile(b.file[ScopeRepository])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The text that a user writes in the file stays unchanged, and every list item is a note.
func TestFileEditedByHand(t *testing.T) {
	t.Parallel()
	b, work := book(t)
	write(t, filepath.Join(work, "a b,c@d--e.go"), "x")
	typed := "# My notes\n\nProse stays.\n\n- typed by hand\n  in two lines\n* another\n\n    - not at the margin\n<!-- n9 -->\nend"
	write(t, b.file[ScopeRepository], typed)
	grounds, err := b.NewBasis(work, []string{"a b,c@d--e.go"})
	if err != nil {
		t.Fatal(err)
	}
	added, err := b.Add(Note{Text: " rests on\n a file ", Made: made, From: "20261123-x", Basis: grounds, Proposed: true}, ScopeRepository, "")
	if err != nil || added.ID != "n3" {
		t.Fatalf("%+v, %v", added, err)
	}
	if text := b.text(t); !strings.HasPrefix(text, typed+"\n- rests on\n  a file\n  <!-- n3 2026-11-23 from:20261123-x proposed ground:") {
		t.Errorf("the file holds %q", text)
	}
	all, problems := b.Notes()
	if len(all) != 3 || len(problems) > 0 || all[0].Text != "typed by hand\nin two lines" || all[1].Text != "another" || all[2].Basis[0] != grounds[0] || !all[2].Proposed || !all[2].Made.Equal(made) {
		t.Errorf("%+v, %q", all, problems)
	}
	if err := b.Confirm("n3", made.AddDate(0, 0, 1)); err != nil {
		t.Fatal(err)
	}
	if err := b.Update("n1", func(*Note) (bool, error) { return false, nil }); err != nil {
		t.Fatal(err)
	}
	if all, _ = b.Notes(); len(all) != 2 || all[1].Proposed || all[1].Checked.IsZero() || strings.Contains(b.text(t), "typed by hand") || !strings.Contains(b.text(t), "Prose stays") {
		t.Errorf("%+v", all)
	}
	for _, id := range []string{"n99", "x", "", "n"} {
		if err := b.Update(id, func(*Note) (bool, error) { return true, nil }); err == nil {
			t.Errorf("%q is found", id)
		}
	}
}

func TestInvalidNotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "can't be empty", " \n ": "can't be empty", strings.Repeat("é", 601): "at most 600", "1\n2\n3\n4\n5\n6": "at most 5 lines", "a \x1b[31mb": "control characters", "a\u202eb": "control characters",
		"x <!-- n1 -->": "can't contain <!--", "the key is sk-proj-0123456789abcdefghij": "an API key or a password", "a\xffb": "control characters",
	} {
		if _, err := Clean(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Secrets in 60 known formats are refused, whoever adds the note.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	b, _ := book(t)
	random := rand.New(rand.NewSource(1))
	word := func(n int) string {
		const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJK0123456789"
		var s strings.Builder
		for range n {
			s.WriteByte(letters[random.Intn(len(letters))])
		}
		return s.String() + "7a"
	}
	forms := []string{
		"ghp_%s", "gho_%s", "ghu_%s", "ghs_%s", "ghr_%s", "github_pat_%s", "glpat-%s", "sk-%s", "gsk_%s", "xai-%s", "nvapi-%s", "hf_%s", "npm_%s", "pypi-%s", "xoxb-%s", "dop_v1_%s",
		"AIza%s", "AKIA%s", "ASIA%s", "SG.%s", "rk_live_%s", "sk_live_%s", "use postgres://u:%s@host/db", "eyJ%[1]s.%[1]s", "-----BEGIN RSA PRIVATE KEY-----\n%s", "Authorization: Bearer %s",
		"API_KEY=%s", "password: %s", `"client_secret": "%s"`, "set DB_PASSWORD='%s'",
	}
	for i := range 60 {
		text := fmt.Sprintf("it works with "+forms[i%len(forms)], word(24))
		if _, err := b.Add(Note{Text: text, Made: made}, []Scope{ScopeRepository, ScopeEverywhere, ScopeShared}[i%3], ""); err == nil {
			t.Errorf("%q is kept", text)
		}
	}
	if _, err := os.ReadFile(b.file[ScopeRepository]); err == nil {
		t.Error("there is a file")
	}
}

// Whatever happens to files, a note is used if and only if each of its files exists with its
// recorded content.
func TestGrounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		base, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		b := Open(filepath.Join(base, "config"), base, base)
		files := []string{"a", "d/b", "d/c", "e"}
		content := map[string]string{}
		for _, f := range files {
			content[f] = rapid.StringMatching(`[ab]{0,2}`).Draw(rt, f)
			write(t, filepath.Join(base, f), content[f])
		}
		var all []Note
		for range rapid.IntRange(1, 5).Draw(rt, "notes") {
			grounds, err := b.NewBasis(base, rapid.SliceOfNDistinct(rapid.SampledFrom(files), 1, 3, rapid.ID[string]).Draw(rt, "grounds"))
			if err != nil {
				rt.Fatal(err)
			}
			all = append(all, Note{ID: "n1", Text: "x", Basis: grounds})
		}
		was := map[string]string{}
		for f, text := range content {
			was[f] = text
		}
		checker := b.Checker()
		still := func() time.Time { return made }
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			f := rapid.SampledFrom(files).Draw(rt, "file")
			path := filepath.Join(base, f)
			_ = os.RemoveAll(path)
			delete(content, f)
			switch rapid.SampledFrom([]string{"write", "delete", "folder", "link", "escape", "rename"}).Draw(rt, "step") {
			case "write":
				content[f] = rapid.StringMatching(`[ab]{0,2}`).Draw(rt, "text")
				write(t, path, content[f])
			case "folder":
				_ = os.Mkdir(path, 0o700)
			case "link": // a link within the folder stands for its target
				if other, ok := content["a"]; ok && f == "e" {
					content[f] = other
					_ = os.Symlink("a", path)
				}
			case "escape":
				write(t, filepath.Join(base+"-outside", "x"), was[f])
				_ = os.Symlink(filepath.Join(base+"-outside", "x"), path)
			case "rename":
				_ = os.Rename(filepath.Join(base, "d/c"), filepath.Join(base, "moved"))
				delete(content, "d/c")
			}
			if target, err := os.Readlink(filepath.Join(base, "e")); err == nil && target == "a" {
				if text, ok := content["a"]; ok {
					content["e"] = text
				} else {
					delete(content, "e")
				}
			}
			for _, s := range checker.Check(all, still) {
				holds := true
				for _, g := range s.Basis {
					text, there := content[g.Path]
					holds = holds && there && text == was[g.Path]
				}
				if (s.State == StateUsed) != holds {
					rt.Fatalf("%+v, but it holds: %v; %v, was %v", s, holds, content, was)
				}
			}
		}
	})
}

// With the git history of this repository, a note is used exactly as long as git has the same
// content.
func TestGroundsOverCommits(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	git := func(dir string, args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
		if err != nil {
			t.Skipf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	commits := strings.Fields(git(top, "log", "--first-parent", "--format=%H", "-n", strconv.Itoa(times(4, 101))))
	if len(commits) < 2 {
		t.Skip("there is no history")
	}
	slices.Reverse(commits)
	clone := filepath.Join(t.TempDir(), "clone")
	git(top, "clone", "-q", "--shared", "--no-checkout", top, clone)
	blobs := func() map[string]string {
		list := map[string]string{}
		for line := range strings.Lines(git(clone, "ls-tree", "-r", "HEAD", "internal", "docs", "cmd")) {
			about, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
			list[path] = strings.Fields(about)[2]
		}
		return list
	}
	git(clone, "checkout", "-q", commits[0])
	at := blobs()
	var paths []string
	for path := range at {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	b := Open(filepath.Join(clone, "..", "config"), clone, clone)
	random := rand.New(rand.NewSource(3))
	var all []Note
	for i := range times(50, 500) {
		chosen := []string{paths[random.Intn(len(paths))], paths[random.Intn(len(paths))]}[:1+i%2]
		grounds, err := b.NewBasis(clone, chosen)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Note{ID: fmt.Sprint("n", i+1), Text: "x", Basis: grounds})
	}
	checker, stale, compared := b.Checker(), 0, 0
	for _, commit := range commits[1:] {
		git(clone, "checkout", "-q", commit)
		now := blobs()
		for some := range slices.Chunk(all, mostChecked/2) {
			for _, s := range checker.Check(some, func() time.Time { return made }) {
				holds := !slices.ContainsFunc(s.Basis, func(g Basis) bool { return now[g.Path] != at[g.Path] })
				if compared++; !holds {
					stale++
				}
				if (s.State == StateUsed) != holds {
					t.Fatalf("%s: %+v, but it holds: %v", commit, s, holds)
				}
			}
		}
	}
	t.Logf("%d notes over %d commits: %d states compared, %d stale", len(all), len(commits)-1, compared, stale)
}

// If a writer is killed, each note is written completely or not at all, and nothing else changes.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	for range times(3, 300) {
		b, work := book(t)
		base := filepath.Dir(work)
		write(t, b.file[ScopeRepository], "# Prose\n\n- by hand\n")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writeForever+"="+base)
		out, err := cmd.StdoutPipe()
		if err != nil || cmd.Start() != nil {
			t.Fatal(err)
		}
		lines, acknowledged := bufio.NewScanner(out), 0
		for stop := rand.Intn(6); acknowledged <= stop && lines.Scan(); acknowledged++ {
		}
		_ = cmd.Process.Kill()
		for lines.Scan() {
			acknowledged++
		}
		_ = cmd.Wait()
		all, problems := b.Notes()
		if len(all) < acknowledged+1 || len(all) > acknowledged+2 || len(problems) > 0 || !strings.HasPrefix(b.text(t), "# Prose\n\n- by hand\n") {
			t.Fatalf("%d notes of %d, %q", len(all), acknowledged, problems)
		}
		for i, n := range all[1:] {
			if n.Text != strings.TrimSpace(fmt.Sprintf("note %d %s", i, strings.Repeat("x ", 200))) {
				t.Fatalf("note %d is %q", i, n.Text)
			}
		}
		if _, err := b.Add(Note{Text: "afterwards"}, ScopeRepository, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// If an editor saves a line while a note is added, the line stays.
func TestEditorBesideAChange(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"a file": "- first\n", "no file": ""} {
		b, _ := book(t)
		if before != "" {
			write(t, b.file[ScopeRepository], before)
		}
		saved := 0
		err := b.change(ScopeRepository, func(pieces []piece) ([]piece, error) {
			if saved++; saved <= 3 {
				write(t, b.file[ScopeRepository], fmt.Sprintf("%s- of the editor, save %d\n", before, saved))
			}
			return b.addNote(pieces, &Note{Text: "added"}, ScopeRepository, "")
		})
		if text := b.text(t); err != nil || !strings.HasPrefix(text, before+"- of the editor, save 3\n") || !strings.Contains(text, "- added\n") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestTwoWritersAtOnce(t *testing.T) {
	t.Parallel()
	b, work := book(t)
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			own := Open(b.folder[:len(b.folder)-len("/notes")], b.home, work)
			for i := range 10 {
				if _, err := own.Add(Note{Text: fmt.Sprint("note ", w, " ", i)}, ScopeRepository, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	all, _ := b.Notes()
	ids := map[string]bool{}
	for _, n := range all {
		ids[n.ID] = true
	}
	if len(all) != 40 || len(ids) != 40 {
		t.Errorf("%d notes with %d numbers", len(all), len(ids))
	}
	// Notes that differ only in blanks are equal.
	if n, err := b.Add(Note{Text: "note  0\n 0", From: "later"}, ScopeRepository, ""); err != nil || n.ID == "n41" {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestFilesThatAreNotUsed(t *testing.T) {
	t.Parallel()
	require.Permissions(t)
	b, work := book(t)
	write(t, b.file[ScopeRepository], "- anybody's\n")
	if err := os.Chmod(b.file[ScopeRepository], 0o666); err != nil {
		t.Fatal(err)
	}
	if all, problems := b.Notes(); len(all) > 0 || len(problems) != 1 || !strings.Contains(problems[0], "others could have written it") {
		t.Errorf("%v, %q", all, problems)
	}
	if err := os.Chmod(b.file[ScopeRepository], 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, b.file[ScopeRepository], strings.Repeat("- a note of some length that fills the file\n", 30_000))
	all, problems := b.Notes()
	if len(all) < 20_000 || len(problems) != 1 || !strings.Contains(problems[0], "longer than 1 MB") {
		t.Errorf("%d notes, %q", len(all), problems)
	}
	if _, err := b.Add(Note{Text: "x"}, ScopeRepository, ""); err == nil {
		t.Error("a file that was read in part is replaced")
	}
	write(t, b.file[ScopeRepository], "# Mine\n\nProse\nof two lines\n- a note\n  <!-- n1 -->\n")
	if other := b.OtherLines(); len(other) != 1 || !strings.HasPrefix(other[0], b.file[ScopeRepository]+": 2 lines not sent") {
		t.Errorf("%q", other)
	}
	if before, after, err := b.PreviewAdd(Note{Text: "new"}, ScopeRepository, "n1"); err != nil || !strings.HasSuffix(before, "- a note\n  <!-- n1 -->\n") || !strings.HasSuffix(after, "of two lines\n- new\n  <!-- n1 -->\n") {
		t.Errorf("%q, %q, %v", before, after, err)
	}
	for _, path := range []string{"../outside", "/etc/passwd", "missing", "."} {
		if _, err := b.NewBasis(work, []string{path}); err == nil {
			t.Errorf("a note rests on %s", path)
		}
	}
}

// The notes for the model are selected in a fixed order, up to a limit. At full size, 100 notes
// with 200 files are compared within 15 ms of processor time. The start of a session does not wait
// for this.
func TestChoose(t *testing.T) {
	b, work := book(t)
	var all []Note
	for i := range 100 {
		var paths []string
		for g := range 2 {
			path := fmt.Sprintf("d%d/f%d.go", i%7, 2*i+g)
			write(t, filepath.Join(work, path), strings.Repeat("line\n", 400))
			paths = append(paths, path)
		}
		grounds, err := b.NewBasis(work, paths)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Note{ID: fmt.Sprint("n", i+1), Text: fmt.Sprint("fact ", i), Made: made.AddDate(0, 0, i/10), Basis: grounds})
	}
	all = append(all, Note{ID: "u1", Text: "everywhere", Made: made.AddDate(1, 0, 0)})
	var states []State
	took := time.Hour
	for range 3 { // other processes can slow the measurement down
		began := cputime.Used(t)
		states = b.Checker().Check(all, func() time.Time { return made })
		took = min(took, cputime.Used(t)-began)
	}
	text, used := SelectForPrompt(states, 1_000_000)
	if len(used) != 101 || !strings.HasPrefix(text, heading+"\n\n- fact 99 [d1/f198.go, d1/f199.go]\n- fact 98 ") || !strings.HasSuffix(text, "- everywhere") {
		t.Errorf("%d used: %s", len(used), text)
	}
	t.Logf("100 notes with 200 grounds: %v", took)
	if times(0, 1) == 1 && took > 2*15*time.Millisecond { // twice for a busy machine
		t.Error("that is too slow")
	}
	slices.Reverse(all)
	if again, _ := SelectForPrompt(b.Checker().Check(all, func() time.Time { return made }), 1_000_000); again != text {
		t.Error("the order of the file matters")
	}
	small := b.Checker().Check(all, func() time.Time { return made })
	if text, used := SelectForPrompt(small, 100); len(text) > 100+len(heading)+2 || len(used) == 0 {
		t.Errorf("%q", text)
	}
	if line := Summary(small, made.AddDate(0, 0, 20)); !strings.HasPrefix(line, "Notes: ") || !strings.Contains(line, "no room") || !strings.Contains(line, "days old") {
		t.Error(line)
	}
	later := b.Checker().Check(all, func() func() time.Time {
		at := made
		return func() time.Time { at = at.Add(time.Millisecond); return at }
	}())
	if !slices.ContainsFunc(later, func(s State) bool { return s.State == StateUnchecked }) {
		t.Error("there is no bound to the time")
	}
}

func TestNotesOfOthers(t *testing.T) {
	t.Parallel()
	b, work := book(t)
	home := filepath.Dir(work)
	munged := strings.NewReplacer("/", "-", `\`, "-", ":", "-", "_", "-", ".", "-").Replace(work)
	write(t, filepath.Join(home, ".claude/projects", munged, "memory/MEMORY.md"), "# Memory\n- tests need a database\n- key is sk-proj-0123456789abcdefghij\n")
	write(t, filepath.Join(home, ".claude/projects/elsewhere/memory/MEMORY.md"), "- of another project\n")
	write(t, filepath.Join(home, ".gemini/GEMINI.md"), "- an instruction\n\n## Gemini Added Memories\n- likes short answers\n\n## Other\n- no memory\n")
	found, problems := ReadForeign(home, "", work)
	if len(found) != 2 || found[0].Text != "tests need a database" || found[1].Text != "likes short answers" || len(problems) != 1 {
		t.Fatalf("%+v, %q", found, problems)
	}
	for range 2 {
		if _, err := b.Propose(found, false); err != nil {
			t.Fatal(err)
		}
	}
	all, _ := b.Notes()
	if len(all) != 2 || !all[0].Proposed || all[0].From != found[0].From {
		t.Errorf("%+v", all)
	}
	if text, _ := SelectForPrompt(b.Checker().Check(all, time.Now), 1000); text != "" {
		t.Errorf("proposals are sent: %s", text)
	}
}
