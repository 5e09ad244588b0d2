package decode

// toolNames maps the names that models use for our tools to our names. The keys are in lower case.
// The names of Claude Code are in theirTools.
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
	"fetch": "web_fetch", "google_web_search": "web_search", "websearch": "web_search", "search_web": "web_search",
	"spawn_agent": "task", "agent": "task", "explore": "task",
	"applypatch": "apply_patch", "patch": "apply_patch",
	"request_user_input": "ask_user", "question": "ask_user",
	"exit_plan_mode": "present_plan",
	"save_memory":    "remember", "memory": "remember",
}

// editors lists tools that do several things under one name, depending on the parameter command.
var editors = []string{"str_replace_editor", "str_replace_based_edit_tool"}

// editorCommands maps the commands of these editors to our tools.
var editorCommands = map[string]string{"view": "read_file", "create": "write_file", "str_replace": "replace", "insert": "insert_at_line"}

// parameterNames maps each of our parameters to other names for it. A name applies only if the tool
// has our parameter and has no parameter with that name.
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
	"background":      {"run_in_background", "is_background", "async"},
	"task":            {"prompt", "message", "goal"},
	"agent":           {"subagent_type", "agent_type", "subagent", "name"},
	"title":           {"description"},
	"continue":        {"resume", "task_id"},
	"timeout_seconds": {"timeout", "timeout_ms"},
	"line_number":     {"insert_line"},
	"input":           {"patch", "patchText", "patch_text", "diff"},
	"todos":           {"plan", "tasks"},
	"url":             {"uri"},
	"query":           {"q", "search_query", "search_term"},
	"count":           {"num_results", "numResults", "limit", "max_results"},
	"domains":         {"allowed_domains", "blocked_domains"},
	"note":            {"fact", "content", "text"},
}

// wrappers lists parameters into which some models wrap all arguments of a call.
var wrappers = []string{"arguments", "input", "parameters"}

// around lists the parameters for the number of lines around a match. The largest value is used.
var around = []string{"-C", "-A", "-B", "before", "after", "context_lines", "before_context", "after_context"}

// ranges lists the names of parameters that hold both the first and the last line of a file.
var ranges = []string{"view_range", "line_range", "lines"}

// modes maps the search modes of other coding agents to ours.
var modes = map[string]string{"content": "lines", "files_with_matches": "files", "count_matches": "count"}

// contents lists other names for the text of a task.
var contents = []string{"step", "subject", "task", "text", "title"}

// statuses maps words for the status of a task to ours.
var statuses = map[string]string{
	"todo": "pending", "open": "pending", "not_started": "pending", "pending": "pending",
	"active": "in_progress", "doing": "in_progress", "started": "in_progress", "inprogress": "in_progress", "in_progress": "in_progress",
	"done": "completed", "complete": "completed", "finished": "completed", "completed": "completed",
}

// ignoringCase maps parameters that can make a search ignore case to the value that does so.
var ignoringCase = map[string]bool{"-i": true, "ignore_case": true, "case_insensitive": true, "case_sensitive": false}

// suffixes maps types of files to their file name suffixes, if the suffix differs from the type.
var suffixes = map[string]string{
	"js": "{js,jsx,mjs,cjs}", "ts": "{ts,tsx,mts,cts}", "python": "py", "rust": "rs", "ruby": "rb", "markdown": "md", "yaml": "{yaml,yml}",
	"cpp": "{cc,cpp,cxx,h,hh,hpp}", "c": "{c,h}", "csharp": "cs", "kotlin": "{kt,kts}", "sh": "{sh,bash}", "html": "{html,htm}",
}

// remarks lists parameters that contain the reason for a call. They do not change the call.
var remarks = []string{"description", "instruction", "instructions", "explanation", "justification", "reasoning", "reason", "thought", "activeForm"}

// withoutEffect lists parameters that are ignored, such as the number of lines that another coding
// agent would show.
var withoutEffect = []string{"output_mode", "-n", "head_limit", "yield_time_ms", "login", "tty", "prompt"}
