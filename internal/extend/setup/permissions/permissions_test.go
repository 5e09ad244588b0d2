package permissions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/base/fsutil"
	"agent/internal/cmdline"
	"agent/internal/extend/setup/trustedfile"
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

// rules returns the rules of a project with these deny rules.
func rules(t *testing.T, deny ...string) (r Rules, root, home string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(home, "work")
	write(t, root+"/.git/HEAD", "")
	write(t, root+"/target/a", "")
	if err := os.Symlink("target", root+"/link"); err != nil {
		t.Fatal(err)
	}
	write(t, root+"/.claude/settings.json", `{"permissions":{"deny":["`+strings.Join(deny, `","`)+`"]}}`)
	return Read(trustedfile.Locations{Home: home, Workspace: root}), root, home
}

func TestRulesAboutFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, denied, free string
	}{
		{"Read(./secrets/**)", "W/secrets/a/b", "W/secrets.txt"},
		{"Read(secrets/)", "W/x/secrets/a", "W/secretsx/a"},
		{"Read(.env)", "W/a/b/.env", "W/.env.example"},
		{"Read(.env.*)", "W/.env.local", "W/.env"},
		{"Read(/config/keys.json)", "W/config/keys.json", "W/x/config/keys.json"},
		{"Read(//etc/passwd)", "/etc/passwd", "W/etc/passwd"},
		{"Read(~/.aws/**)", "H/.aws/credentials", "W/.aws/x"},
		{"Read(**/*.pem)", "W/a/b.pem", "W/a/b.pem.txt"},
		{"Read( .env )", "W/.env", "W/x"},
		{"Read(./link)", "W/target/a", "W/x"},
		{"Read", "W/anything", ""},
		{"Read(*)", "/etc/hosts", ""},
		{"Read(**)", "/etc/hosts", ""},
		{"Read()", "/etc/hosts", ""},
		{"Read(//**)", "/etc/hosts", ""},
		{"Edit(docs/**)", "", "W/docs/a"},
	} {
		r, root, home := rules(t, c.rule)
		at := strings.NewReplacer("W", root, "H", home)
		if len(r.Problems) > 0 {
			t.Errorf("%s: %v", c.rule, r.Problems)
		}
		if c.denied != "" && r.ReadRule(at.Replace(c.denied)) == nil {
			t.Errorf("%s lets %s be read", c.rule, c.denied)
		}
		if c.denied != "" && r.EditRule(at.Replace(c.denied)) == nil {
			t.Errorf("%s lets %s be changed", c.rule, c.denied)
		}
		if c.free != "" && r.ReadRule(at.Replace(c.free)) != nil {
			t.Errorf("%s denies %s", c.rule, c.free)
		}
	}
	for _, rule := range []string{"Edit(docs/**)", "Write(docs/**)"} {
		if r, root, _ := rules(t, rule); r.EditRule(root+"/docs/a.md") == nil || r.EditRule(root+"/a.md") != nil {
			t.Errorf("%s", rule)
		}
	}
}

func TestRulesAboutCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, line string
		denied     bool
	}{
		{"Bash(git push:*)", "git push", true},
		{"Bash(git push:*)", "git push origin main", true},
		{"Bash(git push *)", "cd x && git push --force", true},
		{"Bash(git push:*)", "git pusher", false},
		{"Bash(git push:*)", "git log --grep 'git push'", false},
		{"Bash(git push:*)", "echo $(git push)", true},
		{"Bash(git push:*)", "if true; then git push; fi", true},
		{"Bash(git push:*)", "/usr/bin/git push", true},
		{"Bash(git push:*)", "sudo -n git push", true},
		{"Bash(git push:*)", "bash -c 'git  push'", true},
		{"Bash(git push:*)", "timeout 5 bash -c 'git push'", true},
		{"Bash(git push:*)", "timeout 5 bash -c 'x; git push'", true},
		{"Bash(git push:*)", `sudo sh -c "bash -c 'git push'"`, true},
		{"Bash(git push *)", "git push", true},
		{"Bash(/usr/bin/git push)", "/usr/bin/git push", true},
		{"Bash(reboot)", "bash -c reboot", true},
		{"Bash(reboot)", "sh -lc reboot", true},
		{"Bash(reboot)", "bash -cx reboot", true},
		{"Bash(reboot)", "bash -c -e -- reboot", true},
		{"Bash(reboot)", "bash --rcfile reboot", false},
		{"Bash(reboot)", "eval reboot", true},
		{"Bash(reboot)", "bash reboot", false},
		{"Bash(reboot)", "bash -x reboot", false},
		{"Bash(reboot)", "bash doc reboot", false},
		{"Bash(git push:*)", "bash -c -- 'git push'", true},
		{"Bash(git push:*)", "sudo /usr/bin/git push", true},
		{"Bash(git push:*)", "sudo /bin/sh -c 'x; git push'", true},
		{"Bash(/usr/bin/git push)", "sudo /usr/bin/git push", true},
		{"Bash(git push:*)", "GIT_X=1 git push", true},
		{"Bash(git push:*)", "g'it' pu\\sh", true},
		{"Bash(rm -rf /)", "rm -rf /", true},
		{"Bash(rm -rf /)", "rm -rf /tmp/x", false},
		{"Bash(rm -rf /)", "rm -rf / x", false},
		{"Bash(git * main)", "git push origin main", true},
		{"Bash(git * main)", "git push origin dev", false},
		{"Bash(curl:*)", "a | xargs curl x", true},
		{"Bash(touch:*)", "find . -exec touch {} +", true},
		{"Bash(touch:*)", "find . -name touch", false},
		{"Bash(touch:*)", "fd -x touch", true},
		{"Bash(touch:*)", "flock l touch x", true},
		{"Bash(touch:*)", "watch 'touch x'", true},
		{"Bash(touch:*)", "env -S 'touch x'", true},
		{"Bash(touch:*)", "trap 'touch x' EXIT", true},
		{"Bash(touch:*)", "ls $x; echo \"$y\"; for f in *; do cat \"$f\"; done; bash s.sh", false},
		{"Bash(rm -rf:*)", "rm -r -f x", true},
		{"Bash(rm -rf:*)", "rm -fr x", true},
		{"Bash(rm -rf:*)", "rm x -rfv", true},
		{"Bash(rm -rf:*)", "rm -r x", false},
		{"Bash(git push:*)", "git -C d push", true},
		{"Bash(git push:*)", "git --git-dir=d push", true},
		{"Bash(git push:*)", "git stash push", false},
		{"Bash(git push --force:*)", "git push origin --force", true},
		{"Bash(git push --force:*)", "git push --force-with-lease", false},
		{"Bash(git push:*)", "env -S'git push'", true},
		{"Bash(git push:*)", "su --command='git push' x", true},
		{"Bash(git push:*)", "script -qc'git push' /dev/null", true},
		{"Bash(git push:*)", "[[ -v 'a[$(git push)]' ]]", true},
		{"Bash(git push:*)", "x='a[$(git push)]'; echo $((x))", true},
		{"Bash(git push:*)", `printf -v "a[\$(git push)]" x`, true},
		{"Bash(git push:*)", "git.exe push", true},
		{"Bash(git push:*)", "mksh -c 'git push'", true},
		{"Bash(git push:*)", "bash-5.2 -c 'git push'", true},
		{"Bash(git push:*)", "setarch -R git push", true},
		{"Bash(rm -rf:*)", "find . -exec rm {} +", false},
		{"Bash(rm -rf:*)", "rm a*", false},
		{"Bash(rm -rf:*)", "find . -exec rm -rf {} +", true},
		{"Bash", "ls", true},
		{"Bash(*)", "ls", true},
	} {
		r, _, _ := rules(t, c.rule)
		if got := r.CommandRule(cmdline.Read(c.line)) != nil; got != c.denied {
			t.Errorf("%s on %q: %v", c.rule, c.line, got)
		}
	}
}

// If a line hides whether it runs a denied command, the rule requires approval.
func TestRulesAskAboutHiddenCommands(t *testing.T) {
	t.Parallel()
	for line, asks := range map[string]bool{
		"T=touch; $T x": true, "$(echo touch) x": true, "bash <<< 'touch x'": true, "echo touch x | sh": true, "bash <<'E'\ntouch x\nE": true, "/usr/bin/touc? x": true,
		"eval \"$x\"": true, "bash -c \"$x\"": true, "source <(echo touch x)": true, "bash -s x": true, "bash /dev/stdin": true, "xargs $x": true, "find . -exec $x {} +": true, "$'touch' x": true, "{touch,x}": true,
		"git $x": true, "git -C d $x": true, "git --no-pager $x": true,
		"echo push | xargs git": true, "echo push | xargs git -C d": true, "parallel git ::: push": true, "xargs -I{} git {}": true, "find push -exec git {} \\;": true, "git pu*": true, "git -C d pus?": true,
		"xargs git add": false, "find . -exec git add {} +": false, "git add pu*": false, "find . -name 'touc*' | xargs grep x": false, "git lo*": false,
		"hash -p /usr/bin/git x; x push": true, "zsh -c '=git push'": true, "fish -c 'git (echo push)'": true, "env -S 'git\\_push'": true, "zsh -c 'go test ./...'": false,
		"grep 'a$(b' x": false, "git commit -m 'use $(touch x)'": false, "test -f '$(x'": true,
		"git log $x": false, "git -C d log $x": false, "ls ~/x": false, "make $x": false, "bash s.sh $x": false, "source ./env": false, "bash -c 'ls $x'": false, "find . -exec ls {} +": false,
	} {
		r, _, _ := rules(t, "Bash(touch:*)", "Bash(git push:*)")
		rule := r.CommandRule(cmdline.Read(line))
		if got := rule != nil && rule.Effect == Ask && strings.Contains(rule.String(), "may match"); got != asks || !asks && rule != nil {
			t.Errorf("%q: %v", line, rule)
		}
	}
}

