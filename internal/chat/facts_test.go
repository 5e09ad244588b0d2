package chat

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/compression"
	"agent/internal/compression/cacheaware"
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
		got := facts(name)
		got.Units = cacheaware.Tool{} // see TestUnits
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	for _, tool := range tools.Default() {
		if got := facts(tool.Name); got.Writes != (tool.Kind == tools.KindEdit) || got.Writes && got.Retrievable {
			t.Errorf("%s: %+v", tool.Name, got)
		}
	}
	if got := facts("unheard_of"); !cmp.Equal(got, compression.ToolFacts{}) {
		t.Errorf("an unknown tool: %+v", got)
	}
}

// Every tool declares what may be pruned of it; the parameters it names exist.
func TestUnits(t *testing.T) {
	t.Parallel()
	facts := ToolFacts(tools.NewRegistry(tools.Default()...))
	acts := map[cacheaware.Act][]string{}
	for _, tool := range tools.Default() {
		u := facts(tool.Name).Units
		acts[u.Act] = append(acts[u.Act], tool.Name)
		for _, name := range slices.Concat(u.From, u.To, u.Count, u.Old, u.New, u.Body, u.Command) {
			if !strings.Contains(string(tool.Schema), `"`+name+`"`) {
				t.Errorf("%s declares %s, which it does not take", tool.Name, name)
			}
		}
	}
	for _, names := range acts {
		slices.Sort(names)
	}
	want := map[cacheaware.Act][]string{
		cacheaware.View:  {"ast_read_file", "read_file", "read_line_range"},
		cacheaware.Write: {"write_file"},
		cacheaware.Edit:  {"ast_edit", "delete_line_range", "insert_at_line", "replace"},
		cacheaware.Shell: {"run_shell_command"},
		cacheaware.Keep:  {"todo_read", "todo_write"},
		cacheaware.Find:  {"glob", "list_directory", "read_many_files", "recall", "search_file_content", "web_fetch"},
	}
	if diff := cmp.Diff(want, acts); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
}
