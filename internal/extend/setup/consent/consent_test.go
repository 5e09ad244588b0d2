package consent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/manifest"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/testing/require"
)

var day = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// world is a home folder with a repository "project".
type world struct {
	*testing.T
	home, root string
}

func newWorld(t *testing.T) world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := world{t, home, filepath.Join(home, "project")}
	w.mkdir("project/.git")
	return w
}

func (w world) mkdir(name string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Join(w.home, name), 0o755); err != nil {
		w.Fatal(err)
	}
}

func (w world) write(name, text string) {
	w.Helper()
	w.mkdir(filepath.Dir(name))
	if err := os.WriteFile(filepath.Join(w.home, name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w world) open(workspace string) *consent.Store {
	return consent.Open(trustedfile.Locations{Config: filepath.Join(w.home, "config"), Home: w.home, Workspace: filepath.Join(w.home, workspace)})
}

func (w world) server(fields string, command ...string) consent.Item {
	i := consent.Item{Kind: consent.KindServer, Name: "db", File: filepath.Join(w.root, ".mcp.json")}
	for n, word := range command {
		name := manifest.Argument
		if n == 0 {
			name = manifest.Command
		}
		i.Effects = append(i.Effects, manifest.Part{Name: name, Text: word, Role: manifest.RoleWord})
	}
	i.Effects = append(i.Effects, manifest.Part{Name: "fields", Text: fields})
	return i
}

func (w world) review(s *consent.Store, items ...consent.Item) []consent.ReviewedItem {
	w.Helper()
	all, err := s.Review(items)
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func (w world) agree(s *consent.Store, items ...consent.Item) {
	w.Helper()
	if err := s.Approve(day, w.review(s, items...)...); err != nil {
		w.Fatal(err)
	}
}

// The content of an item includes the bytes of a repository file, however a command spells its
// name.
func TestFilesOfTheCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/run.sh", "1")
	w.write("project/my dir/run it.sh", "1")
	w.write("project/sub/deep/run.js", "1")
	w.write("elsewhere.sh", "1")
	if err := os.Symlink("../run.sh", filepath.Join(w.root, "sub/link.sh")); err != nil {
		t.Fatal(err)
	}
	w.link("/bin/sh", "sub/shell")
	w.link(filepath.Join(w.root, "run.sh"), "../leads-in.sh")
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{"node", "sub/deep/run.js"}, "sub/deep/run.js"},
		{[]string{"./run.sh"}, "run.sh"},
		{[]string{filepath.Join(w.root, "run.sh")}, "run.sh"},
		{[]string{"~/project/run.sh"}, "run.sh"},
		{[]string{"--config=run.sh"}, "run.sh"},
		{[]string{"my dir/run it.sh"}, "my dir/run it.sh"},
		{[]string{`"$CLAUDE_PROJECT_DIR"/run.sh --x`}, "run.sh"},
		{[]string{`${CLAUDE_PROJECT_DIR}/run.sh`}, "run.sh"},
		{[]string{`"$AGENT_PROJECT_DIR/my dir/run it.sh" x`}, "my dir/run it.sh"},
		{[]string{"true;./run.sh|cat"}, "run.sh"},
		{[]string{"cd sub && node deep/run.js"}, "sub/deep/run.js"},
		{[]string{"bash", "-c", "A=$(./run.sh) env"}, "run.sh"},
		{[]string{`"./run.sh`}, "run.sh"},
		{[]string{"sub/link.sh"}, "sub/link.sh"},
		{[]string{"sub/shell"}, "sub/shell"},
		{[]string{"run.sh", "run.sh", "sub/deep/run.js"}, "run.sh sub/deep/run.js"},
		{[]string{"./run.sh", "my dir/run it.sh"}, "my dir/run it.sh run.sh"},
		{[]string{"sub/../run.sh", "run.sh"}, "run.sh"},
		{[]string{filepath.Join(w.home, "leads-in.sh")}, "run.sh"},
		{[]string{"", "a\x00b", "sub"}, ""},
		{[]string{filepath.Join(w.home, "elsewhere.sh")}, ""},
		{[]string{"npx", "server"}, ""},
		{nil, ""},
		{[]string{"sh", "-c", "cd sub && cd deep && ./run.js"}, "sub/deep/run.js"},
		{[]string{"sh", "-c", "X=run; ./$X.sh"}, "run.sh"},
		{[]string{"sh", "-c", "sh ./r*.sh"}, "run.sh"},
		{[]string{"sh", "-c", "make -frun.sh"}, "run.sh"},
	} {
		line := consent.Item{Kind: consent.KindHook, Name: "Stop", Effects: manifest.List{{Name: manifest.Command, Text: strings.Join(quoted(c.command), " "), Role: manifest.RoleLine}}}
		for _, item := range []consent.Item{w.server(`{}`, c.command...), line} {
			r := w.review(w.open("project"), item)[0]
			if got := strings.Join(r.Files, " "); got != c.want || r.Problem != "" {
				t.Errorf("%s %q: files %q, want %q (%v)", item.Kind, c.command, got, c.want, r.Problem)
			}
		}
	}
}

