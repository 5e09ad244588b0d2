package chat

import (
	"testing"

	"agent/internal/compression"
	"agent/internal/tools"
)

// REQ-HD-005.2, REQ-HD-005.3, REQ-HD-005.9, D-45: what density knows about the
// real tools. Of any tool: what it changes cannot be had again by running it.
func TestFactsOfTheRealTools(t *testing.T) {
	t.Parallel()
	read := compression.ToolFacts{Reads: true, Retrievable: true, Key: "file_path"}
	write := compression.ToolFacts{Writes: true, Key: "file_path"}
	want := map[string]compression.ToolFacts{
		"read_file":           read,
		"read_line_range":     read,
		"ast_read_file":       read,
		"read_many_files":     {ReadsMany: true, Retrievable: true, Key: "paths"},
		"write_file":          write,
		"replace":             write,
		"ast_edit":            write,
		"insert_at_line":      write,
		"delete_line_range":   write,
		"run_shell_command":   {Retrievable: true, Key: "command"},
		"search_file_content": {Retrievable: true, Key: "pattern"},
		"glob":                {Retrievable: true, Key: "pattern"},
		"list_directory":      {Retrievable: true, Key: "path"},
	}
	facts := ToolFacts(tools.NewRegistry(tools.Default()...))
	for name, want := range want {
		if got := facts(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	for _, tool := range tools.Default() {
		if got := facts(tool.Name); got.Writes != (tool.Kind == tools.KindEdit) || got.Writes && got.Retrievable {
			t.Errorf("%s: %+v", tool.Name, got)
		}
	}
	if got := facts("unheard_of"); got != (compression.ToolFacts{}) {
		t.Errorf("an unknown tool: %+v", got)
	}
}
