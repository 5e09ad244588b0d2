package trustedfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFrontmatter(t *testing.T) {
	t.Parallel()
	fields, body, ok := Frontmatter("\uFEFF---\r\nname: a-skill\r\ndescription: Use it: always, and \"often\"\r\nquoted: \"a \\\"b\\\"\"\r\n" +
		"# a comment\r\nfolded: >\r\n  one\r\n  two\r\nblock: |\r\n  one\r\n  two\r\nlong: it goes on\r\n  in the next line\r\n" +
		"list: [a, \"b, c\", {d,e}]\r\ncommas: Bash(git log:*, x), Read\r\nlines:\r\n  - one\r\n  - 'it''s'\r\nUpper-Case: yes\r\nempty:\r\n---\r\nbody\r\n---\r\nmore")
	if !ok || body != "body\n---\nmore" {
		t.Errorf("%t, %q", ok, body)
	}
	want := Fields{
		"name": "a-skill", "description": `Use it: always, and "often"`, "quoted": `a "b"`, "folded": "one two", "block": "one\ntwo",
		"long": "it goes on in the next line", "list": "a\nb, c\n{d,e}", "commas": "Bash(git log:*, x), Read", "lines": "one\nit's", "upper-case": "yes", "empty": "",
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for key, want := range map[string][]string{
		"list": {"a", "b, c", "{d,e}"}, "commas": {"Bash(git log:*, x)", "Read"}, "lines": {"one", "it's"}, "name": {"a-skill"}, "empty": nil, "none": nil,
	} {
		if diff := cmp.Diff(want, fields.List(key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	if !fields.Bool("upper-case", false) || !fields.Bool("none", true) || fields.Bool("name", false) {
		t.Error("truths")
	}
	for _, text := range []string{"", "no head", "---\nname: x\n", " ---\n---\n"} {
		if _, body, ok := Frontmatter(text); ok || body != text {
			t.Errorf("%q has a head", text)
		}
	}
}

func FuzzFrontmatter(f *testing.F) {
	f.Add("---\na: [b, \"c\"]\nd: |\n  e\n---\nf")
	f.Fuzz(func(t *testing.T, text string) {
		fields, _, _ := Frontmatter(text)
		for key := range fields {
			fields.List(key)
		}
	})
}

// Commas separate rules, as Claude Code writes them, or spaces do, as in the standard of skills.
func TestListsOfRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Bash(git add:*), Read":        {"Bash(git add:*)", "Read"},
		"Bash(git add:*) Read  Edit":   {"Bash(git add:*)", "Read", "Edit"},
		"Bash (git add:*) Read":        {"Bash (git add:*)", "Read"},
		"Read, Bash(a b) mcp__x__y":    {"Read", "Bash(a b)", "mcp__x__y"},
		"[Read, \"Bash(a, b)\"]":       {"Read", "Bash(a, b)"},
		"\"Bash(jq:*) Bash(git (x))\"": {"Bash(jq:*)", "Bash(git (x))"},
		"\n  - Bash(a b)\n  - Read":    {"Bash(a b)", "Read"},
		"":                             nil,
	} {
		fields, _, _ := Frontmatter("---\nallowed-tools: " + text + "\n---\n")
		if diff := cmp.Diff(want, fields.Rules("allowed-tools")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
