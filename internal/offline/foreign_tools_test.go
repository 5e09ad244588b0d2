package offline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// program holds the calls of another program, each with a tool name and parameters.
type program struct {
	name string
	// part reads lines 2 and 3 of a.go, whole reads all of it, and edit replaces "old" by "new".
	// write writes "BODY" to b.go and check runs the tests. plan stores a list, or lists a folder
	// if the program has no plan tool.
	part, whole, edit, write, check, plan string
	// inPatch is set if the program writes files with patches, which may append to a file.
	inPatch bool
}

var programs = []program{
	{
		name:  "Claude Code",
		part:  `Read {"file_path":"/w/a.go","offset":2,"limit":2}`,
		whole: `Read {"file_path":"/w/a.go"}`,
		edit:  `Edit {"file_path":"/w/a.go","old_string":"old","new_string":"new"}`,
		write: `Write {"file_path":"/w/b.go","content":"BODY"}`,
		check: `Bash {"command":"go test ./..."}`,
		plan:  `TodoWrite {"todos":[]}`,
	},
	{
		name:  "Claude Code, several edits",
		part:  `Read {"file_path":"/w/a.go","offset":2,"limit":2}`,
		whole: `Read {"file_path":"/w/a.go"}`,
		edit:  `MultiEdit {"file_path":"/w/a.go","edits":[{"old_string":"old","new_string":"new"}]}`,
		write: `Write {"file_path":"/w/b.go","content":"BODY"}`,
		check: `Bash {"command":"cd /w && go test ./... 2>&1 | tail -5"}`,
		plan:  `TaskCreate {"subject":"x"}`,
	},
	{
		name:  "codex",
		part:  `shell {"command":["bash","-lc","sed -n '2,3p' a.go"]}`,
		whole: `shell {"command":["bash","-lc","cat a.go"]}`,
		edit:  `shell {"command":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n@@\n-old\n+new\n*** End Patch\nEOF"]}`,
		write: `shell {"command":["apply_patch","*** Begin Patch\n*** Add File: b.go\n+BODY\n*** End Patch"]}`,
		check: `shell {"command":["bash","-lc","go test ./..."]}`,
		plan:  `update_plan {"plan":[]}`, inPatch: true,
	},
	{
		name:  "codex, its tool for patches",
		part:  `exec_command {"cmd":"sed -n '2,3p' a.go"}`,
		whole: `exec_command {"cmd":"cat a.go"}`,
		edit:  `apply_patch {"input":"*** Begin Patch\n*** Update File: a.go\n@@\n-old\n+new\n*** End Patch"}`,
		write: `exec_command {"cmd":"applypatch << 'PATCH'\n*** Begin Patch\n*** Add File: b.go\n+BODY\n*** End Patch\nPATCH"}`,
		check: `exec_command {"cmd":"go test ./..."}`,
		plan:  `update_plan {"plan":[]}`, inPatch: true,
	},
	{
		name:  "codex, its tool for patches by its older parameter",
		part:  `exec_command {"cmd":"sed -n '2,3p' a.go"}`,
		whole: `exec_command {"cmd":"cat a.go"}`,
		edit:  `apply_patch {"patch":"*** Begin Patch\n*** Update File: a.go\n@@\n-old\n+new\n*** End Patch"}`,
		write: `apply_patch {"patch":"*** Begin Patch\n*** Add File: b.go\n+BODY\n*** End Patch"}`,
		check: `exec_command {"cmd":"go test ./..."}`,
		plan:  `update_plan {"plan":[]}`, inPatch: true,
	},
	{
		name:  "pi",
		part:  `read {"path":"a.go","offset":2,"limit":2}`,
		whole: `read {"path":"a.go"}`,
		edit:  `edit {"path":"a.go","edits":[{"oldText":"old","newText":"new"}]}`,
		write: `write {"path":"b.go","content":"BODY"}`,
		check: `bash {"command":"go test ./..."}`,
		plan:  `ls {"path":"."}`,
	},
	{
		name:  "crush",
		part:  `view {"file_path":"a.go","offset":2,"limit":2}`,
		whole: `view {"file_path":"a.go"}`,
		edit:  `multiedit {"file_path":"a.go","edits":[{"old_string":"old","new_string":"new"}]}`,
		write: `write {"file_path":"b.go","content":"BODY"}`,
		check: `bash {"command":"go test ./..."}`,
		plan:  `todos {"todos":[]}`,
	},
	{
		name:  "opencode",
		part:  `read {"filePath":"/w/a.go","offset":2,"limit":2}`,
		whole: `read {"filePath":"/w/a.go"}`,
		edit:  `edit {"filePath":"/w/a.go","oldString":"old","newString":"new"}`,
		write: `write {"filePath":"/w/b.go","content":"BODY"}`,
		check: `bash {"command":"go test ./..."}`,
		plan:  `todowrite {"todos":[]}`,
	},
	{
		name:  "llxprt",
		part:  `read_line_range {"absolute_path":"/w/a.go","start_line":2,"end_line":3}`,
		whole: `read_file {"absolute_path":"/w/a.go"}`,
		edit:  `replace {"file_path":"/w/a.go","old_string":"old","new_string":"new"}`,
		write: `write_file {"file_path":"/w/b.go","content":"BODY"}`,
		check: `run_shell_command {"command":"go test ./..."}`,
		plan:  `todo_write {"todos":[]}`,
	},
	{
		name:  "gemini-cli",
		part:  `read_file {"absolute_path":"/w/a.go","offset":2,"limit":2}`,
		whole: `read_file {"absolute_path":"/w/a.go"}`,
		edit:  `replace {"file_path":"/w/a.go","old_string":"old","new_string":"new"}`,
		write: `write_file {"file_path":"/w/b.go","content":"BODY"}`,
		check: `run_shell_command {"command":"go test ./..."}`,
		plan:  `list_directory {"path":"/w"}`,
	},
}

