package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/cmdline"
)

const shell = "run_shell_command"

// subjects returns the subject of the tools in rules.
func subjects(tool string) (Subject, error) {
	switch tool {
	case shell:
		return SubjectCommands, nil
	case "replace", "write_file":
		return SubjectFiles, nil
	case "web_fetch":
		return SubjectNone, nil
	case "web_search":
		return SubjectHosts, nil
	}
	return SubjectNone, fmt.Errorf("unknown tool %q", tool)
}

// reader returns a function that parses a command line in a folder with the subfolder sub. The
// function returns the commands that are not known to be read-only, or none if the line is not
// plain.
func reader(t *testing.T) func(line string) []cmdline.Command {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	at := cmdline.CommandContext{Dir: root, Inside: func(path string) bool { return strings.HasPrefix(path, root) }}
	return func(line string) []cmdline.Command {
		parsed, err := cmdline.Read(line).PlainCommands()
		if err != nil {
			return nil
		}
		return parsed.UnprovenCommands(at)
	}
}

func TestRulesAllowCommands(t *testing.T) {
	t.Parallel()
	commands := reader(t)
	for _, c := range []struct {
		rules, line string
		want        bool
	}{
		{"go test *", "go test ./...", true},
		{"go test *", "go test", true},
		{"go test *", `go  "te"st 'x y'`, true},
		{"go test *", "go test ./... | tail -5", true},
		{"go test *", "cd sub && go test ./... 2>&1", true},
		{"go test *", "go tester", false},
		{"go test *", "go testx y", false},
		{"go test *", "go vet", false},
		{"go test *", "go", false},
		{"go test *", "go test ./... && rm x", false},
		{"go test *", "go test ./...; rm x", false},
		{"go test *", "go test\nrm x", false},
		{"go test *", "go test $(rm x)", false},
		{"go test *", "go test > f", false},
		{"go test *", "go test & rm x", false},
		{"go test *", "env go test", false},
		{"go test *", "X=1 go test", false},
		{"go test *|rm x", "go test && rm x", true},
		{"go test *|rm x", "go test && rm y", false},
		{"make", "make", true},
		{"make", "make install", false},
		{"git commit -m 'a b'", `git commit -m "a b"`, true},
		{"git commit -m 'a b'", "git commit -m a b", false},
		{"ls 'a*'", "ls -Q a*", false},
		{"rm 'a*'", "rm 'a*'", true},
		{"rm 'a*'", "rm a*", false},
		{"*", "rm -rf $(x) > f &", true},
	} {
		var rules Rules
		for pattern := range strings.SplitSeq(c.rules, "|") {
			rule, err := Parse(shell+"("+pattern+")", subjects)
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, rule)
		}
		if got := rules.Allows(shell, commands(c.line), nil); got != c.want {
			t.Errorf("rules %q allow %q = %v, want %v", c.rules, c.line, got, c.want)
		}
	}
}

func TestRulesAllowEdits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		paths []string
		want  bool
	}{
		{"write_file(docs/**)", []string{"docs/a.md"}, true},
		{"write_file(docs/)", []string{"docs/x/a.md"}, true},
		{"write_file(docs/**)", []string{"docs2/a.md"}, false},
		{"write_file(docs/**)", []string{"docs/a.md", "main.go"}, false},
		{"write_file(*.md)", []string{"README.md"}, true},
		{"write_file(*.md)", []string{"docs/x/a.md"}, true},
		{"write_file(*.md)", []string{"a.mdx"}, false},
		{"write_file(docs/*.md)", []string{"docs/a.mdx"}, false},
		{"write_file(/*.md)", []string{"docs/a.md"}, false},
		{"write_file(/*.md)", []string{"a.md"}, true},
		{"write_file(./docs/**)", []string{"docs/a.md"}, true},
		{"write_file(*)", []string{"a/b/c"}, true},
		{"write_file(*)", nil, true},
		{"replace(*)", []string{"a"}, false},
		{"write_file(docs/**)", nil, false},
	} {
		rule, err := Parse(c.rule, subjects)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Rules{rule}).Allows("write_file", nil, c.paths); got != c.want {
			t.Errorf("%s allows %v = %v, want %v", c.rule, c.paths, got, c.want)
		}
	}
}