// quoted returns words in the form of a shell. A single word is already a line, unless it is a
// name.
func quoted(words []string) []string {
	if len(words) == 1 && !strings.HasPrefix(words[0], "my dir") {
		return words
	}
	all := slices.Clone(words)
	for n, word := range all {
		if strings.Trim(word, " ") != word || strings.ContainsAny(word, " $;&*") {
			all[n] = "'" + word + "'"
		}
	}
	return all
}

// The stored form of approved content never changes, so that answers of all versions stay valid.
func TestContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/run.sh", "1")
	w.link("run.sh", "link")
	w.link("/bin/sh", "shell")
	r := w.review(w.open("project"), w.server(`{"n":1.0}`, "./run.sh", "./link", "shell"))[0]
	const hash = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"effects":[{"name":"command","text":"./run.sh"},{"name":"argument","text":"./link"},{"name":"argument","text":"shell"},{"name":"fields","text":"{\"n\":1.0}"}],"files":[{"path":"link","sha256":"` + hash + `","to":"run.sh"},{"path":"run.sh","sha256":"` + hash + `"},{"path":"shell","to":"` + shell + `"}],"kind":"server","name":"db"}`
	if r.Content != want {
		t.Errorf("%s\nwant %s", r.Content, want)
	}
}

// The content changes if a link gets another target, even one with the same bytes. Outside the
// repository, the bytes do not count.
func TestLinksLeadElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/a.sh", "1")
	w.write("project/b.sh", "1")
	item := w.server(`{"command":"./run.sh"}`, "./run.sh")
	seen := map[string]string{}
	for _, target := range []string{"a.sh", "b.sh", "/bin/sh", "/bin/true"} {
		w.link(target, "run.sh")
		r := w.review(w.open("project"), item)[0]
		if other, ok := seen[r.Hash]; ok || r.Problem != "" {
			t.Errorf("a link to %s is the same as one to %q (%v)", target, other, r.Problem)
		}
		seen[r.Hash] = target
	}
}

// link replaces a file of the repository by a link.
func (w world) link(target, name string) {
	w.Helper()
	path := filepath.Join(w.root, name)
	_ = os.Remove(path)
	if err := os.Symlink(target, path); err != nil {
		w.Fatal(err)
	}
}

// The state of an item depends on its fields, in any format, and on the bytes of its files, and on
// nothing else.
func TestStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(w world) consent.Item
		want   consent.State
		diff   string
	}{
		{"the same", func(w world) consent.Item { return w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh") }, consent.StateApproved, ""},
		{"another field", func(w world) consent.Item {
			return w.server(`{"command":"./run.sh","n":1.0,"env":{"NODE_OPTIONS":"-r ./x"}}`, "./run.sh")
		}, consent.StateChanged, "- fields: {"},
		{"another command", func(w world) consent.Item { return w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh", "-x") }, consent.StateChanged, "+ argument 1: -x"},
		{"other bytes", func(w world) consent.Item {
			w.write("project/run.sh", "2")
			return w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh")
		}, consent.StateChanged, "+ file run.sh: other bytes"},
		{"the file is gone", func(w world) consent.Item {
			_ = os.Remove(filepath.Join(w.root, "run.sh"))
			return w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh")
		}, consent.StateChanged, "- file run.sh: "},
		{"a link to the same bytes", func(w world) consent.Item {
			w.write("project/b.sh", "1")
			w.link("b.sh", "run.sh")
			return w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh")
		}, consent.StateChanged, "+ file run.sh"},
		{"a link to what is elsewhere", func(w world) consent.Item {
			w.link("/bin/sh", "run.sh")
			return w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh")
		}, consent.StateChanged, "+ file run.sh"},
		{"another name", func(w world) consent.Item {
			i := w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh")
			i.Name = "other"
			return i
		}, consent.StateWaiting, ""},
		{"another kind", func(w world) consent.Item {
			i := w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh")
			i.Kind = consent.KindHook
			return i
		}, consent.StateWaiting, ""},
		{"of the user's folders", func(w world) consent.Item {
			i := w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh")
			i.User = true
			return i
		}, consent.StateWaiting, ""},
		{"letters that are not UTF-8", func(w world) consent.Item { return w.server("\xff", "./run.sh") }, consent.StateWaiting, ""},
		{"of another folder", func(w world) consent.Item {
			i := w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh")
			i.Folder = filepath.Join(w.root, "sub")
			return i
		}, consent.StateChanged, "+ in: sub"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("project/run.sh", "1")
			w.agree(w.open("project"), w.server(`{"command":"./run.sh","n":1.0}`, "./run.sh"))
			item := c.change(w)
			s := w.open("project")
			r := w.review(s, item)[0]
			if r.State != c.want || !strings.HasPrefix(strings.Join(r.Difference, "|"), c.diff) || c.diff == "" && len(r.Difference) > 0 {
				t.Errorf("%s, %q; want %s, %q", r.State, r.Difference, c.want, c.diff)
			}
			if err := s.Check(item); (err == nil) != (c.want == consent.StateApproved) || (err == nil) == r.State.NeedsAnswer() {
				t.Errorf("May: %v", err)
			}
		})
	}
}

// Two items with the same name are distinguished by their content, in any order.
func TestTwinsKeepTheirAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, c := w.server(`{"a":1}`), w.server(`{"b":1}`), w.server(`{"c":1}`)
	w.agree(w.open("project"), a)
	w.agree(w.open("project"), b)
	for _, r := range w.review(w.open("project"), b, a) {
		if r.State != consent.StateApproved {
			t.Errorf("%s: %s", r.Content, r.State)
		}
	}
	if r := w.review(w.open("project"), a, b, c)[2]; r.State != consent.StateWaiting {
		t.Errorf("a third of the name is %s", r.State)
	}
}

func TestRefuseAndForget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	item := w.server(`{}`)
	s := w.open("project")
	w.agree(s, item)
	if err := s.Refuse(day, w.review(s, item)...); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*consent.Store{s, w.open("project")} {
		if r := w.review(s, item)[0]; r.State != consent.StateRefused {
			t.Errorf("refused, and yet %s", r.State)
		}
	}
	if err := s.Check(item); err == nil || !strings.Contains(err.Error(), "server db of .mcp.json is not used: you refused it") {
		t.Errorf("May: %v", err)
	}
	w.agree(s, item)
	if r := w.review(w.open("project"), item)[0]; r.State != consent.StateApproved {
		t.Errorf("agreed later, and yet %s", r.State)
	}
	if err := s.Forget(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*consent.Store{s, w.open("project")} {
		if r := w.review(s, item)[0]; r.State != consent.StateWaiting {
			t.Errorf("forgotten, and yet %s", r.State)
		}
	}
}

// Answers apply to one repository. The items of one file, and all items of the user, have separate
// answers.
func TestAnswersAreApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mkdir("other/.git")
	user := w.server(`{"user":1}`)
	user.User = true
	here, there := w.open("project"), w.open("other")
	w.agree(here, w.server(`{}`), user)
	theirs := w.server(`{}`)
	theirs.File = filepath.Join(w.home, "other/.mcp.json")
	w.agree(there, theirs)
	elsewhere := w.server(`{"n":1}`)
	elsewhere.File = filepath.Join(w.root, "sub/.mcp.json")
	if r := w.review(here, elsewhere)[0]; r.State != consent.StateWaiting {
		t.Errorf("an item of another file is %s", r.State)
	}
	w.agree(here, elsewhere)
	if err := here.Forget(user); err != nil {
		t.Fatal(err)
	}
	if err := w.open("other").Check(theirs); err != nil {
		t.Errorf("the answer about another repository is gone: %v", err)
	}
	if r := w.review(w.open("other"), user)[0]; r.State != consent.StateWaiting {
		t.Errorf("forgotten, and yet %s", r.State)
	}
	named, moved := user, user
	named.Name, moved.File = "other", filepath.Join(w.home, "moved.json")
	w.agree(there, user, named)
	if err := there.Forget(named, moved); err != nil {
		t.Fatal(err)
	}
	if err := w.open("project").Check(user); err != nil {
		t.Errorf("another item of the user is forgotten: %v", err)
	}
}

// Other entries in allowed.json stay. A broken file approves nothing and is not replaced.
func TestTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	item := w.server(`{}`)
	w.write("config/allowed.json", `{"localServers":["http://127.0.0.1:1"],"later":{"x":1}}`)
	w.agree(w.open("project"), item)
	data, _ := os.ReadFile(filepath.Join(w.home, "config/allowed.json"))
	for _, want := range []string{`"http://127.0.0.1:1"`, `"x": 1`, `"2026-11-22"`, `"server db"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is missing in\n%s", want, data)
		}
	}
	require.Mode(t, filepath.Join(w.home, "config/allowed.json"), 0o600)
	w.write("config/allowed.json", `{"setup": [`)
	s := w.open("project")
	if err := s.Check(item); err == nil || !strings.Contains(err.Error(), "can't read your approvals in") {
		t.Errorf("broken: May says %v", err)
	}
	if all, err := s.Review([]consent.Item{item}); err == nil || all[0].State != consent.StateWaiting {
		t.Errorf("broken: %v, %v", all, err)
	}
	if err := s.Approve(day, w.review(w.open("other"))...); err != nil {
		t.Error(err)
	}
	all, _ := s.Review([]consent.Item{item})
	if err := s.Approve(day, all...); err == nil {
		t.Error("a broken file was replaced")
	}
}

