package decode

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"agent/internal/base/arguments"
)

func inFolder(file string) string {
	if path.IsAbs(file) {
		return file
	}
	return path.Join("/w", file)
}

// Names and parameters of calls are translated for hooks in both directions. If a hook returns its
// input unchanged, the call is unchanged.
func TestHooksNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ours, arguments, theirs, input string }{
		{"run_shell_command", `{"command":"ls","timeout_seconds":5,"background":true,"directory":"a"}`, "Bash", `{"command":"ls","timeout":5000,"run_in_background":true,"directory":"a"}`},
		{"run_shell_command", `{"action":"tail","job":1}`, "BashOutput", `{"action":"tail","job":1}`},
		{"run_shell_command", `{"action":"kill","job":1}`, "KillShell", `{"action":"kill","job":1}`},
		{"read_file", `{"file_path":"a/b","offset":3}`, "Read", `{"file_path":"/w/a/b","offset":3}`},
		{"read_line_range", `{"file_path":"a","start_line":1,"end_line":2}`, "Read", `{"file_path":"/w/a","start_line":1,"end_line":2}`},
		{"ast_read_file", `{"file_path":"/w/a","symbol":"f"}`, "Read", `{"file_path":"/w/a","symbol":"f"}`},
		{"write_file", `{"file_path":"a","content":"c"}`, "Write", `{"file_path":"/w/a","content":"c"}`},
		{"replace", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`, "Edit", `{"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":true}`},
		{
			"replace", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"z","new_string":"k"}]}`, "Edit",
			`{"file_path":"/w/a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"z","new_string":"k"}],"old_string":"x\nz","new_string":"y\nk"}`,
		},
		{"insert_at_line", `{"file_path":"a","line_number":2,"content":"c"}`, "Edit", `{"file_path":"/w/a","line_number":2,"new_string":"c","old_string":""}`},
		{"delete_line_range", `{"file_path":"a","start_line":2,"end_line":3}`, "Edit", `{"file_path":"/w/a","start_line":2,"end_line":3,"old_string":"","new_string":""}`},
		{"ast_edit", `{"file_path":"a","symbol":"f","new_code":"c"}`, "Edit", `{"file_path":"/w/a","symbol":"f","new_string":"c","old_string":""}`},
		{"search_file_content", `{"pattern":"p","path":"d","include":"*.go","max_results":3}`, "Grep", `{"pattern":"p","path":"/w/d","glob":"*.go","head_limit":3}`},
		{"glob", `{"pattern":"*.go","path":"/x"}`, "Glob", `{"pattern":"*.go","path":"/x"}`},
		{"list_directory", `{"path":"d"}`, "LS", `{"path":"/w/d"}`},
		{"web_fetch", `{"url":"https://a"}`, "WebFetch", `{"url":"https://a"}`},
		{"todo_write", `{"todos":[]}`, "TodoWrite", `{"todos":[]}`},
		{"skill", `{"name":"n","arguments":"a"}`, "Skill", `{"skill":"n","args":"a"}`},
		{"ask_user", `{"questions":[]}`, "AskUserQuestion", `{"questions":[]}`},
		{"present_plan", `{"plan":"p"}`, "ExitPlanMode", `{"plan":"p"}`},
		{"mcp__s__t", `{"file_path":"a"}`, "mcp__s__t", `{"file_path":"a"}`},
		{"recall", `{"number":1}`, "recall", `{"number":1}`},
	} {
		all := ClaudeCalls(c.ours, arguments.Parse(c.arguments), inFolder)
		if len(all) != 1 || all[0].Name != c.theirs || string(all[0].Input) != c.input {
			t.Errorf("%s%s is %+v; want %s%s", c.ours, c.arguments, all, c.theirs, c.input)
			continue
		}
		if back, err := all[0].ToOwnArguments(all[0].Input); err != nil || string(back) != c.arguments {
			t.Errorf("%s%s comes back as %s, %v", c.ours, c.arguments, back, err)
		}
		var loose any
		_ = json.Unmarshal(all[0].Input, &loose)
		again, _ := json.MarshalIndent(loose, "", " ")
		back, err := all[0].ToOwnArguments(again)
		if err != nil || !sameValue(back, json.RawMessage(c.arguments)) {
			t.Errorf("%s%s in another order comes back as %s, %v", c.ours, c.arguments, back, err)
		}
	}
}