// A star within a rule matches any text, including several words, as in other coding agents. A file
// that a sandboxed command may have written is only allowed by a rule that contains its name.
func TestStarsWithinRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, line string
		want       bool
	}{
		{"touch ran*", "touch ran", true},
		{"touch ran*", "touch ran-1 ran-2", true},
		{"touch ran*", "touch 'ran a'", true},
		{"touch ran*", "touch x ran", false},
		{"touch ran*", "touch", false},
		{"touch ran*", "rm ran", false},
		{"touch a.b*", "touch axb", false},
		{"git * main", "git push origin main", true},
		{"git * main", "git main", false},
		{"git * main", "git 'push main'", false},
		{"git * main", "git push maintenance", false},
		{"npm run test* *", "npm run test:unit", true},
		{"npm run test* *", "npm run test --x", true},
		{"npm run test* *", "npm run lint", false},
	} {
		rule, err := Parse("run_shell_command("+c.rule+")", subjects)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := cmdline.Read(c.line).PlainCommands()
		if err != nil {
			t.Fatal(err)
		}
		if got := (Rules{rule}).Allows("run_shell_command", parsed.Commands, nil); got != c.want {
			t.Errorf("%s allows %s: %t", rule, c.line, got)
		}
	}
	rule, err := Parse("run_shell_command(sh ./x* b*)", subjects)
	if err != nil {
		t.Fatal(err)
	}
	written := cmdline.Command{{Text: "sh"}, {Text: "./x.sh", Written: true}, {Text: "b"}}
	if (Rules{rule}).Allows("run_shell_command", []cmdline.Command{written}, nil) {
		t.Error("a star stands for a program that a confined command wrote")
	}
	if got, want := rule.Describe(), "any `sh ./x* b*`"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A rule for commands allows no file, and a rule for files allows no command. Neither allows a word
// that a sandboxed command may have written, unless the rule contains it.
func TestRulesAreAboutOneThing(t *testing.T) {
	t.Parallel()
	command, files := Rule{tool: "both", pattern: "a", words: []string{"a"}, more: true}, Rule{tool: "both", pattern: "a"}
	a, written := cmdline.Word{Text: "a"}, cmdline.Word{Text: "b", Written: true}
	for _, c := range []struct {
		rule     Rule
		commands []cmdline.Command
		files    []string
		want     bool
	}{
		{command, []cmdline.Command{{a}}, nil, true},
		{command, nil, []string{"a"}, false},
		{files, nil, []string{"a"}, true},
		{files, []cmdline.Command{{a}}, nil, false},
		{files, []cmdline.Command{{}}, nil, false},
		{command, []cmdline.Command{{a, written}}, nil, false},
		{Rule{tool: "both", words: []string{"a", "b"}}, []cmdline.Command{{a, written}}, nil, true},
	} {
		if got := (Rules{c.rule}).Allows("both", c.commands, c.files); got != c.want {
			t.Errorf("%+v allows %+v %q: %t", c.rule, c.commands, c.files, got)
		}
	}
}

// A rule names a protected file only literally. Upper and lower case are equal, and patterns do not
// count.
func TestRulesNameLiterally(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, name string
		want       bool
	}{
		{"write_file(.vscode/**)", ".vscode", true},
		{"write_file(.VSCode/x)", ".vscode", true},
		{"write_file(.vscode/**)", ".VSCode", true},
		{"write_file(**)", ".vscode", false},
		{"write_file(.github/x)", ".github/workflows", true},
		{"write_file(a.pem)", "*.pem", true},
		{"write_file(a.key)", "*.pem", false},
		{"write_file(a)", "", false},
		{"write_file(a)", "*", false},
	} {
		rule, err := Parse(c.rule, subjects)
		if err != nil {
			t.Fatal(err)
		}
		if got := len((Rules{rule}).RulesNaming(c.name)) > 0; got != c.want {
			t.Errorf("%s names %q: %t", rule, c.name, got)
		}
	}
}

