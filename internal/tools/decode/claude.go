package decode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/rawjson"
	"agent/internal/text/lines"
	"agent/internal/text/patch"
)

// A theirTool is a tool of Claude Code. Models, rules and hooks use the names of these tools.
type theirTool struct {
	name string
	// ours lists our tools that do the same work. A call of the tool is translated to a call of the
	// first.
	ours []string
	// takes lists the tool's parameters. renamed maps our parameter names to the tool's names.
	takes   []string
	renamed map[string]string
	// always lists the parameters that every call of the tool has.
	always []string
}

// theirTools is the table for translations in both directions.
var theirTools = []theirTool{
	{
		name: "Bash", ours: []string{"run_shell_command"}, takes: []string{"command", "timeout", "run_in_background"},
		renamed: map[string]string{"timeout_seconds": "timeout", "background": "run_in_background"},
	},
	{name: "Read", ours: []string{"read_file", "read_line_range", "read_many_files", "ast_read_file"}, takes: []string{"file_path", "offset", "limit"}},
	{name: "Write", ours: []string{"write_file"}, takes: []string{"file_path", "content"}},
	{
		name: "Edit", ours: []string{"replace", "insert_at_line", "delete_line_range", "ast_edit"}, takes: []string{"file_path", "old_string", "new_string", "replace_all"},
		renamed: map[string]string{"content": "new_string", "new_code": "new_string"}, always: []string{"old_string", "new_string"},
	},
	{
		name: "Grep", ours: []string{"search_file_content"}, takes: []string{"pattern", "path", "glob", "head_limit"},
		renamed: map[string]string{"include": "glob", "max_results": "head_limit"},
	},
	{name: "Glob", ours: []string{"glob"}, takes: []string{"pattern", "path"}},
	{name: "LS", ours: []string{"list_directory"}, takes: []string{"path"}},
	{name: "WebFetch", ours: []string{"web_fetch"}, takes: []string{"url"}},
	{name: "WebSearch", ours: []string{"web_search"}, takes: []string{"query"}},
	{name: "TodoWrite", ours: []string{"todo_write"}, takes: []string{"todos"}},
	{name: "Skill", ours: []string{"skill"}, takes: []string{"skill", "args"}, renamed: map[string]string{"name": "skill", "arguments": "args"}},
	{
		name: "Task", ours: []string{"task"}, takes: []string{"prompt", "subagent_type", "description", "run_in_background", "resume"},
		renamed: map[string]string{"task": "prompt", "agent": "subagent_type", "title": "description", "background": "run_in_background", "continue": "resume"},
	},
	{name: "AskUserQuestion", ours: []string{"ask_user"}, takes: []string{"questions"}},
	{name: "ExitPlanMode", ours: []string{"present_plan"}, takes: []string{"plan"}},
}

// ToolsByClaudeName returns our tools that do the work of a tool of Claude Code, nil for none.
func ToolsByClaudeName(name string) []string {
	for _, t := range theirTools {
		if strings.EqualFold(t.name, name) {
			return t.ours
		}
	}
	return nil
}

// ToolsByForeignName returns our tools that do the work of a tool of any other coding agent, nil for none.
func ToolsByForeignName(name string) []string {
	if ours := ToolsByClaudeName(name); ours != nil {
		return ours
	}
	if ours, known := toolNames[strings.ToLower(name)]; known {
		return []string{ours}
	}
	return nil
}

// theirsOf returns the tool of Claude Code that does the work of our tool.
func theirsOf(name string) (theirTool, bool) {
	at := slices.IndexFunc(theirTools, func(t theirTool) bool { return slices.Contains(t.ours, name) })
	if at < 0 {
		return theirTool{name: name}, false
	}
	return theirTools[at], true
}

// ClaudeCall is a call of one of our tools, translated to the names and parameters of Claude Code.
type ClaudeCall struct {
	Name  string
	Input json.RawMessage

	// given holds the parameters of our call. shown holds the translated parameters in Input.
	given, shown members
	// outer holds the arguments of an enclosing call if this call is the value of its parameter
	// inner.
	outer members
	// part is set if our call concerns several files, and this call only one of them.
	part bool
	tool theirTool
}

// ClaudeCalls translates our call to the names of Claude Code. A call on several files becomes one
// call for each file. abs makes the path of a file absolute.
func ClaudeCalls(name string, sent arguments.Arguments, abs func(string) string) []ClaudeCall {
	tool, known := theirsOf(name)
	given, ok := membersOf(sent)
	if !ok {
		return []ClaudeCall{{Name: tool.name, Input: sent.Raw()}}
	}
	if text, is := given.text("input"); is && name == "apply_patch" {
		if files := patched(text, abs); len(files) > 0 {
			return files
		}
	}
	if !known {
		return []ClaudeCall{{Name: name, Input: sent.Raw(), given: given, shown: given, tool: tool}}
	}
	if files := given.several(); len(files) > 0 {
		var all []ClaudeCall
		for _, file := range files {
			all = append(all, partOf(tool.name, members{quoted("file_path", abs(file))}))
		}
		return all
	}
	if action, is := given.text("action"); is && given.index("command") < 0 && tool.name == "Bash" {
		tool.name = "BashOutput"
		if action == "kill" {
			tool.name = "KillShell"
		}
	}
	shown := tool.shows(given, abs)
	return []ClaudeCall{{Name: tool.name, Input: shown.json(), given: given, shown: shown, tool: tool}}
}

