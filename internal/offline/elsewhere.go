package offline

import "agent/internal/compression/cacheaware"

// unitsElsewhere are the tools of other programs that read and change files, run
// commands or keep lists, by their names in lower case, with what their parameters hold:
// those of Claude Code (Read, Edit, MultiEdit …), codex (shell, apply_patch, update_plan),
// pi (read, edit with oldText), crush (view, edit, multiedit), opencode (edit with
// oldString, patch) and of gemini-cli and its kin (replace, run_shell_command). One name
// has the parameters of all that use it. Any other tool finds something.
var unitsElsewhere = map[string]cacheaware.Tool{
	"read":              viewElsewhere,
	"view":              viewElsewhere,
	"read_file":         viewElsewhere,
	"readfile":          viewElsewhere,
	"notebookread":      {Act: cacheaware.View, Path: []string{"notebook_path"}, Fragment: true},
	"read_line_range":   viewElsewhere,
	"ast_read_file":     {Act: cacheaware.View, Path: pathElsewhere, Fragment: true},
	"write":             writeElsewhere,
	"write_file":        writeElsewhere,
	"create_file":       writeElsewhere,
	"edit":              editElsewhere,
	"replace":           editElsewhere,
	"edit_file":         editElsewhere,
	"multiedit":         editElsewhere,
	"multi_edit":        editElsewhere,
	"str_replace":       editElsewhere,
	"notebookedit":      {Act: cacheaware.Edit, Path: []string{"notebook_path"}, New: []string{"new_source"}},
	"insert_at_line":    {Act: cacheaware.Edit, Path: pathElsewhere, New: []string{"content"}},
	"delete_line_range": {Act: cacheaware.Edit, Path: pathElsewhere},
	"replace_lines":     {Act: cacheaware.Edit, Path: pathElsewhere, New: []string{"content", "new_content"}},
	"ast_edit":          {Act: cacheaware.Edit, Path: pathElsewhere, New: []string{"new_code", "content"}},
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
	"todowrite":         {Act: cacheaware.Keep},
	"todoread":          {Act: cacheaware.Keep},
	"todo_write":        {Act: cacheaware.Keep},
	"todo_read":         {Act: cacheaware.Keep},
	"todos":             {Act: cacheaware.Keep},
	"update_plan":       {Act: cacheaware.Keep},
	"taskcreate":        {Act: cacheaware.Keep},
	"taskupdate":        {Act: cacheaware.Keep},
}

var (
	pathElsewhere = []string{"file_path", "absolute_path", "path", "filePath"}
	viewElsewhere = cacheaware.Tool{
		Act: cacheaware.View, Path: pathElsewhere,
		From: []string{"offset", "start_line"}, To: []string{"end_line"}, Count: []string{"limit"},
	}
	writeElsewhere = cacheaware.Tool{Act: cacheaware.Write, Path: pathElsewhere, Body: []string{"content"}}
	editElsewhere  = cacheaware.Tool{
		Act: cacheaware.Edit, Path: pathElsewhere, List: []string{"edits"},
		Old: []string{"old_string", "oldText", "oldString", "old_str"}, New: []string{"new_string", "newText", "newString", "new_str"},
	}
	patchElsewhere = cacheaware.Tool{Act: cacheaware.Edit, Patch: []string{"patch", "input", "patchText"}}
	shellElsewhere = cacheaware.Tool{Act: cacheaware.Shell, Command: []string{"command", "cmd"}}
)