// The prompt does not offer "always" for commands that delete files, with any path or program.
func TestDelete(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"go test ./...": false, "rm -rf build": true, "make && sudo rm x": true, "find . -name x -delete": true, "git clean -fd": true,
		"/bin/rm x": true, "touch rm.txt": false, "xargs rm": true,
	} {
		parsed, err := cmdline.Read(line).PlainCommands()
		if err != nil || AnyDeletes(parsed.Commands) != want {
			t.Errorf("%s: %t, %v", line, !want, err)
		}
	}
}

func TestParseRuleErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "write it as TOOL(PATTERN)",
		"run_shell_command":              "write it as TOOL(PATTERN)",
		"run_shell_command()":            "write it as TOOL(PATTERN)",
		"run_shell_command(go test":      "write it as TOOL(PATTERN)",
		"(go test)":                      "unknown tool",
		"run_shel_command(go test)":      "unknown tool",
		"run_shell_command(go test?)":    "can't contain ?, or * together with quotes",
		"run_shell_command(go 'a b'*)":   "unclear what the pattern",
		"run_shell_command(* --version)": "must name the program",
		"run_shell_command(go* x)":       "must name the program",
		"run_shell_command(go $X*)":      "only plain words",
		"run_shell_command(go a* && rm)": "only plain words",
		"write_file(~/x)":                "relative to the workspace",
		"write_file(//etc/x)":            "relative to the workspace",
		"run_shell_command(go && rm *)":  "single command",
		"run_shell_command(go $HOME)":    "not a plain command",
		"run_shell_command(X=1 go test)": "assigns a variable",
		"write_file([)":                  "not a valid glob",
		"write_file(../x)":               `must not contain ".."`,
		"web_fetch(example.org)":         "the only pattern for this tool is *",
	} {
		if rule, err := Parse(text, subjects); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, %v; want an error with %q", text, rule, err, want)
		}
	}
}

func TestAlwaysAllowTheLikeAndNoMore(t *testing.T) {
	t.Parallel()
	commands := reader(t)
	for _, c := range []struct{ line, name, rules, like, unlike string }{
		{"go test ./...", "any `go test …`", "run_shell_command(go test *)", "go test -run X .", "go run ."},
		{"cd sub && go build && go test ./... | tail", "any `go build …`, any `go test …`", "run_shell_command(go build *) run_shell_command(go test *)", "go test x && go build y", "go vet"},
		{"go test a && go test b", "any `go test …`", "run_shell_command(go test *)", "go test", "go"},
		{"npm run lint -- --fix", "any `npm run lint …`", "run_shell_command(npm run lint *)", "npm run lint", "npm run deploy"},
		{"rm -rf build", "exactly `rm -rf build`", "run_shell_command(rm -rf build)", "rm -rf build", "rm -rf /"},
		{"bash -c 'a b'", "exactly `bash -c 'a b'`", "run_shell_command(bash -c 'a b')", `bash -c "a b"`, "bash -c 'rm x'"},
		{"git -c x=y log", "exactly `git -c 'x=y' log`", "run_shell_command(git -c 'x=y' log)", "git -c x=y log", "git -c x=z log"},
		{"go -C /etc version", "exactly `go -C /etc version`", "run_shell_command(go -C /etc version)", "go -C /etc version", "go -C /etc run ."},
		{"rm 'a\nb'", "exactly `rm 'a\nb'`", "run_shell_command(rm 'a\nb')", "rm 'a\nb'", "rm a b"},
		{"rm '*'", "exactly `rm '*'`", "run_shell_command(rm '*')", "rm '*'", "rm a"},
		{"git add a*", "any `git add …`", "run_shell_command(git add *)", "git add b*", "git push"},
		{"make", "exactly `make`", "run_shell_command(make)", "make", "make install"},
		{"gofmt", "any `gofmt …`", "run_shell_command(gofmt *)", "gofmt -w x", "go fmt"},
		{"go te*t", "", "", "", "go test"},
		{"rm a*", "", "", "", "rm a*"},
		{"rm a* b", "", "", "", "rm a* b"},
		{"rm $x", "", "", "", "rm $x"},
	} {
		rules := AlwaysAllow(shell, commands(c.line))
		var written, names []string
		for _, rule := range rules {
			written, names = append(written, rule.String()), append(names, rule.Describe())
			if again, err := Parse(rule.String(), subjects); err != nil || again.String() != rule.String() {
				t.Errorf("%q: the rule %s reads back as %s, %v", c.line, rule, again, err)
			}
		}
		if name := strings.Join(names, ", "); name != c.name || strings.Join(written, " ") != c.rules {
			t.Errorf("Always(%q) = %q, %q; want %q, %q", c.line, written, name, c.rules, c.name)
		}
		if c.like != "" && !(rules.Allows(shell, commands(c.line), nil) && rules.Allows(shell, commands(c.like), nil)) {
			t.Errorf("after always for %q, it or %q is asked about again", c.line, c.like)
		}
		if rules.Allows(shell, commands(c.unlike), nil) {
			t.Errorf("after always for %q, %q runs without asking", c.line, c.unlike)
		}
	}
}