// partOf returns the call for one of the files of our call.
func partOf(name string, input members) ClaudeCall {
	return ClaudeCall{Name: name, Input: input.json(), shown: input, part: true}
}

// Files returns the files and folders that the call names.
func (t ClaudeCall) Files() []string {
	var files []string
	for _, name := range []string{"file_path", "path"} {
		if file, ok := t.shown.text(name); ok && file != "" {
			files = append(files, file)
		}
	}
	return files
}

// File returns the file to which the call applies, "" for none.
func (t ClaudeCall) File() string {
	file, _ := t.shown.text("file_path")
	return file
}

// inner is the parameter of a call that holds the arguments of another call.
const inner = "arguments"

// TranslateServed translates a call of a server's tool to the name of the tool in Claude Code. held is set
// if the call is enclosed in a call of another tool.
func TranslateServed(name string, sent arguments.Arguments, held bool) []ClaudeCall {
	given, _ := membersOf(sent)
	if i := given.index(inner); held && i >= 0 {
		their := TranslateServed(name, arguments.Parse(given[i].value), false)[0]
		their.outer = given
		return []ClaudeCall{their}
	}
	return []ClaudeCall{{Name: name, Input: sent.Raw(), given: given, shown: given, tool: theirTool{name: name}}}
}

// several returns the names of files in a call that has a list of files.
func (m members) several() []string {
	var all []string
	for _, parameter := range []string{"paths", "include"} {
		var list []string
		if i := m.index(parameter); i >= 0 && json.Unmarshal(m[i].value, &list) == nil {
			all = append(all, list...)
		}
	}
	return all
}

// shows translates our parameters to the tool's parameters.
func (t theirTool) shows(given members, abs func(string) string) members {
	var shown members
	for _, m := range given {
		switch m.name {
		case "file_path", "path":
			if text, ok := given.text(m.name); ok {
				m = quoted(m.name, abs(text))
			}
		case "timeout_seconds":
			if n, ok := whole(m.value); ok {
				m.value = number(n * millisecond)
			}
		}
		if theirs, ok := t.renamed[m.name]; ok && given.index(theirs) < 0 {
			m.name = theirs
		}
		shown = append(shown, m)
	}
	for _, name := range t.always {
		if shown.index(name) < 0 {
			shown = append(shown, quoted(name, given.edited(name)))
		}
	}
	return shown
}

// edited returns the parameter name of all edits of a call, joined by newlines.
func (m members) edited(name string) string {
	var edits []map[string]any
	if i := m.index("edits"); i >= 0 {
		_ = json.Unmarshal(m[i].value, &edits)
	}
	var all []string
	for _, edit := range edits {
		if text, ok := edit[name].(string); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

func patched(text string, abs func(string) string) []ClaudeCall {
	sections, err := patch.Parse(text)
	if err != nil {
		return nil
	}
	var all []ClaudeCall
	call := func(name string, input members) { all = append(all, partOf(name, input)) }
	for _, s := range sections {
		if s.Op == patch.Add {
			call("Write", members{quoted("file_path", abs(s.Path)), quoted("content", s.Text)})
			continue
		}
		before, after := "", ""
		for _, chunk := range s.Chunks {
			before += lines.Join(chunk.OldLines())
			after += lines.Join(chunk.NewLines())
		}
		edit := members{quoted("old_string", before), quoted("new_string", after)}
		call("Edit", append(members{quoted("file_path", abs(s.Path))}, edit...))
		if s.MoveTo != "" {
			call("Edit", append(members{quoted("file_path", abs(s.MoveTo))}, edit...))
		}
	}
	return all
}

// ToOwnArguments translates a changed Input to arguments of our call. It keeps our parameters that Claude
// Code does not have, unless the new input names them. The error describes a change that our call
// cannot express.
func (t ClaudeCall) ToOwnArguments(input json.RawMessage) (json.RawMessage, error) {
	updated, ok := parse(string(input))
	if !ok {
		return nil, fmt.Errorf("the input that the hook returned is not a JSON object")
	}
	if t.outer != nil {
		held := slices.Clone(t.outer)
		held[held.index(inner)].value = updated.json()
		return held.json(), nil
	}
	if t.part || t.given == nil {
		return nil, fmt.Errorf("the call changes several files. A hook can only block it, not change it")
	}
	back := members{}
	for i, m := range t.shown {
		if i < len(t.given) && updated.index(m.name) < 0 && !slices.Contains(t.tool.takes, m.name) {
			back = append(back, t.given[i])
		}
	}
	for _, m := range updated {
		switch at := t.shown.index(m.name); {
		case at < 0:
			back = append(back, m)
		case at >= len(t.given):
			if !sameValue(t.shown[at].value, m.value) {
				return nil, fmt.Errorf("a hook can't change %s in a call of %s", m.name, t.tool.name)
			}
		case sameValue(t.shown[at].value, m.value):
			back = append(back, t.given[at])
		default:
			own := t.given[at].name
			if own == "timeout_seconds" {
				m.value, _ = fromMilliseconds(m.value)
			}
			back = append(back, member{own, m.value})
		}
	}
	return back.json(), nil
}

// sameValue reports whether two JSON values are equal apart from their formatting.
func sameValue(a, b json.RawMessage) bool {
	var one, other any
	if json.Unmarshal(a, &one) != nil || json.Unmarshal(b, &other) != nil {
		return bytes.Equal(a, b)
	}
	return reflect.DeepEqual(one, other)
}

func quoted(name, text string) member { return member{name, rawjson.AppendString(nil, text)} }
