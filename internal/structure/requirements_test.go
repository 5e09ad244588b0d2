package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const ruleBook = "docs/dev/rules.md"

var idPattern = regexp.MustCompile(`\b(REQ-HD-\d{3}(\.\d+)?|(BR-[A-Z]+|EC|ERR)-\d{3}|[ORICAKSD]-\d{2}|P-\d)\b`)

// rule is a row of the tables in the rule book: its ID, its text, and whether it is only planned.
type rule struct {
	id, text string
	unbuilt  bool
}

func readRules(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile(ruleBook)
	if err != nil {
		t.Fatal(err)
	}
	var rules []rule
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		id, mark, _ := strings.Cut(strings.TrimSpace(cells[1]), ", ")
		if idPattern.FindString(id) == id && id != "" {
			rules = append(rules, rule{id, strings.TrimSpace(cells[2]), mark == "not built"})
		}
	}
	return rules
}

// Every ID in code, tests and documents is defined in the rule book.
func TestEveryCitedRuleIsInTheBook(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, r := range readRules(t) {
		if known[r.id] {
			t.Errorf("%s has two rows for %s", ruleBook, r.id)
		}
		if r.text == "" {
			t.Errorf("%s says nothing about %s", ruleBook, r.id)
		}
		known[r.id] = true
	}
	for id, file := range citations(t, ".go", ".md", ".txtar") {
		if !known[id] {
			t.Errorf("%s cites %s, which has no row in %s", file, id, ruleBook)
		}
	}
}

func TestEveryRuleIsNamedByATest(t *testing.T) {
	t.Parallel()
	named := citations(t, "_test.go")
	for _, r := range readRules(t) {
		file, found := named[r.id]
		switch {
		// The tests of its parts prove a rule with parts.
		case !found && !r.unbuilt && strings.HasPrefix(r.id, "REQ") && !strings.Contains(r.id, "."):
		case !found && !r.unbuilt:
			t.Errorf("no test names %s; name it where it is tested, or mark it as not built in %s", r.id, ruleBook)
		case found && r.unbuilt:
			t.Errorf("%s names %s; if it is built, remove \"not built\" from its row in %s", file, r.id, ruleBook)
		}
	}
}

// citations returns the IDs in files with one of the endings, and a file for each.
func citations(t *testing.T, endings ...string) map[string]string {
	t.Helper()
	cited := map[string]string{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || file == "requirements_test.go" || filepath.ToSlash(file) == ruleBook {
			return err
		}
		if !slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(file, ending) }) {
			return nil
		}
		text, err := os.ReadFile(file)
		for _, id := range idPattern.FindAllString(string(text), -1) {
			cited[id] = file
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return cited
}
