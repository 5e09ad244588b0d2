package offline

import "agent/internal/traits"

// elsewhere are the tools of other programs that read and change files, search, run
// commands, fetch or keep lists, by their names in lower case, with what their parameters
// hold: those of Claude Code (Read, Edit, MultiEdit …), codex (shell, apply_patch, update_plan),
// pi (read, edit with oldText), crush (view, edit, multiedit), opencode (edit with
// oldString, patch) and of gemini-cli and its kin (replace, run_shell_command). One name
// has the parameters of all that use it.
var elsewhere = map[string]traits.Traits{
	"read":              viewElsewhere,
	"view":              viewElsewhere,
	"read_file":         viewElsewhere,
	"readfile":          viewElsewhere,
	"notebookread":      {Reads: true, File: []string{"notebook_path"}, Density: traits.Density{Fragment: true}},
	"read_line_range":   viewElsewhere,
	"ast_read_file":     {Reads: true, File: pathElsewhere, Density: traits.Density{Fragment: true}},
	"write":             writeElsewhere,
	"write_file":        writeElsewhere,
	"create_file":       writeElsewhere,
	"edit":              editElsewhere,
	"replace":           editElsewhere,
	"edit_file":         editElsewhere,
	"multiedit":         editElsewhere,
	"multi_edit":        editElsewhere,
	"str_replace":       editElsewhere,
	"notebookedit":      {Edits: true, File: []string{"notebook_path"}, Density: traits.Density{New: []string{"new_source"}}},
	"insert_at_line":    {Edits: true, File: pathElsewhere, Density: traits.Density{New: []string{"content"}}},
	"delete_line_range": {Edits: true, File: pathElsewhere},
	"replace_lines":     {Edits: true, File: pathElsewhere, Density: traits.Density{New: []string{"content", "new_content"}}},
	"ast_edit":          {Edits: true, File: pathElsewhere, Density: traits.Density{New: []string{"new_code", "content"}}},
	"apply_patch":       patchElsewhere,
	"patch":             patchElsewhere,
	"bash":              shellElsewhere,
	"shell":             shellElsewhere,
	"exec":              shellElsewhere,
	"exec_command":      shellElsewhere,
	"local_shell":       shellElsewhere,
	"container.exec":    shellElsewhere,
	"run_shell_command": shellElsewhere,
	"run_terminal_cmd":  shellElsewhere,
	"todowrite":         keepElsewhere,
	"todoread":          keepElsewhere,
	"todo_write":        keepElsewhere,
	"todo_read":         keepElsewhere,
	"todos":             keepElsewhere,
	"update_plan":       keepElsewhere,
	"taskcreate":        keepElsewhere,
	"taskupdate":        keepElsewhere,

	"cat":                 lookElsewhere,
	"ls":                  lookElsewhere,
	"list":                lookElsewhere,
	"list_dir":            lookElsewhere,
	"list_directory":      lookElsewhere,
	"tree":                lookElsewhere,
	"grep":                lookElsewhere,
	"grep_search":         lookElsewhere,
	"ripgrep":             lookElsewhere,
	"rg":                  lookElsewhere,
	"search":              lookElsewhere,
	"find":                lookElsewhere,
	"glob":                lookElsewhere,
	"codesearch":          lookElsewhere,
	"search_file_content": lookElsewhere,
	"fetch":               fetchElsewhere,
	"web_fetch":           fetchElsewhere,
	"webfetch":            fetchElsewhere,
	"web_search":          fetchElsewhere,
	"websearch":           fetchElsewhere,
	"google_web_fetch":    fetchElsewhere,
	"google_web_search":   fetchElsewhere,
	"direct_web_fetch":    fetchElsewhere,
	"exa_web_search":      fetchElsewhere,
}

var (
	pathElsewhere = []string{"file_path", "absolute_path", "path", "filePath"}
	viewElsewhere = traits.Traits{Reads: true, File: pathElsewhere, Density: traits.Density{
		From: []string{"offset", "start_line"}, To: []string{"end_line"}, Count: []string{"limit"},
	}}
	lookElsewhere  = traits.Traits{Reads: true}
	writeElsewhere = traits.Traits{Edits: true, File: pathElsewhere, Density: traits.Density{Body: []string{"content"}}}
	editElsewhere  = traits.Traits{Edits: true, File: pathElsewhere, Density: traits.Density{
		List: []string{"edits"},
		Old:  []string{"old_string", "oldText", "oldString", "old_str"},
		New:  []string{"new_string", "newText", "newString", "new_str"},
	}}
	patchElsewhere = traits.Traits{Edits: true, Density: traits.Density{Patch: []string{"patch", "input", "patchText"}}}
	shellElsewhere = traits.Traits{Runs: true, Density: traits.Density{Command: []string{"command", "cmd"}}}
	fetchElsewhere = traits.Traits{Reaches: true}
	keepElsewhere  = traits.Traits{Keeps: true}
)
