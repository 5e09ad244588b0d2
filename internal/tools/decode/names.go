package decode

// toolNames are the names by which models call a tool of ours, in lower case, besides those
// of Claude Code.
var toolNames = map[string]string{
	"view": "read_file", "cat": "read_file", "open_file": "read_file", "view_file": "read_file",
	"create_file": "write_file",
	"str_replace": "replace", "edit_file": "replace", "multiedit": "replace", "multi_edit": "replace", "search_replace": "replace",
	"shell": "run_shell_command", "exec_command": "run_shell_command", "execute_bash": "run_shell_command",
	"local_shell": "run_shell_command", "run_command": "run_shell_command", "terminal": "run_shell_command", "run_terminal_cmd": "run_shell_command",
	"grep_search": "search_file_content", "rg": "search_file_content", "search_files": "search_file_content",
	"find": "glob", "find_files": "glob", "file_search": "glob",
	"list_dir": "list_directory", "list_files": "list_directory",
	"update_plan": "todo_write", "taskcreate": "todo_write", "todoread": "todo_read",
	"fetch":      "web_fetch",
	"applypatch": "apply_patch", "patch": "apply_patch",
	"request_user_input": "ask_user", "question": "ask_user",
	"exit_plan_mode": "present_plan",
}

// editors are tools of one name that do several things, by the parameter command.
var editors = []string{"str_replace_editor", "str_replace_based_edit_tool"}

// editorCommands are what such a tool does, by the command.
var editorCommands = map[string]string{"view": "read_file", "create": "write_file", "str_replace": "replace", "insert": "insert_at_line"}

// parameterNames are the names that mean a parameter of ours, where the tool has that one
// and not the other.
var parameterNames = map[string][]string{
	"file_path":       {"path", "filePath", "filepath", "file", "filename", "absolute_path", "target_file", "relative_path"},
	"path":            {"dir_path", "directory", "workdir", "cwd", "dir", "folder", "file_path", "relative_workspace_path"},
	"directory":       {"dir_path", "workdir", "cwd", "path"},
	"paths":           {"file_paths", "files"},
	"old_string":      {"old_str", "oldString", "oldText", "old_text", "search"},
	"new_string":      {"new_str", "newString", "newText", "new_text", "replace", "replacement"},
	"replace_all":     {"replaceAll", "allow_multiple", "global"},
	"edits":           {"replacements"},
	"command":         {"cmd", "script", "command_line"},
	"content":         {"contents", "text", "file_text", "body", "new_str"},
	"pattern":         {"query", "regex", "search_term", "glob_pattern"},
	"include":         {"glob", "include_pattern", "file_pattern", "type"},
	"max_results":     {"head_limit"},
	"mode":            {"output_mode"},
	"context":         around,
	"background":      {"run_in_background", "is_background"},
	"timeout_seconds": {"timeout", "timeout_ms"},
	"line_number":     {"insert_line"},
	"input":           {"patch", "patchText", "patch_text", "diff"},
	"todos":           {"plan", "tasks"},
	"url":             {"uri"},
}

// wrappers are what some models write around all arguments of a call.
var wrappers = []string{"arguments", "input", "parameters"}

// around are the names of the lines around a match; of several the largest counts.
var around = []string{"-C", "-A", "-B", "before", "after", "context_lines", "before_context", "after_context"}

// ranges are the names of the first and the last line of a file in one.
var ranges = []string{"view_range", "line_range", "lines"}

// modes are what other agents call the modes of a search.
var modes = map[string]string{"content": "lines", "files_with_matches": "files", "count_matches": "count"}

// contents are what other agents call the content of a task.
var contents = []string{"step", "subject", "task", "text", "title"}

// statuses are the words for how far a task is.
var statuses = map[string]string{
	"todo": "pending", "open": "pending", "not_started": "pending", "pending": "pending",
	"active": "in_progress", "doing": "in_progress", "started": "in_progress", "inprogress": "in_progress", "in_progress": "in_progress",
	"done": "completed", "complete": "completed", "finished": "completed", "completed": "completed",
}

// ignoringCase are parameters that make a search ignore case, with the value that does.
var ignoringCase = map[string]bool{"-i": true, "ignore_case": true, "case_insensitive": true, "case_sensitive": false}

// suffixes are how files of a type are named where that is not the type.
var suffixes = map[string]string{
	"js": "{js,jsx,mjs,cjs}", "ts": "{ts,tsx,mts,cts}", "python": "py", "rust": "rs", "ruby": "rb", "markdown": "md", "yaml": "{yaml,yml}",
	"cpp": "{cc,cpp,cxx,h,hh,hpp}", "c": "{c,h}", "csharp": "cs", "kotlin": "{kt,kts}", "sh": "{sh,bash}", "html": "{html,htm}",
}

// remarks are parameters beside a call in which models say why they make it: they change
// nothing of what it does.
var remarks = []string{"description", "instruction", "instructions", "explanation", "justification", "reasoning", "reason", "thought", "activeForm"}

// withoutEffect are parameters that change nothing of what a call does here, such as how
// much of an answer another agent would show.
var withoutEffect = []string{"output_mode", "-n", "head_limit", "yield_time_ms", "login", "tty", "prompt"}