// If a program runs its arguments as a command, only the exact command can be allowed permanently.
func TestAlwaysOfLaunchersIsExact(t *testing.T) {
	t.Parallel()
	commands := reader(t)
	for _, line := range []string{
		"uv run pytest", "npm exec tsc", "pnpm exec tsc", "pnpm dlx cowsay", "yarn dlx cowsay", "bun x cowsay", "bundle exec rake",
		"poetry run pytest", "docker run alpine", "docker exec web ls", "kubectl exec web -- ls", "go run ./cmd", "go tool pprof",
		"cargo run", "git config a.b c", "git submodule update", "git bisect start", "git rebase main", "pip install x", "npm install x",
	} {
		rules := AlwaysAllow(shell, commands(line))
		if len(rules) != 1 || rules[0].Describe() != "exactly `"+line+"`" {
			t.Errorf("always for %q allows %v", line, rules)
		}
		if rules.Allows(shell, commands(line+" more"), nil) {
			t.Errorf("after always for %q, more of it runs without asking", line)
		}
	}
}

// TestRulesAllowingHosts checks that a rule for a host allows searches that are restricted to the
// host or its subdomains.
func TestRulesAllowingHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule  string
		hosts []string
		want  bool
	}{
		{"web_search(*)", nil, true},
		{"web_search(domain:a.example)", nil, false},
		{"web_search(domain:a.example)", []string{"a.example"}, true},
		{"web_search(domain:A.example)", []string{"docs.a.example"}, true},
		{"web_search(domain:a.example)", []string{"nota.example"}, false},
		{"web_search(domain:a.example)", []string{"a.example", "b.example"}, false},
		{"web_fetch(*)", []string{"a.example"}, false},
	} {
		rule, err := Parse(tt.rule, subjects)
		if got := (Rules{rule}).MatchingHostRules("web_search", tt.hosts) != nil; err != nil || got != tt.want {
			t.Errorf("%s allows %q: %t, %v", tt.rule, tt.hosts, got, err)
		}
	}
	for _, wrong := range []string{"web_search(a.example)", "web_search(domain:)", "web_search(domain:*.example)", "web_search(domain:https://a)"} {
		if _, err := Parse(wrong, subjects); err == nil {
			t.Errorf("%s is a rule", wrong)
		}
	}
}
