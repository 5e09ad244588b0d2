package main

import (
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/app/subagents"
	"agent/internal/chat"
	"agent/internal/chat/window"
	kinds "agent/internal/extend/setup/agents"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/llm/vendor"
	"agent/internal/tokens"
	"agent/internal/tools"
	"agent/internal/toolspec"
	"agent/internal/websearch"
	"agent/prompts"
)

// TestTheHeadFits checks that the system prompt and the tools of a request use at most a third of
// the context window. All tools fit into 12 288 tokens. The tools for a small job fit into 4096,
// the default of a local server. Between these sizes, the program picks the larger set that fits.
func TestTheHeadFits(t *testing.T) {
	t.Parallel()
	templates, err := prompts.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	registry := tools.NewRegistry(tools.Default()...)
	head := chat.NewHeadMaker(registry, toolspec.EditReplace, true, app.SystemPrompt(templates, func() prompts.Session {
		return prompts.Session{
			Workspace: "/home/somebody/projects/a-name-of-usual-length", Platform: "linux/amd64", Date: "2026-01-31",
		}
	}))
	counter := tokens.NewCounter(tokens.O200K)
	for _, tc := range []struct {
		window int
		lean   bool
	}{{4096, true}, {12_288, false}} {
		made := head(tc.lean, func(window.Head) bool { return true })
		size := counter.Count(made.System)
		names := map[string]bool{}
		for _, tool := range made.Tools {
			size += counter.Count(tool.Name + tool.Description + string(tool.Schema))
			names[tool.Name] = true
		}
		if size > tc.window/3 {
			t.Errorf("the head of a window of %d takes %d tokens", tc.window, size)
		}
		for _, name := range []string{"read_file", "search_file_content", "list_directory", "replace", "write_file", "run_shell_command"} {
			if !names[name] {
				t.Errorf("%s is missing in a window of %d", name, tc.window)
			}
		}
		if tc.lean != (len(made.Tools) == 6) {
			t.Errorf("%d tools in a window of %d", len(made.Tools), tc.window)
		}
		t.Logf("window %d: %d tokens", tc.window, size)
	}
}

// TestPromptBudgets checks that the prompt and the tools of each model family stay within their
// common token limit (D-124). This includes the tools for subagents, notes and questions, in every
// kind of session. A grammar counts as it is sent.
func TestPromptBudgets(t *testing.T) {
	t.Parallel()
	const most, mostOfSandbox = 2500, 65
	templates, err := prompts.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	counter := tokens.NewCounter(tokens.O200K)
	task := tools.TaskTool(subagents.NewCatalogue(kinds.Find(trustedfile.Locations{Workspace: t.TempDir()}), 200_000, counter.Count).Text, 200_000, nil)
	for _, family := range vendor.FamilyNames() {
		session := prompts.Session{
			Workspace: "/home/somebody/projects/a-name-of-usual-length", Platform: "linux/amd64", Shell: "bash", Date: "2026-01-31", Model: "vendor/model-of-usual-length", Family: family,
			Sandbox: &prompts.Sandbox{OwnTemp: true},
			Git:     &prompts.Git{Branch: "feature/usual", Changed: 12, Subjects: []string{strings.Repeat("a subject ", 7), strings.Repeat("a subject ", 7), strings.Repeat("a subject ", 7)}},
		}
		registry := tools.NewRegistry(append(tools.WithSessions(tools.Default()), tools.RememberTool(), task)...)
		form := app.FamilyEditFormat(vendor.FamilyNamed(family))
		head := chat.NewHeadMaker(registry, form, false, app.SystemPrompt(templates, func() prompts.Session { return session }))(false, func(window.Head) bool { return true })
		size, definitions, offered := counter.Count(head.System), 0, ""
		for _, tool := range head.Tools {
			counted := counter.Count(tool.Name + tool.Description + string(tool.Schema))
			if free := tool.Free; free != nil {
				counted = max(counted, counter.Count(tool.Name+free.Description+free.Grammar))
			}
			definitions += counted
			offered += tool.Name + " "
		}
		if size+definitions > most {
			t.Errorf("%s: the prompt takes %d tokens, the tools %d", family, size, definitions)
		}
		for _, name := range []string{"task", "remember", "ask_user", "present_plan", "todo_write", "recall", "web_fetch"} {
			if !strings.Contains(offered, name+" ") {
				t.Errorf("%s is not counted", name)
			}
		}
		session.Sandbox = nil
		without, _ := templates.System(session, false, func(string) bool { return true })
		session.Sandbox = &prompts.Sandbox{OwnTemp: true}
		with, _ := templates.System(session, false, func(string) bool { return true })
		if of := counter.Count(with) - counter.Count(without); of < 1 || of > mostOfSandbox {
			t.Errorf("%s: the sandbox takes %d tokens of the prompt", family, of)
		}
		t.Logf("%s: prompt %d, tools %d", family, size, definitions)
	}
}

// TestSearchBudget checks that the web search tool needs few tokens, and none if no search service
// is configured.
func TestSearchBudget(t *testing.T) {
	t.Parallel()
	search := tools.WebSearchTool(websearch.New(websearch.Config{Settings: func() websearch.Settings { return websearch.Settings{Way: "brave"} }}))
	if size := tokens.NewCounter(tokens.O200K).Count(search.Name + search.Description + string(search.Parameters())); size > 220 {
		t.Errorf("%d tokens", size)
	} else {
		t.Log(size, "tokens")
	}
}

// TestSkillBudget checks that the skill tool needs few tokens besides the list of skills.
func TestSkillBudget(t *testing.T) {
	t.Parallel()
	skill := tools.SkillTool("", nil)
	if size := tokens.NewCounter(tokens.O200K).Count(skill.Name + skill.Description + string(skill.Schema)); size > 75 {
		t.Errorf("%d tokens", size)
	} else {
		t.Log(size, "tokens")
	}
}

// TestNotesBudget checks that the tool for notes needs few tokens.
func TestNotesBudget(t *testing.T) {
	t.Parallel()
	remember := tools.RememberTool()
	if size := tokens.NewCounter(tokens.O200K).Count(remember.Name + remember.Description + string(remember.Parameters())); size > 110 {
		t.Errorf("%d tokens", size)
	}
}
