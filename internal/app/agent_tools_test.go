package app

import (
	"slices"
	"strings"
	"testing"

	"agent/internal/extend/setup/agents"
	"agent/internal/tools"
)

// The agent files of other programs may use their own tool names, including tools of servers. They
// are translated to our tools. A name with a narrower meaning than any of our tools gives none.
func TestToolsOfAgents(t *testing.T) {
	t.Parallel()
	known := slices.Concat(tools.NewRegistry(tools.Default()...).Names(), broughtTools, []string{"mcp__github__get_issue", "mcp__my_db__query"})
	looks := []string{"search_file_content", "glob", "list_directory"}
	for _, c := range []struct {
		tools, without string
		want           []string
		notes          int
	}{
		{"Read Grep", "", []string{"read_file", "read_line_range", "read_many_files", "ast_read_file", "search_file_content"}, 0},
		{"read_file grep_search", "", []string{"read_file", "search_file_content"}, 0}, // Gemini CLI
		{"search", "", looks, 0}, // Copilot, in this and the next cases
		{"search/codebase usages findTestFiles", "", looks[:2], 0},
		{"read/readFile execute/runInTerminal web/fetch", "", []string{"read_file", "ast_read_file", "run_shell_command", "web_fetch"}, 0},
		{"edit/editFiles", "", []string{"write_file", "replace", "apply_patch", "ast_edit", "insert_at_line", "delete_line_range"}, 0},
		{"runTests execute/getTerminalOutput problems", "", nil, 3}, // no permission to run anything
		{"github/* my_db/query", "", []string{"mcp__github__get_issue", "mcp__my_db__query"}, 0},
		{"mcp__github__*", "", []string{"mcp__github__get_issue"}, 0},
		{"mcp_github_get_issue", "", []string{"mcp__github__get_issue"}, 0}, // Gemini CLI
		{"github*", "", []string{"mcp__github__get_issue"}, 0},              // opencode
		{"* ", "Edit Bash * ", nil, 0},
		{"Write Edit apply_patch", "Edit Write", nil, 0}, // a patch writes and edits
		{"task ask_user todo_write", "", nil, 0},
		{"gitlab/*", "", nil, 1},
	} {
		has, notes := toolsOf(agents.Agent{Tools: strings.Fields(c.tools), Without: strings.Fields(c.without)}, known)
		var got []string
		for _, name := range known {
			if has(name) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.want))
		if !slices.Equal(got, want) || len(notes) != c.notes {
			t.Errorf("%q without %q: %q, %q, want %q", c.tools, c.without, got, notes, want)
		}
	}
}

// An agent file of a repository requires consent unless it allows only read-only tools. Unknown
// names and names of servers require it too, because their meaning may change later.
func TestOnlyLooks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent agents.Agent
		want  bool
	}{
		{agents.Agent{}, false},
		{agents.Agent{Looks: true}, true},
		{agents.Agent{Looks: true, Tools: []string{"Bash"}}, true},
		{agents.Agent{Tools: []string{"Read", "Grep", "Glob"}}, true},
		{agents.Agent{Tools: []string{"read_file", "recall"}}, true},
		{agents.Agent{Tools: []string{"Read", "Bash"}}, false},
		{agents.Agent{Tools: []string{"Read", "Edit"}}, false},
		{agents.Agent{Tools: []string{"Read", "WebFetch"}}, false},
		{agents.Agent{Tools: []string{"Read", "WebSearch"}}, false},
		{agents.Agent{Tools: []string{"Read", "Frobnicate"}}, false},
		{agents.Agent{Tools: []string{"Read", "mcp__github__read"}}, false},
		{agents.Agent{Tools: []string{"read*"}}, false},
		{agents.Agent{Tools: []string{"*"}}, false},
		{agents.Agent{Tools: []string{"*"}, Without: []string{"Bash"}}, false},
	} {
		if got := onlyLooks(c.agent); got != c.want {
			t.Errorf("%+v: %v", c.agent, got)
		}
	}
}