// Rules about files apply to the words of a command: the files it reads and the files it changes.
func TestRulesAboutFilesOfCommands(t *testing.T) {
	t.Parallel()
	r, root, home := rules(t, "Read(.env)", "Read(~/.aws/**)", "Read(./target/**)", "Edit(docs/**)")
	write(t, home+"/.aws/credentials", "")
	for line, want := range map[string]string{
		"cat .env": "Read(.env)", "cat sub/.env": "Read(.env)", "cat <.env": "Read(.env)", "FILE=.env ./run": "Read(.env)", "cat " + root + "/.env": "Read(.env)", "x 'cat .env'": "Read(.env)",
		"cat ~/.aws/credentials": "Read(~/.aws/**)", "cat link/a": "Read(./target/**)", "rm .env": "Read(.env)",
		"cat docs/a": "", "rm docs/a": "Edit(docs/**)", "/bin/rm docs/a": "Edit(docs/**)", "echo x >docs/a": "Edit(docs/**)", "echo x >>docs/a": "Edit(docs/**)", "cat a > 'docs/a'": "Edit(docs/**)", "ls": "",
		"sudo -u me rm docs/a": "Edit(docs/**)", "bash -c 'rm docs/a'": "Edit(docs/**)", "find . | xargs rm docs/a": "Edit(docs/**)", "cat a > 'docs/my file'": "Edit(docs/**)", "sudo cat docs/a": "",
	} {
		got := ""
		if rule := r.CommandFilesRule(cmdline.Read(line), root); rule != nil {
			got = rule.Text
		}
		if got != want {
			t.Errorf("%s is against %q, want %q", line, got, want)
		}
	}
	if r, root, _ := rules(t, "Read"); r.CommandFilesRule(cmdline.Read("cat a"), root) != nil {
		t.Error("a rule about all files is about every word")
	}
}

// If an ask rule matches a file, a deny rule that matches another file still denies.
func TestRulesThatDenyComeFirst(t *testing.T) {
	t.Parallel()
	r, root, _ := rules(t, "Edit(out)")
	r = r.PrependRules(Parse(Ask, []string{"Read(notes)"}, "", root, ""))
	for _, line := range []string{"cat notes > out", "bash -c 'cat notes > out'", "sudo cp notes out"} {
		if rule := r.CommandFilesRule(cmdline.Read(line), root); rule == nil || rule.Effect != Deny {
			t.Errorf("%s: %v", line, rule)
		}
	}
}

// A condition matches the same calls as a rule with the same text.
func TestConditions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		condition string
		subject   Subject
		holds     bool
	}{
		{"Bash(git *)", Subject{Tool: "Bash", Command: "git log"}, true},
		{"Bash(git *)", Subject{Tool: "Bash", Command: "ls"}, false},
		{"Bash(git *)", Subject{Tool: "Edit", Command: "git log"}, false},
		{"Bash", Subject{Tool: "Bash", Command: "ls"}, true},
		{"Edit(*.go)", Subject{Tool: "Edit", Files: []string{"/r/b", "/r/a.go"}}, true},
		{"Edit(*.go)", Subject{Tool: "Edit", Files: []string{"/r/b"}}, false},
		{"Edit(*.go)", Subject{Tool: "Edit", Files: []string{"r/b.go", "b.go", ""}}, false}, // matching has to end
		{"Edit(*.go)", Subject{Tool: "Read", Files: []string{"/r/a.go"}}, false},
		{"Edit", Subject{Tool: "Edit"}, true},
		{"WebFetch(domain:a.b)", Subject{Tool: "WebFetch", Host: "a.b"}, true},
		{"WebFetch(domain:a.b)", Subject{Tool: "WebFetch", Host: "b"}, false},
		{"mcp__s", Subject{Tool: "mcp__s__t"}, true},
		{"mcp__s", Subject{Tool: "mcp__t__s"}, false},
	} {
		c, err := ParseCondition(tt.condition, "/r", "/h")
		if err != nil || c.Matches(tt.subject) != tt.holds {
			t.Errorf("%s of %+v: %t, %v", tt.condition, tt.subject, !tt.holds, err)
		}
	}
	if _, err := ParseCondition("Read(", "/r", "/h"); err == nil || !(Condition{}).Matches(Subject{Tool: "Bash"}) {
		t.Error("a condition that is none, or none that holds")
	}
	if r := Parse(Ask, []string{"Read(a)", "Frobnicate"}, "f", "/r", "/h"); len(r.all) != 1 || len(r.Problems) != 1 || r.ReadRule("/r/a").Effect != Ask {
		t.Errorf("%+v", r)
	}
}

