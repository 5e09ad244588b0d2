package offline

import (
	"strings"
	"sync"

	"agent/internal/traits"
)

// kindsElsewhere lists the tools of other programs with their traits, such as the meaning of
// their parameters. The programs are Claude Code (Read, Edit, MultiEdit …), codex (shell,
// apply_patch, update_plan), pi (read, edit with oldText), crush (view, edit, multiedit),
// opencode (edit with oldString, patch), and gemini-cli and its kin (replace, run_shell_command).
// Names are in lower case; one name has the parameters of all programs that use it.
var kindsElsewhere = []struct {
	names string
	traits.Traits
}{
	{"read view read_file readfile read_line_range", traits.Traits{Reads: true, File: pathElsewhere, Density: traits.Density{
		From: []string{"offset", "start_line"}, To: []string{"end_line"}, Count: []string{"limit"},
	}}},
	{"notebookread", traits.Traits{Reads: true, File: []string{"notebook_path"}, Density: traits.Density{Fragment: true}}},
	{"ast_read_file", traits.Traits{Reads: true, File: pathElsewhere, Density: traits.Density{Fragment: true}}},

	{"write write_file create_file", traits.Traits{Edits: true, File: pathElsewhere, Density: traits.Density{Body: []string{"content"}}}},
	{"edit replace edit_file multiedit multi_edit str_replace", traits.Traits{Edits: true, File: pathElsewhere, Density: traits.Density{
		List: []string{"edits"},
		Old:  []string{"old_string", "oldText", "oldString", "old_str"},
		New:  []string{"new_string", "newText", "newString", "new_str"},
	}}},
	{"notebookedit", traits.Traits{Edits: true, File: []string{"notebook_path"}, Density: traits.Density{New: []string{"new_source"}}}},
	{"insert_at_line", traits.Traits{Edits: true, File: pathElsewhere, Density: traits.Density{New: []string{"content"}}}},
	{"delete_line_range", traits.Traits{Edits: true, File: pathElsewhere}},
	{"replace_lines", traits.Traits{Edits: true, File: pathElsewhere, Density: traits.Density{New: []string{"content", "new_content"}}}},
	{"ast_edit", traits.Traits{Edits: true, File: pathElsewhere, Density: traits.Density{New: []string{"new_code", "content"}}}},
	{"apply_patch patch", traits.Traits{Edits: true, Density: traits.Density{Patch: []string{"patch", "input", "patchText"}}}},

	{
		"bash shell exec exec_command local_shell container.exec run_shell_command run_terminal_cmd",
		traits.Traits{Runs: true, Density: traits.Density{Command: []string{"command", "cmd"}}},
	},
	{"todowrite todoread todo_write todo_read todos update_plan taskcreate taskupdate", traits.Traits{Stateful: true}},
	{
		"cat ls list list_dir list_directory tree grep grep_search ripgrep rg search find glob codesearch search_file_content",
		traits.Traits{Reads: true},
	},
	{
		"fetch web_fetch webfetch web_search websearch google_web_fetch google_web_search direct_web_fetch exa_web_search",
		traits.Traits{Network: true},
	},
}

var pathElsewhere = []string{"file_path", "absolute_path", "path", "filePath"}

// elsewhere returns the traits of the tools in kindsElsewhere by name.
var elsewhere = sync.OnceValue(func() map[string]traits.Traits {
	tools := map[string]traits.Traits{}
	for _, kind := range kindsElsewhere {
		for name := range strings.FieldsSeq(kind.names) {
			tools[name] = kind.Traits
		}
	}
	return tools
})