// The effects of calls of other programs are known from the names of their tools. The same session
// has the same result for every program.
func TestProgramsElsewhere(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			file := strings.Repeat("a line of the file, which is a long one\n", 9) + "old\n"
			changed := strings.ReplaceAll(file, "old", "new")
			body := func(word string) string {
				line := word + ` in the file\n`
				if p.inPatch {
					line = word + " in the file "
				}
				return strings.ReplaceAll(p.write, "BODY", strings.Repeat(line, 50))
			}
			calls := [][2]string{
				{p.part, file[:200]}, // free: the next call shows the whole file
				{p.whole, file},
				{p.edit, "done"},
				{p.part, changed[200:]}, // not freed by this partial read
				{body("one"), "done"},   // free: written again
				{body("two"), "done"},
				{p.plan, strings.Repeat("noted ", 30)},
				{p.check, strings.Repeat("failed ", 30)}, // free: run again
				{p.check, strings.Repeat("passed ", 30)}, // cold: a check that passed
				{p.edit, "error: no such text"},
			}
			want := []string{"quotes old of /w/a.go, applied true", "quotes old of /w/a.go, applied false", "2 view of /w/a.go: free", "4 view of /w/a.go: marked"}
			if !p.inPatch {
				want = append(want, "9 written content of /w/b.go: free")
			}
			if listing := map[string]string{"gemini-cli": "list_directory", "pi": "ls"}[p.name]; listing != "" {
				want = append(want, "14 answer of "+listing+": cold") // instead of a plan
			}
			want = append(want, "16 output of go test ./...: free", "18 output of go test ./...: cold")
			if diff := cmp.Diff(want, describeCalls(t, calls)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// describeCalls describes a session of calls: the texts that its edits quote, and the units that can
// be pruned.
func describeCalls(t *testing.T, calls [][2]string) []string {
	t.Helper()
	entries := []string{`{"speaker":"human","blocks":[{"type":"text","text":"go on"}]}`}
	for i, c := range calls {
		name, parameters, _ := strings.Cut(c[0], " ")
		answer, err := json.Marshal(c[1])
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries,
			fmt.Sprintf(`{"speaker":"ai","blocks":[{"type":"tool_call","id":"%d","name":%q,"parameters":%s}]}`, i, name, parameters),
			fmt.Sprintf(`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"%d","toolName":%q,"result":%s}]}`, i, name, answer))
	}
	in := parse(t, `{"workspaceRoot":"/w","history":[`+strings.Join(entries, ",")+`]}`)
	// This program has a tool with the same name as a tool of codex, but with another parameter.
	ours := tools.Tool{Name: "apply_patch", Traits: tools.Traits{Edits: true, Density: toolspec.Density{Patch: []string{"input"}}}}
	facts := (&Engine{Tools: tools.NewRegistry(ours)}).ToolTraits()
	options := compression.EngineOptions{Tools: facts, Root: in.WorkspaceRoot, Counter: func() history.Counter { return byteCounter{} }}
	engine := compression.NewEngine(options)
	engine.SetEntries(in.History)
	var known []string
	_, quotes := compression.RecordedUnits(in.History, options)
	for _, q := range quotes {
		known = append(known, fmt.Sprintf("quotes %s of %s, applied %t", q.Text, q.Path, q.Applied))
	}
	for _, c := range engine.Plan(compression.RequestFacts{Price: compression.SafePrice, Cold: true, Pressed: true}).Changes {
		known = append(known, fmt.Sprintf("%d %s of %s: %s", c.Entry, c.Kind, c.Subject, c.Why))
	}
	return known
}
