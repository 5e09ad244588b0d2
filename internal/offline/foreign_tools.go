package offline

import (
	"strings"
	"sync"

	"agent/internal/toolspec"
)

// kindsElsewhere lists the tools of other programs with their traits, such as the meaning of their
// parameters. The programs are Claude Code (Read, Edit, MultiEdit …), codex (shell, apply_patch,
// update_plan), pi (read, edit with oldText), crush (view, edit, multiedit), opencode (edit with
// oldString, patch), and gemini-cli and its forks (replace, run_shell_command). Names are in lower
// case. A name has the parameters of all programs that use it.
var kindsElsewhere = []struct {
	names string
	toolspec.Traits
}{
	{"read view read_file readfile read_line_range", toolspec.Traits{Reads: true, File: pathElsewhere, Density: toolspec.Density{
		From: []string{"offset", "start_line"}, To: []string{"end_line"}, Count: []string{"limit"},
	}}},
	{"notebookread", toolspec.Traits{Reads: true, File: []string{"notebook_path"}, Density: toolspec.Density{Fragment: true}}},
	{"ast_read_file", toolspec.Traits{Reads: true, File: pathElsewhere, Density: toolspec.Density{Fragment: true}}},

	{"write write_file create_file", toolspec.Traits{Edits: true, File: pathElsewhere, Density: toolspec.Density{Body: []string{"content"}}}},
	{"edit replace edit_file multiedit multi_edit str_replace", toolspec.Traits{Edits: true, File: pathElsewhere, Density: toolspec.Density{
		List: []string{"edits"},
		Old:  []string{"old_string", "oldText", "oldString", "old_str"},
		New:  []string{"new_string", "newText", "newString", "new_str"},
	}}},
	{"notebookedit", toolspec.Traits{Edits: true, File: []string{"notebook_path"}, Density: toolspec.Density{New: []string{"new_source"}}}},
	{"insert_at_line", toolspec.Traits{Edits: true, File: pathElsewhere, Density: toolspec.Density{New: []string{"content"}}}},
	{"delete_line_range", toolspec.Traits{Edits: true, File: pathElsewhere}},
	{"replace_lines", toolspec.Traits{Edits: true, File: pathElsewhere, Density: toolspec.Density{New: []string{"content", "new_content"}}}},
	{"ast_edit", toolspec.Traits{Edits: true, File: pathElsewhere, Density: toolspec.Density{New: []string{"new_code", "content"}}}},
	{"apply_patch patch", toolspec.Traits{Edits: true, Density: toolspec.Density{Patch: []string{"patch", "input", "patchText"}}}},

	{
		"bash shell exec exec_command local_shell container.exec run_shell_command run_terminal_cmd",
		toolspec.Traits{Runs: true, Density: toolspec.Density{Command: []string{"command", "cmd"}}},
	},
	{"todowrite todoread todo_write todo_read todos update_plan taskcreate taskupdate", toolspec.Traits{Stateful: true}},
	{
		"cat ls list list_dir list_directory tree grep grep_search ripgrep rg search find glob codesearch search_file_content",
		toolspec.Traits{Reads: true},
	},
	{
		"fetch web_fetch webfetch web_search websearch google_web_fetch google_web_search direct_web_fetch exa_web_search",
		toolspec.Traits{Network: true},
	},
}

var pathElsewhere = []string{"file_path", "absolute_path", "path", "filePath"}

// elsewhere returns the traits of the tools in kindsElsewhere by name.
var elsewhere = sync.OnceValue(func() map[string]toolspec.Traits {
	tools := map[string]toolspec.Traits{}
	for _, kind := range kindsElsewhere {
		for name := range strings.FieldsSeq(kind.names) {
			tools[name] = kind.Traits
		}
	}
	return tools
})
