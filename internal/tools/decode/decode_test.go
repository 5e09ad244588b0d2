package decode_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/tools"
	"agent/internal/tools/decode"
)

var registry = tools.NewRegistry(tools.Default()...)

// text returns the arguments of a call, or the model's text if they are not an object.
func text(call decode.Call) string {
	return cmp.Or(call.Arguments.InvalidText(), call.Arguments.String())
}

// D-92: each known mistake in the tables is translated to one call of this program. A call with
// several possible meanings stays unchanged.
func TestMeant(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, arguments, tool, want string }{
		// A correct call is unchanged, byte for byte.
		{"replace", `{"file_path": "a", "old_string":"x","new_string":"y"}`, "replace", `{"file_path": "a", "old_string":"x","new_string":"y"}`},
		{"todo_read", ``, "todo_read", ``},
		{"nothing_of_ours", `{"path":"a"}`, "nothing_of_ours", `{"path":"a"}`},
		// Names of parameters.
		{"replace", `{"filePath":"a","oldString":"x","newString":"y","replaceAll":true}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`},
		{"Edit", `{"path":"a","old_str":"x","new_str":"y"}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y"}`},
		{"edit", `{"path":"a","edits":[{"oldText":"x","newText":"y"},{"old_str":"v","new_str":"w","replaceAll":true}]}`, "replace", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"v","new_string":"w","replace_all":true}]}`},
		{"edit", `{"path":"a","edits":[{"old_string":"x","new_string":"y","description":"why","prompt":"p"}]}`, "replace", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}`},
		{"MultiEdit", `{"file_path":"a","edits":"[{\"old_string\":\"x\",\"new_string\":\"y\"}]"}`, "replace", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}`},
		{"replace", `{"filePath":"a","oldString":"x","newString":"y","foo":1}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y","foo":1}`},
		{"replace", `{"path":"a","file":"b","old_string":"x","new_string":"y"}`, "replace", `{"file_path":"a","file":"b","old_string":"x","new_string":"y"}`},
		// Commands.
		{"Bash", `{"command":"ls","description":"List","timeout":120000,"run_in_background":false}`, "run_shell_command", `{"command":"ls","timeout_seconds":120,"background":false}`},
		{"shell", `{"command":["bash","-lc","ls | wc"]}`, "run_shell_command", `{"command":"ls | wc"}`},
		{"exec_command", `{"cmd":"ls","workdir":"sub","yield_time_ms":1000,"login":true}`, "run_shell_command", `{"command":"ls","directory":"sub"}`},
		{"run_shell_command", `{"command":["git","commit","-m","it's"],"timeout_ms":500,"timeout_seconds":7}`, "run_shell_command", `{"command":"git commit -m \"it's\"","timeout_ms":500,"timeout_seconds":7}`},
		{"run_shell_command", `{"command":"ls","timeout":30}`, "run_shell_command", `{"command":"ls","timeout_seconds":30}`},
		{"Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`, "run_shell_command", `{"command":"ls","dangerouslyDisableSandbox":true}`},
		// Reading and searching.
		{"Read", `{"file_path":"a","offset":3}`, "read_file", `{"file_path":"a","offset":3}`},
		{"read_file", `{"path":"a","start_line":3,"end_line":"7"}`, "read_file", `{"file_path":"a","offset":3,"limit":5}`},
		{"Grep", `{"pattern":"x","path":"src","output_mode":"content","-n":true,"-i":true,"head_limit":5,"glob":"*.go"}`, "search_file_content", `{"pattern":"(?i)x","path":"src","mode":"lines","max_results":5,"include":"*.go"}`},
		{"Grep", `{"pattern":"x","output_mode":"files_with_matches","-A":2,"-B":"4","type":"ts"}`, "search_file_content", `{"pattern":"x","mode":"files","context":4,"include":"*.{ts,tsx,mts,cts}"}`},
		{"Grep", `{"pattern":"x","-C":1,"context":3}`, "search_file_content", `{"pattern":"x","-C":1,"context":3}`},
		{"grep_search", `{"query":"x","case_sensitive":false,"mode":"count"}`, "search_file_content", `{"pattern":"(?i)x","mode":"count"}`},
		{"grep_search", `{"query":"x","case_sensitive":true}`, "search_file_content", `{"pattern":"x"}`},
		{"Glob", `{"pattern":"*.go","case_sensitive":false}`, "glob", `{"pattern":"*.go","case_sensitive":false}`},
		{"Grep", `{"pattern":"x","multiline":true}`, "search_file_content", `{"pattern":"x","multiline":true}`},
		{"LS", `{"directory":"src"}`, "list_directory", `{"path":"src"}`},
		{"Glob", `{"pattern":"*.go"}`, "glob", `{"pattern":"*.go"}`},
		// One editor tool of another program that stands for several tools here.
		{"str_replace_based_edit_tool", `{"command":"view","path":"a","view_range":[2,4]}`, "read_file", `{"file_path":"a","offset":2,"limit":3}`},
		{"str_replace_editor", `{"command":"create","path":"a","file_text":"x"}`, "write_file", `{"file_path":"a","content":"x"}`},
		{"str_replace_editor", `{"command":"str_replace","path":"a","old_str":"x","new_str":"y"}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y"}`},
		{"str_replace_editor", `{"command":"insert","path":"a","insert_line":0,"new_str":"y"}`, "insert_at_line", `{"file_path":"a","line_number":1,"content":"y"}`},
		{"str_replace_editor", `{"command":"undo_edit","path":"a"}`, "str_replace_editor", `{"command":"undo_edit","path":"a"}`},
		// Other tools.
		{"AskUserQuestion", `{"questions":[]}`, "ask_user", `{"questions":[]}`},
		{"TodoWrite", `{"todos":[{"content":"x","status":"pending","activeForm":"x-ing"},{"id":7,"content":"y","status":"pending"}]}`, "todo_write", `{"todos":[{"content":"x","status":"pending"},{"id":"7","content":"y","status":"pending"}]}`},
		{"update_plan", `{"explanation":"e","plan":[{"step":"x","status":"in_progress"}]}`, "todo_write", `{"todos":[{"content":"x","status":"in_progress"}]}`},
		{"WebFetch", `{"url":"https://x.example","prompt":"sum it up"}`, "web_fetch", `{"url":"https://x.example"}`},
		{"applypatch", `{"patch":"*** Begin Patch"}`, "apply_patch", `{"input":"*** Begin Patch"}`},
		{"apply_patch", "*** Begin Patch\n*** Delete File: a\n*** End Patch", "apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`},
		// Common variations: names with a namespace, other separators in names, paths as URLs, and
		// lines as a range.
		{"functions.read_file", `{"file_path":"a"}`, "read_file", `{"file_path":"a"}`},
		{"default_api.replace", `{"file_path":"a","old_string":"x","new_string":"y"}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y"}`},
		{"ReadFile", `{"path":"a"}`, "read_file", `{"file_path":"a"}`},
		{"run-shell-command", `{"cmd":"ls"}`, "run_shell_command", `{"command":"ls"}`},
		{"functions.Bash", `{"command":"ls"}`, "run_shell_command", `{"command":"ls"}`},
		{"mcp__files__read_file", `{"path":"a"}`, "mcp__files__read_file", `{"path":"a"}`},
		{"read_file", `{"file_path":"file:///w/a%20b"}`, "read_file", `{"file_path":"/w/a b"}`},
		{"read_file", `{"file_path":"a","lines":"12-40"}`, "read_file", `{"file_path":"a","offset":12,"limit":29}`},
		{"read_file", `{"file_path":"a","lines":"many"}`, "read_file", `{"file_path":"a","lines":"many"}`},
		// Booleans as numbers and strings.
		{"replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":1}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`},
		{"Edit", `{"path":"a","old_str":"x","new_str":"y","replaceAll":0}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":false}`},
		{"replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":"True"}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`},
		{"replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":2}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":2}`},
		{"MultiEdit", `{"path":"a","edits":[{"old_str":"x","new_str":"y","replace_all":1}]}`, "replace", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y","replace_all":true}]}`},
		{"write_file", `{"file_path":"a","content":"1"}`, "write_file", `{"file_path":"a","content":"1"}`},
		// A wrapper around all arguments, if its content fits and the wrapper does not.
		{"replace", `{"arguments":{"file_path":"a","old_string":"x","new_string":"y"}}`, "replace", `{"file_path":"a","old_string":"x","new_string":"y"}`},
		{"Read", `{"parameters":{"path":"a"}}`, "read_file", `{"file_path":"a"}`},
		{"Bash", `{"input":"{\"cmd\":\"ls\",\"description\":\"d\"}"}`, "run_shell_command", `{"command":"ls"}`},
		{"write_file", "{\"arguments\":{\"file_path\":\"a\",\"content\":\"x\n\"}}", "write_file", `{"file_path":"a","content":"x\n"}`},
		{"apply_patch", `{"input":{"patch":"*** Begin Patch"}}`, "apply_patch", `{"input":"*** Begin Patch"}`},
		{"apply_patch", `{"input":"{}"}`, "apply_patch", `{"input":"{}"}`},
		{"write_file", `{"arguments":{"file_path":"a"}}`, "write_file", `{"arguments":{"file_path":"a"}}`},
		{"write_file", `{"arguments":{"file_path":"a","content":"x"},"file_path":"b"}`, "write_file", `{"arguments":{"file_path":"a","content":"x"},"file_path":"b"}`},
		{"read_file", `{"arguments":{"arguments":{"file_path":"a"}}}`, "read_file", `{"arguments":{"arguments":{"file_path":"a"}}}`},
		// Broken JSON.
		{"write_file", "{\"file_path\":\"a\",\"content\":\"x\n\ty\"}", "write_file", `{"file_path":"a","content":"x\n\ty"}`},
		{"write_file", "```json\n{\"file_path\":\"a\",\"content\":\"x\"}\n```", "write_file", `{"file_path":"a","content":"x"}`},
		{"write_file", `"{\"file_path\":\"a\",\"content\":\"x\"}"`, "write_file", `{"file_path":"a","content":"x"}`},
		{"read_many_files", `{"paths":["a","b",],}`, "read_many_files", `{"paths":["a","b"]}`},
		{"edit", `{'path': 'a', 'old_str': "it's", 'new_str': 'None "is" True', 'replace_all': True, 'expected_replacements': None}`, "replace", `{"file_path":"a","old_string":"it's","new_string":"None \"is\" True","replace_all":true}`},
		{"edit", `{'path': 'a', 'old_str': 'cut`, "replace", `{'path': 'a', 'old_str': 'cut`},
		{"MultiEdit", `{"file_path":"a","edits":{"old_string":"x","new_string":"y"}}`, "replace", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}`},
		{"write_file", `{'file_path':'a','content':'say "x", it\'s'}`, "write_file", `{"file_path":"a","content":"say \"x\", it's"}`},
		{"write_file", `{"file_path":"a","content":"x`, "write_file", `{"file_path":"a","content":"x`},
		{"write_file", `{"file_path":"a","content":"x"`, "write_file", `{"file_path":"a","content":"x"`},
		{"write_file", "{\"file_path\":\"a\",\"content\":\"x\ny", "write_file", "{\"file_path\":\"a\",\"content\":\"x\ny"},
		{"write_file", "{\"file_path\":\"a\",\"contents of it\":\"x\n\"}", "write_file", "{\"file_path\":\"a\",\"contents of it\":\"x\n\"}"},
	} {
		got := registry.Translate(tt.name, tt.arguments)
		if got.Name != tt.tool || got.Arguments.String() != arguments.Parse(tt.want).String() {
			t.Errorf("%s %s\nmeans %s %s\nwant  %s %s", tt.name, tt.arguments, got.Name, text(got), tt.tool, tt.want)
		}
		if (got.Name != tt.name) != strings.Contains(strings.Join(got.Notes, ";"), "the name here is "+got.Name+", not "+tt.name) {
			t.Errorf("%s: notes %q", tt.name, got.Notes)
		}
		again := registry.Translate(got.Name, text(got))
		if again.Name != got.Name || text(again) != text(got) {
			t.Errorf("%s is not stable: %s", text(got), text(again))
		}
	}
}

// The description in a call is shown to the user. A note explains how a time was interpreted.
func TestRemarksAndTimes(t *testing.T) {
	t.Parallel()
	got := registry.Translate("Bash", `{"command":"ls","description":"List the files","timeout":120000}`)
	if got.Remark != "List the files" || !slices.Contains(got.Notes, "the name here is timeout_seconds, not timeout, and its value was read as 120 seconds") {
		t.Errorf("%+v", got)
	}
	if got := registry.Translate("exec_command", `{"cmd":"ls","justification":"to see"}`); got.Remark != "to see" {
		t.Errorf("%+v", got)
	}
	if got := registry.Translate("run_shell_command", `{"command":"ls"}`); got.Remark != "" {
		t.Errorf("%+v", got)
	}
}

// Calls of MCP tools use the names of their servers.
func TestForeignToolsStay(t *testing.T) {
	t.Parallel()
	own := tools.NewRegistry(tools.Tool{Name: "edit", Schema: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"}}}`)})
	const arguments = `{"path":"a","description":"b"}`
	if got := own.Translate("edit", arguments); got.Name != "edit" || text(got) != arguments {
		t.Errorf("%+v", got)
	}
	own = tools.NewRegistry(tools.Tool{Name: "replace", Schema: json.RawMessage(`{"type":"object"}`)})
	if got := own.Translate("edit", arguments); got.Name != "edit" || text(got) != arguments {
		t.Errorf("a foreign tool is meant: %+v", got)
	}
}

func TestProblem(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"a":"b`:         "they end in the middle; write less in one call",
		`{"a":b}`:         `invalid character 'b' looking for beginning of value at byte 6, near "{\"a\":b}"`,
		`["a"]`:           "are not a JSON object",
		`{"a":"b"} extra`: "at byte 11",
	} {
		if got := decode.NotObjectMessage("f", arguments); !strings.Contains(got, want) {
			t.Errorf("%s: %s", arguments, got)
		}
	}
}

// FuzzMeant checks that translating a translated call changes nothing, and that valid arguments
// stay valid.
func FuzzMeant(f *testing.F) {
	for _, seed := range [][2]string{{"Edit", `{"path":"a","old_str":"x"}`}, {"Bash", `{"command":["a"]}`}, {"write_file", "{'a':\n'b',}"}, {"Grep", `{"-i":true,"query":"x"}`}, {"TodoWrite", `{"todos":[{"content":"x"}]}`}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, name, arguments string) {
		got := registry.Translate(name, arguments)
		if json.Valid([]byte(arguments)) && !json.Valid([]byte(text(got))) {
			t.Fatalf("%q became %q", arguments, text(got))
		}
		if again := registry.Translate(got.Name, text(got)); text(again) != text(got) || again.Name != got.Name {
			t.Fatalf("%q, then %q", text(got), text(again))
		}
	})
}