// Consent for a repository does not apply to another one, to one inside it, or to a folder that
// only claims to be its work tree. A real work tree shares the consent of its repository.
func TestPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"project/.git/objects", "project/.git/refs", "project/sub", "project/inner/.git", "plain/below", "evil", "evil/fake/worktrees/x"} {
		w.mkdir(name)
	}
	w.write("project/.git/HEAD", "ref: refs/heads/main\n")
	w.write("tree/.git", "gitdir: "+w.root+"/.git/worktrees/tree\n")
	w.write("project/.git/worktrees/tree/gitdir", w.home+"/tree/.git\n")
	w.write("project/.git/worktrees/tree/commondir", "../..\n")
	w.write("project/.git/worktrees/tree/HEAD", "ref: refs/heads/b\n")
	for _, bare := range []string{"a.git", "b.git"} {
		tree := "tree-of-" + bare
		w.mkdir(bare + "/objects")
		w.mkdir(bare + "/refs")
		w.write(bare+"/HEAD", "ref: refs/heads/main\n")
		w.write(tree+"/.git", "gitdir: ../"+bare+"/worktrees/x\n")
		w.write(bare+"/worktrees/x/gitdir", "../../../"+tree+"/.git\n")
		w.write(bare+"/worktrees/x/commondir", "../..\n")
		w.write(bare+"/worktrees/x/HEAD", "ref: refs/heads/b\n")
	}
	w.write("broken/.git", "")
	w.mkdir("broken/below")
	w.agree(w.open("tree-of-a.git"), w.server(`{}`))
	w.agree(w.open("broken"), w.server(`{}`))
	w.link(w.home+"/project", "../by-link")
	w.write("thief/.git", "gitdir: "+w.root+"/.git/worktrees/tree\n")
	w.write("evil/.git", "gitdir: fake/worktrees/x\n")
	w.write("evil/fake/worktrees/x/gitdir", w.home+"/evil/.git\n")
	w.write("evil/fake/worktrees/x/commondir", w.root+"/.git\n")
	w.write("evil/fake/worktrees/x/HEAD", "ref: refs/heads/b\n")
	// A folder .git may itself claim to belong to the work trees of the repository around it.
	w.write("project/worktrees/.git/commondir", "../..\n")
	w.write("project/worktrees/.git/gitdir", w.root+"/worktrees/.git\n")
	w.agree(w.open("project"), w.server(`{}`))
	for workspace, want := range map[string]consent.State{
		"project": consent.StateApproved, "project/sub": consent.StateApproved, "tree": consent.StateApproved, "tree-of-a.git": consent.StateApproved, "broken": consent.StateApproved, "by-link": consent.StateApproved,
		"tree-of-b.git": consent.StateWaiting, "broken/below": consent.StateWaiting,
		"project/inner": consent.StateWaiting, "project/worktrees": consent.StateWaiting, "plain": consent.StateWaiting, "thief": consent.StateWaiting, "evil": consent.StateWaiting, ".": consent.StateWaiting,
	} {
		if r := w.review(w.open(workspace), w.server(`{}`))[0]; r.State != want {
			t.Errorf("%s: %s, want %s", workspace, r.State, want)
		}
	}
}