func TestOtherRules(t *testing.T) {
	t.Parallel()
	r, _, _ := rules(t, "WebFetch(domain:example.com)", "mcp__github__delete_repo", "mcp__db", "mcp__x__write*")
	for name, want := range map[string]bool{"mcp__github__delete_repo": true, "mcp__github__get": false, "mcp__db__query": true, "mcp__dbx__query": false, "mcp__x__write_a": true, "mcp__x__read": false} {
		if got := r.ServerRule(name) != nil; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for host, want := range map[string]bool{"example.com": true, "WWW.Example.com": true, "notexample.com": false} {
		if got := r.PageRule(host) != nil; got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

// An invalid rule is reported and never ignored silently.
func TestInvalidRulesAreReported(t *testing.T) {
	t.Parallel()
	if r, _, _ := rules(t, "WebFetch"); r.PageRule("any.host") == nil {
		t.Error("WebFetch denies no page")
	}
	for _, rule := range []string{"WebFetch(domain:a.b)", "WebFetch", "mcp__a"} {
		if r := Parse(Ask, []string{rule}, "f", "/", "/"); len(r.Problems) != 1 || len(r.all) > 0 {
			t.Errorf("asking by %s: %+v", rule, r)
		}
	}
	if r := Parse(Deny, []string{"Read(~/x)"}, "f", "/", ""); len(r.Problems) != 1 {
		t.Errorf("without a home folder: %+v", r)
	}
	for _, rule := range []string{"Frobnicate", "Frobnicate(x)", "Read(./a", "WebFetch(path:/x)", "mcp__a__b(x)", "Read([)"} {
		if r, _, _ := rules(t, rule); len(r.Problems) != 1 || len(r.all) > 0 {
			t.Errorf("%s: %v", rule, r.Problems)
		}
	}
	home := t.TempDir()
	write(t, home+"/work/.git/HEAD", "")
	write(t, home+"/work/.claude/settings.json", "{broken")
	write(t, home+"/own/.claude/settings.json", "{broken")
	for _, w := range []trustedfile.Locations{{Home: home, Workspace: home + "/work"}, {Home: home + "/own", Workspace: home + "/own/plain"}, {Home: home + "/own", Workspace: home + "/own"}} {
		if r := Read(w); len(r.Problems) != 1 {
			t.Errorf("%+v: %v", w, r.Problems)
		}
	}
}

// Deny rules have priority over ask rules, and the user's own file counts too.
func TestOrderOfRules(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, home+"/work/.git/HEAD", "")
	write(t, home+"/work/.claude/settings.json", `{"permissions":{"ask":["Bash(git:*)"]}}`)
	write(t, home+"/work/.claude/settings.local.json", `{"permissions":{"deny":["Bash(rm:*)"]}}`)
	write(t, home+"/.claude/settings.json", `{"permissions":{"deny":["Bash(git push:*)"]}}`)
	r := Read(trustedfile.Locations{Home: home, Workspace: home + "/work"})
	for line, want := range map[string]Effect{"git push": Deny, "git log": Ask, "rm x": Deny} {
		if rule := r.CommandRule(cmdline.Read(line)); rule == nil || rule.Effect != want {
			t.Errorf("%s: %v", line, rule)
		}
	}
	if r.CommandRule(cmdline.Read("ls")) != nil {
		t.Error("ls is against a rule")
	}
}

// Each form of a path has the same meaning in the user's file and in a repository's file, wherever
// the workspace is. A rule that can match nothing there is reported.
func TestRulesOfBothFiles(t *testing.T) {
	t.Parallel()
	forms := map[string]struct{ user, project bool }{ // whether W/secret/a.txt is denied
		"./secret/**":  {true, true},
		"secret/**":    {true, true},
		"**/secret/**": {true, true},
		"./secret/*":   {true, true},
		"secret/a.txt": {true, true},
		"/secret/**":   {false, true},
		"/W/secret/**": {true, true},
		"~/w/secret/*": {true, true},
		"":             {true, true},
		"a.txt":        {true, true},
	}
	for form, denied := range forms {
		for _, inHome := range []bool{true, false} {
			for _, own := range []bool{true, false} {
				base, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				home := filepath.Join(base, "home")
				root := filepath.Join(base, "w")
				if inHome {
					root = filepath.Join(home, "w")
				}
				write(t, root+"/.git/HEAD", "")
				write(t, root+"/secret/a.txt", "")
				write(t, root+"/free.txt", "")
				file, want := root, denied.project
				if own {
					file, want = home, denied.user
				}
				if strings.HasPrefix(form, "~") && !inHome {
					want = false
				}
				rule := func(tool string) string {
					if form == "" {
						return tool
					}
					return tool + "(" + strings.Replace(form, "/W", "//"+strings.TrimPrefix(filepath.ToSlash(root), "/"), 1) + ")"
				}
				write(t, file+"/.claude/settings.json", `{"permissions":{"deny":["`+rule("Read")+`","`+rule("Edit")+`"]}}`)
				for _, folder := range []string{root, root + "/secret"} {
					r := Read(trustedfile.Locations{Home: home, Workspace: folder})
					hidden, _ := r.UnreadablePaths()
					got := map[string]bool{
						"read":    r.ReadRule(root+"/secret/a.txt") != nil,
						"edit":    r.EditRule(root+"/secret/a.txt") != nil,
						"command": r.CommandFilesRule(cmdline.Read("cat ../w/secret/a.txt"), root) != nil || form == "",
						"hidden":  slices.ContainsFunc(hidden, func(path string) bool { return fsutil.Within(root+"/secret/a.txt", path) }) || form == "",
					}
					for way, is := range got {
						if is != want {
							t.Errorf("%s, own file %t, in the home %t, from %s: %s is denied: %t", form, own, inHome, filepath.Base(folder), way, is)
						}
					}
					if named, void := len(r.Problems) > 0, own && form == "/secret/**"; named != void {
						t.Errorf("%s, own file %t: %q", form, own, r.Problems)
					}
					if form != "" && r.ReadRule(root+"/free.txt") != nil {
						t.Errorf("%s denies too much", form)
					}
					if n, _ := r.InFile(filepath.Join(file, ".claude/settings.json")); n != 2 || len(r.Sources) != 1 {
						t.Errorf("%d rules of %q", n, r.Sources)
					}
				}
			}
		}
	}
}

// A server that searches gets the denied hosts, unless another rule limits searches.
func TestBlockedHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		effect Effect
		rules  string
		hosts  string
		all    bool
	}{
		{Deny, "WebFetch(domain:a.example) WebSearch(domain:*.b.example) WebFetch(domain:a.example) WebFetch Bash(ls)", "a.example b.example", true},
		{Deny, "WebFetch(domain:a.example) WebSearch", "", false},
		{Deny, "", "", true},
	} {
		hosts, all := Parse(tt.effect, strings.Fields(tt.rules), "f", "/w", "/h").BlockedHosts()
		if strings.Join(hosts, " ") != tt.hosts || all != tt.all {
			t.Errorf("%s %s: %v %v", tt.effect, tt.rules, hosts, all)
		}
	}
}

// A rule about web searches does not apply to pages, and a rule about pages does not apply to
// searches.
func TestSearchesAndPages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule           string
		search, page   bool
		found, bounded bool
	}{
		{"WebSearch", true, false, false, true},
		{"WebFetch", false, true, false, false},
		{"WebFetch(domain:a.example)", false, true, true, true},
		{"WebSearch(domain:a.example)", false, false, true, true},
		{"Bash(ls)", false, false, false, false},
	} {
		r := Parse(Deny, []string{tt.rule}, "f", "/w", "/h")
		if r.SearchRule() != nil != tt.search || r.PageRule("a.example") != nil != tt.page || r.RuleAgainstHost("a.example") != nil != tt.found || r.WebRule() != nil != tt.bounded {
			t.Errorf("%s: %v %v %v %v", tt.rule, r.SearchRule(), r.PageRule("a.example"), r.RuleAgainstHost("a.example"), r.WebRule())
		}
	}
}
