package main

import (
	"bytes"
	"fmt"
	"regexp"
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

// questions are everyday questions as users type them, with the page that answers each.
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

// One search is enough: the right page is the first or second hit.
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

// everyday lists 15 daily tasks as users type them, each with a part of its answer.
var everyday = []struct{ typed, answer string }{
	{"another model", "/model"},
	{"add an MCP server", "agent mcp add docs https://example.com/mcp"},
	{"allow go test for ever", "Press `A` at the prompt"},
	{"undo the last turn", "/undo"},
	{"what was pruned", "/density"},
	{"limit the cost", "/set max-cost"},
	{"headless in CI", `-p "`},
	{"my ChatGPT subscription", "a client ID from the vendor"},
	{"search the web", "/set web-search brave"},
	{"give the task to an agent", "@agent-explore"},
	{"yesterday's session", "agent -c"},
	{"theme", "/theme"},
	{"remember something", "/remember"},
	{"share a session", "agent sessions share"},
	{"review a pull request", "/review 12"},
}

// typedWords are single words that users try as a command, each with a part of its answer.
var typedWords = map[string]string{
	"allow": "/approval", "limit": "/set max-cost", "budget": "/set max-cost", "prune": "/density", "pr": "/review", "memory": "/notes",
	"subscription": "/login", "permissions": "/approval", "share": "/share", "web": "/web", "theme": "/theme", "yolo": "full-auto",
}

// The program answers each of 15 everyday questions, or names a page with the answer. This is true
// in the shell, in a session, and for the model, which reads the same pages.
func TestFifteenQuestionsInTwoSteps(t *testing.T) {
	t.Parallel()
	w := world{process: &app.Process{Now: time.Now}}
	commands := slash.New(t.Context(), slash.Deps{Settings: settings.New(app.Registry()), Manual: func() []manual.Page { return manual.Pages(docs.Files) }}, w.shellCommands(nil)...)
	shell := func(line string) string {
		var out bytes.Buffer
		if status := execute(t.Context(), strings.Fields(line), world{process: w.process, out: &out, people: &out}); status != exitOK {
			t.Errorf("%s: exit %d: %s", line, status, out.String())
		}
		return out.String()
	}
	session := func(line string) string {
		run, err := commands.Run(t.Context(), line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		return strings.Join(run.Lines, "\n") + "\n" + run.Answer
	}
	model := func(words string) string {
		text, found := manual.Read(manual.Pages(docs.Files), words, "agent-docs:")
		if !found {
			t.Errorf("the model finds nothing for %q", words)
		}
		return text
	}
	for _, q := range everyday {
		for _, way := range []struct {
			print func(string) string
			first string
			next  *regexp.Regexp
		}{
			{shell, "help ", regexp.MustCompile(`agent (docs \S+)`)},
			{shell, "docs -s ", regexp.MustCompile(`agent (docs \S+)`)},
			{session, "/help ", regexp.MustCompile(`See also: (/help \S+)`)},
			{model, "", regexp.MustCompile(`agent-docs:(\S+)`)},
		} {
			first := way.print(way.first + q.typed)
			answered := strings.Contains(first, q.answer)
			for _, next := range way.next.FindAllStringSubmatch(first, -1) {
				answered = answered || strings.Contains(way.print(next[1]), q.answer)
			}
			if !answered {
				t.Errorf("%s%s does not lead to %q:\n%s", way.first, q.typed, q.answer, first)
			}
		}
	}
	for word, answer := range typedWords {
		run, err := commands.Run(t.Context(), "/help "+word)
		told := fmt.Sprint(run.Lines, run.Answer, err)
		if !commands.IsBuiltIn("/" + word) {
			_, err := commands.Run(t.Context(), "/"+word)
			told = fmt.Sprint(err)
		}
		if !strings.Contains(told, answer) {
			t.Errorf("/%s does not lead to %s: %s", word, answer, told)
		}
	}
}

// "/help WORDS" and "agent help WORDS" print the matching section and the matching names.
func TestHelpAnswers(t *testing.T) {
	t.Parallel()
	commands := slash.New(t.Context(), slash.Deps{Settings: settings.New(app.Registry()), Manual: func() []manual.Page { return manual.Pages(docs.Files) }})
	var run command.Output
	if run, err := commands.Run(t.Context(), "/help previewed changes"); err != nil || !strings.HasPrefix(run.Lines[1], "/undo") || strings.Contains(run.Lines[0], ";") {
		t.Errorf("the help of a command's forms is shown: %q, %v", run.Lines, err)
	}
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

// Words that look like a command are never sent to a model. Short prompts are sent.
func TestWordsAreNotSent(t *testing.T) {
	t.Parallel()
	root := testRoot()
	for _, line := range []string{"undo-and-rewind", "sandbox", "trust", "privacy", "glossary", "commands", "troubleshoot", "sesions list", "session list", "mpc add", "notse check", "plugn list", "sessons search", "doctr", "settngs", "config", "auth", "modls", "logn", "serve", "undo", "redo", "rewind", "resume", "stats"} {
		if words := strings.Fields(line); rootCommand(line) {
			continue
		} else if err := mistyped(root, words); err == nil {
			t.Errorf("%q is sent to a model", line)
		}
	}
	for _, c := range root.Commands() {
		for _, sub := range c.Commands() {
			name := []rune(c.Name())
			typo := string(name[:len(name)-2]) + string(name[len(name)-1]) + string(name[len(name)-2]) // the last two letters are swapped
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

// rootCommand reports whether a line runs a command, so that it contains no typing error.
func rootCommand(line string) bool {
	c, _, err := testRoot().Find(strings.Fields(line))
	return err == nil && c.HasParent()
}

// The documentation is laid out on a terminal.
func TestDocsOnATerminal(t *testing.T) {
	t.Parallel()
	s := startUnconfigured(t, t.TempDir(), []string{"NO_COLOR="}, "docs", "sessions")
	if shown := s.until("XDG_DATA_HOME"); strings.Contains(shown, "`") || strings.Contains(shown, "## ") {
		t.Errorf("Markdown is on the screen:\n%s", shown)
	}
}