// No answer is stored for the home folder. It is valid for the run.
func TestHomeKeepsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mkdir(".git")
	s := w.open(".")
	w.agree(s, w.server(`{}`))
	if err := s.Check(w.server(`{}`)); err != nil || s.IsPersistent() {
		t.Errorf("in the run: %v, kept %v", err, s.IsPersistent())
	}
	if r := w.review(w.open("."), w.server(`{}`))[0]; r.State != consent.StateWaiting {
		t.Errorf("the next run: %s", r.State)
	}
	w.mkdir("plain")
	for _, workspace := range []string{"project", "plain"} {
		if s := w.open(workspace); !s.IsPersistent() {
			t.Errorf("%s in a home folder that is a repository keeps nothing", workspace)
		}
	}
}

func TestAgreeForRunKeepsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/run.sh", "1")
	item := w.server(`{}`, "./run.sh")
	s := w.open("project")
	s.ApproveForRun(w.review(s, item)...)
	if err := s.Check(item); err != nil {
		t.Error(err)
	}
	w.write("project/run.sh", "2")
	if err := s.Check(item); err == nil {
		t.Error("other bytes run")
	}
	if err := w.open("project").Check(item); err == nil {
		t.Error("it was kept")
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	got := consent.Variables("Bearer ${TOKEN:-x} $A", "${env:B}", `"$CLAUDE_PROJECT_DIR"/x $A`, "plain $1 $$")
	if want := []string{"A", "B", "TOKEN"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Content that can't be read completely can't be approved.
func TestBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/big", "")
	if err := os.Truncate(filepath.Join(w.root, "big"), 65<<20); err != nil {
		t.Fatal(err)
	}
	s := w.open("project")
	for n := range 51 {
		w.write(fmt.Sprintf("project/file%d", n), "")
		w.mkdir(fmt.Sprintf("project/folder%d", n))
	}
	numbered := func(name string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint(name, i))
		}
		return all
	}
	for _, tt := range []struct {
		command []string
		says    string
	}{
		{[]string{"./big"}, "which is larger than 64 MiB"},
		{numbered("word", 500), ""},
		{numbered("word", 501), "more than 500 words"},
		{slices.Repeat(numbered("word", 500), 2), ""},
		{numbered("file", 50), ""},
		{numbered("file", 51), "more than 50 files"},
		{numbered("folder", 19), ""},
		{numbered("folder", 20), "more than 20 folders"},
	} {
		item := w.server(`{}`, tt.command...)
		r := w.review(s, item)[0]
		if !strings.Contains(r.Problem, tt.says) || (r.Problem == "") != (tt.says == "") {
			t.Errorf("%.20q: %q, want %q", tt.command, r.Problem, tt.says)
		}
		if tt.says == "" {
			continue
		}
		s.ApproveForRun(r)
		for what, err := range map[string]error{"agreeing": s.Approve(day, r), "using": s.Check(item)} {
			if err == nil || !strings.Contains(err.Error(), ": "+r.Problem) {
				t.Errorf("%s %.20q: %v", what, tt.command, err)
			}
		}
	}
}

// Programs that answer at the same time lose no answer.
func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const programs, each = 4, 8
	var answering sync.WaitGroup
	for p := range programs {
		answering.Go(func() {
			s := w.open("project")
			for n := range each {
				item := w.server(fmt.Sprintf(`{"program":%d,"n":%d}`, p, n), "db")
				shown, err := s.Review([]consent.Item{item})
				if err == nil {
					err = s.Approve(day, shown...)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	answering.Wait()
	for p := range programs {
		for n := range each {
			if err := w.open("project").Check(w.server(fmt.Sprintf(`{"program":%d,"n":%d}`, p, n), "db")); err != nil {
				t.Errorf("answer %d of program %d: %v", n, p, err)
			}
		}
	}
}