// An input that a hook changes is translated back to this program's parameters. Parameters that
// Claude Code does not have stay.
func TestHooksUpdatedInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ours, arguments, updated, want, problem string }{
		{"run_shell_command", `{"command":"rm x","directory":"a","timeout_seconds":5}`, `{"command":"ls"}`, `{"directory":"a","command":"ls"}`, ""},
		{"run_shell_command", `{"command":"x","timeout_seconds":5}`, `{"command":"x","timeout":1500}`, `{"command":"x","timeout_seconds":2}`, ""},
		{"run_shell_command", `{"command":"x"}`, `{"command":"x","timeout":7000,"description":"d"}`, `{"command":"x","timeout":7000,"description":"d"}`, ""},
		{"write_file", `{"file_path":"a","content":"c"}`, `{"file_path":"/w/b","content":"c"}`, `{"file_path":"/w/b","content":"c"}`, ""},
		{"insert_at_line", `{"file_path":"a","line_number":2,"content":"c"}`, `{"file_path":"/w/a","old_string":"","new_string":"d"}`, `{"line_number":2,"file_path":"a","content":"d"}`, ""},
		{"delete_line_range", `{"file_path":"a","start_line":2,"end_line":3}`, `{"file_path":"/w/a","new_string":"d"}`, "", "can't change new_string"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`, `{"file_path":"b"}`, "", "several files"},
		{"read_many_files", `{"paths":["a"]}`, `{"file_path":"b"}`, "", "several files"},
		{"write_file", `{"file_path":"a","content":"c"}`, `[1]`, "", "not a JSON object"},
	} {
		got, err := ClaudeCalls(c.ours, arguments.Parse(c.arguments), inFolder)[0].ToOwnArguments(json.RawMessage(c.updated))
		if string(got) != c.want || (err != nil) != (c.problem != "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s%s updated to %s: %s, %v", c.ours, c.arguments, c.updated, got, err)
		}
	}
}

// A patch is one call for each of its files, with Write for added files. A tool that reads several
// files is one call for each of them too.
func TestHooksFilesOfACall(t *testing.T) {
	t.Parallel()
	text, _ := json.Marshal(map[string]string{"input": "*** Begin Patch\n*** Add File: a\n+one\n*** Update File: b\n*** Move to: c\n@@\n x\n-y\n+z\n*** Delete File: d\n*** End Patch"})
	var got []string
	for _, call := range ClaudeCalls("apply_patch", arguments.Parse(text), inFolder) {
		got = append(got, call.Name+string(call.Input))
	}
	want := `Write{"file_path":"/w/a","content":"one\n"}
Edit{"file_path":"/w/b","old_string":"x\ny\n","new_string":"x\nz\n"}
Edit{"file_path":"/w/c","old_string":"x\ny\n","new_string":"x\nz\n"}
Edit{"file_path":"/w/d","old_string":"","new_string":""}`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	many := ClaudeCalls("read_many_files", arguments.Parse(`{"paths":["a","b"],"include":["*.c"]}`), inFolder)
	if len(many) != 3 || many[2].Name != "Read" || string(many[2].Input) != `{"file_path":"/w/*.c"}` {
		t.Errorf("%+v", many)
	}
	if broken := ClaudeCalls("apply_patch", arguments.Parse(`{"input":"x"}`), inFolder); len(broken) != 1 || broken[0].Name != "apply_patch" {
		t.Errorf("%+v", broken)
	}
}

// A call of a server's tool has one name, also if it is contained in a call of another tool.
func TestHooksServersTools(t *testing.T) {
	t.Parallel()
	held := TranslateServed("mcp__s__t", arguments.Parse(`{"server":"s","tool":"t","arguments":{"a":1}}`), true)[0]
	direct := TranslateServed("mcp__s__t", arguments.Parse(`{"a":1}`), false)[0]
	bare := TranslateServed("mcp__s__t", arguments.Parse(`{"server":"s","tool":"t"}`), true)[0]
	if held.Name != "mcp__s__t" || string(held.Input) != `{"a":1}` || string(direct.Input) != `{"a":1}` || string(bare.Input) != `{"server":"s","tool":"t"}` {
		t.Errorf("%s, %s, %s", held.Input, direct.Input, bare.Input)
	}
	for _, c := range []struct {
		their ClaudeCall
		want  string
	}{{held, `{"server":"s","tool":"t","arguments":{"a":2}}`}, {direct, `{"a":2}`}} {
		if back, err := c.their.ToOwnArguments(json.RawMessage(`{"a":2}`)); err != nil || string(back) != c.want {
			t.Errorf("%s, %v", back, err)
		}
	}
}
