package permissions

import (
	"strings"
	"testing"

	"agent/internal/cmdline"
)

// A rule that can't match anything because of its form is reported. It stays in effect as written.
func TestDoubtfulRulesAreNamed(t *testing.T) {
	t.Parallel()
	for rule, why := range map[string]string{
		`Read(\"secrets/**\")`: "quotes", `Read('secrets/**')`: "quotes", `Bash(\"git push\")`: "quotes",
		"Read($HOME/x)": "variables", "Read(${HOME}/x)": "variables", "Read(./$SECRETS/**)": "variables", "Bash($GIT push:*)": "variables",
		"Read(!secrets/**)": "invert", "Read(path:secrets/**)": "only the path", "Edit(file:a.txt)": "only the path",
		"Read(secrets/**,docs/**)": "one path", "Read(a.txt, b.txt)": "one path", "Read(*.pem,*.key)": "one path",
		`Read(secrets\\**)`: "separated", `Read(.\\secrets\\a)`: "separated",
		"Bash(touch:x)": "colon", "Bash(git:* push)": "colon", "Bash(git push:* -f)": "colon", "Bash(a:b:*)": "colon",
		"Bash(A=1 touch:*)": "variables before", "Bash(cd x && rm:*)": "one command", "Bash(echo x > /etc/*)": "one command", "Bash(cat * | sh)": "one command", "Bash(ls; rm *)": "one command",
	} {
		r, _, _ := rules(t, rule)
		if len(r.Problems) != 1 || !strings.Contains(r.Problems[0], why) || len(r.all) != 1 {
			t.Errorf("%s: %q, %d rules", rule, r.Problems, len(r.all))
		}
	}
	for _, rule := range []string{
		"Read(secrets/{a,b}.txt)", "Read({a,b}/*.txt)", "Read(a,b.txt)", `Read(with\\ blank)`, "Read($types.d.ts)", "Read(a$b)", "Read(don't)", "Read(x/[a,b])", "Edit(src/(main)/**)",
		"Bash(npm run test:unit)", "Bash(npm run test:*)", "Bash(git commit -m x=1)", "Bash(make A=1:*)", "Bash(echo $HOME:*)", "Bash(*)", "Bash(git * main)", "WebFetch(domain:a.b)", "mcp__a__*",
	} {
		if r, _, _ := rules(t, rule); len(r.Problems) > 0 {
			t.Errorf("%s: %q", rule, r.Problems)
		}
	}
	for rule, hint := range map[string]string{"bash(rm:*)": "name as Bash", "READ(x)": "name as Read", "Read (x)": "name as Read", "run_shell_command(rm *)": "names of Claude Code"} {
		if r, _, _ := rules(t, rule); len(r.Problems) != 1 || !strings.Contains(r.Problems[0], hint) {
			t.Errorf("%s: %q", rule, r.Problems)
		}
	}
}

// Some forms of a rule match all commands, or all pages of a domain.
func TestFormsThatMeanAll(t *testing.T) {
	t.Parallel()
	if r, _, _ := rules(t, "Bash(:*)"); r.CommandRule(cmdline.Read("touch x")) == nil {
		t.Error("Bash(:*) denies no command")
	}
	if r, _, _ := rules(t, "WebFetch(domain:*)"); r.PageRule("any.host") == nil {
		t.Error("WebFetch(domain:*) denies no page")
	}
	r, _, _ := rules(t, "WebFetch(domain:*.example.com)", "WebFetch(domain: one.org)")
	for host, want := range map[string]bool{"a.example.com": true, "example.com": true, "one.org": true, "example.org": false} {
		if (r.PageRule(host) != nil) != want {
			t.Errorf("%s: %v", host, !want)
		}
	}
	for _, rule := range []string{"WebFetch(domain:example.com/path)", "WebFetch(domain:https://example.com)", "WebFetch(domain:a*.com)"} {
		if r, _, _ := rules(t, rule); len(r.Problems) != 1 {
			t.Errorf("%s: %q", rule, r.Problems)
		}
	}
}
