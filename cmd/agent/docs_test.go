package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"agent/docs"
	"agent/internal/app"
	"agent/internal/command"
	"agent/internal/manual"
	"agent/internal/settings"
	"agent/internal/slash"
)

// questions are everyday questions as hands type them, with the page that answers them.
var questions = []struct{ asked, page string }{
	{"use another model", "how-to/choose-a-model"},
	{"add an MCP server", "how-to/connect-mcp-servers"},
	{"allow go test for ever", "how-to/approve-and-allow"},
	{"undo the last turn", "how-to/undo-and-rewind"},
	{"what was pruned", "concepts/context-engine"},
	{"limit the cost", "how-to/control-costs"},
	{"budget", "how-to/control-costs"},
	{"headless in CI", "how-to/script-and-ci"},
	{"my ChatGPT subscription", "how-to/use-a-subscription"},
	{"search the web", "how-to/search-the-web"},
	{"give the task to an agent", "how-to/delegate-to-subagents"},
	{"yesterday's session", "how-to/resume-search-share"},
	{"change the theme", "how-to/customize-the-screen"},
	{"remember something", "how-to/remember-things"},
	{"memory", "how-to/remember-things"},
	{"share a session", "how-to/resume-search-share"},
	{"review a pull request", "how-to/review-changes"},
	{"ollama", "how-to/use-a-local-model"},
	{"vim keys", "how-to/customize-the-screen"},
	{"paste a screenshot", "how-to/write-messages"},
	{"docker", "how-to/run-in-containers-and-fleets"},
	{"zed", "how-to/use-in-an-editor"},
	{"write a hook", "reference/hooks"},
	{"add my own slash command", "how-to/extend"},
	{"import from claude code", "how-to/migrate"},
	{"exit codes", "reference/exit-codes"},
	{"bedrock", "how-to/use-a-cloud-or-gateway"},
	{"is my data sent", "concepts/privacy"},
	{"plan before editing", "how-to/plan-first"},
	{"network in the sandbox", "concepts/sandbox"},
	{"cache miss", "concepts/cache-and-cost"},
}

// One step answers: the right page is the first or second hit.
func TestHowDoI(t *testing.T) {
	t.Parallel()
	pages := manual.Pages(docs.Files)
	for _, q := range questions {
		found := manual.Search(q.asked, nil, pages)
		var names []string
		for _, section := range found.Sections {
			names = append(names, section.Page)
		}
		if !strings.Contains(strings.Join(names[:min(2, len(names))], " "), q.page) {
			t.Errorf("%q leads to %v, want %s", q.asked, names, q.page)
		}
	}
}

// /help WORDS and agent help WORDS print the section, and the names that fit.
func TestHelpAnswers(t *testing.T) {
	t.Parallel()
	commands := slash.New(t.Context(), slash.Deps{Settings: settings.New(app.Registry()), Manual: func() []manual.Page { return manual.Pages(docs.Files) }})
	var run command.Output
	run, err := commands.Run(t.Context(), "/help limit the cost")
	if err != nil || !strings.Contains(strings.Join(run.Lines, "\n"), "/set max-cost") || !strings.Contains(run.Answer, "--max-cost 0.50") {
		t.Errorf("%v\n%s\n%s", err, strings.Join(run.Lines, "\n"), run.Answer)
	}
	for line, want := range map[string]string{
		"docs":               "How do I",
		"docs undo":          "# Undo and rewind",
		"docs reference/cli": "# Commands and flags",
		"docs -s cache miss": "agent docs cache-and-cost",
		"help limit cost":    "max-cost",
		"help sessions list": "agent sessions list",
		"help approve":       "agent docs approve-and-allow",
	} {
		var out bytes.Buffer
		w := world{process: &app.Process{Now: time.Now}, out: &out, people: &out}
		if status := execute(t.Context(), strings.Fields(line), w); status != exitOK || !strings.Contains(out.String(), want) {
			t.Errorf("agent %s: %d, no %q in\n%s", line, status, want, out.String())
		}
	}
}

// Words that look like a command are never sent to a model; short prompts are.
func TestWordsAreNotSent(t *testing.T) {
	t.Parallel()
	root := testRoot()
	for _, line := range []string{"undo-and-rewind", "sandbox", "trust", "privacy", "glossary", "commands", "troubleshoot", "sesions list", "session list", "mpc add", "notse check", "plugn list", "sessons search", "doctr", "settngs", "config", "auth", "modls", "logn", "serve"} {
		if words := strings.Fields(line); rootCommand(line) {
			continue
		} else if err := mistyped(root, words); err == nil {
			t.Errorf("%q is sent to a model", line)
		}
	}
	for _, c := range root.Commands() {
		for _, sub := range c.Commands() {
			name := []rune(c.Name())
			typo := string(name[:len(name)-2]) + string(name[len(name)-1]) + string(name[len(name)-2]) // the last two letters swapped
			if typo != c.Name() && mistyped(root, []string{typo, sub.Name()}) == nil {
				t.Errorf("%q is sent to a model", typo+" "+sub.Name())
			}
		}
	}
	for _, prompt := range []string{
		"hello", "hi", "fix it", "log", "set", "log in users", "why", "fix the tests", "add tests", "run tests", "continue", "explain main.go", "list files", "rename it", "what now", "thanks",
		"commit this", "go on", "refactor", "add a model", "show errors", "test it", "clean up", "write docs", "update deps", "session handling bug", "model the data", "import order", "note this down", "do it", "yes",
	} {
		if err := mistyped(root, strings.Fields(prompt)); err != nil {
			t.Errorf("%q is not sent: %v", prompt, err)
		}
	}
}

// rootCommand reports whether a line runs a command, so that nothing is mistyped.
func rootCommand(line string) bool {
	c, _, err := testRoot().Find(strings.Fields(line))
	return err == nil && c.HasParent()
}
