package decode

import "strings"

// copilotSets lists the sets into which Copilot groups its tools, as in read/readFile.
var copilotSets = map[string]bool{"agent": true, "edit": true, "execute": true, "read": true, "runcommands": true, "search": true, "todo": true, "vscode": true, "web": true}

// copilotTools maps the tools and the sets of Copilot to ours, in lower case. It omits tools that
// do less than ours, such as a tool that only runs tests.
var copilotTools = map[string][]string{
	"search": {"search_file_content", "glob", "list_directory"}, "codebase": {"search_file_content", "glob"},
	"textsearch": {"search_file_content"}, "usages": {"search_file_content"}, "filesearch": {"glob"}, "findtestfiles": {"glob"}, "listdirectory": {"list_directory"},
	"readfile": {"read_file", "ast_read_file"}, "createfile": {"write_file"}, "editfiles": {"replace", "insert_at_line", "delete_line_range", "ast_edit", "apply_patch", "write_file"},
	"execute": {"run_shell_command"}, "runcommands": {"run_shell_command"}, "runinterminal": {"run_shell_command"}, "terminalcommand": {"run_shell_command"},
	"web": {"web_fetch", "web_search"}, "todo": {"todo_write"}, "todos": {"todo_write"}, "askquestions": {"ask_user"}, "runsubagent": {"task"},
}

// ToolsByCopilotName returns our tools that do the work of a tool or a set of Copilot, nil for none.
func ToolsByCopilotName(name string) []string {
	name = strings.TrimSuffix(strings.ToLower(name), "/*")
	if ours := copilotTools[name]; ours != nil {
		return ours
	}
	set, tool, within := strings.Cut(name, "/")
	switch {
	case !within || !copilotSets[set]:
		return nil
	case copilotTools[tool] != nil:
		return copilotTools[tool]
	}
	return ToolsByForeignName(tool)
}
