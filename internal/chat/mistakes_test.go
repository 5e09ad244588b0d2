package chat

import (
	"context"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
)

// mistake is a typical wrong call of a model. The call has its intended effect, or its answer
// contains everything needed to correct it with the next call.
type mistake struct {
	name            string
	tool, arguments string
	// says is text that the next request must contain.
	says string
	// next is the call that follows from the answer. It is empty if the first call had its effect.
	next [2]string
	// file is the content of the file f afterwards.
	file string
}

const (
	before = "\tone\n\ttwo\n\ttwo\n"
	after  = "\tONE\n\ttwo\n\ttwo\n"
)

// done returns a mistake whose call has the intended effect.
func done(name, tool, arguments, says, file string) mistake {
	return mistake{name: name, tool: tool, arguments: arguments, says: says, file: file}
}

// corrected returns a mistake whose answer contains the correction.
func corrected(name, tool, arguments, says, nextTool, nextArguments, file string) mistake {
	return mistake{name, tool, arguments, says, [2]string{nextTool, nextArguments}, file}
}

const rightEdit = `{"file_path":"f","old_string":"one","new_string":"ONE"}`

var mistakes = []mistake{
	// Names of parameters and tools.
	done("replace_all false, one place", "replace", `{"file_path":"f","old_string":"one","new_string":"ONE","replace_all":false}`, "Replaced once in f", after),
	done("replace_all true, two places", "replace", `{"file_path":"f","old_string":"two","new_string":"2","replace_all":true}`, "Replaced twice in f", "\tone\n\t2\n\t2\n"),
	done("Edit with old_str", "Edit", `{"path":"f","old_str":"one","new_str":"ONE"}`, "the name here is replace, not Edit", after),
	done("camel case", "edit_file", `{"filePath":"f","oldString":"one","newString":"ONE","instruction":"x"}`, "the name here is file_path, not filePath", after),
	done("str_replace_editor", "str_replace_editor", `{"command":"str_replace","path":"f","old_str":"one","new_str":"ONE"}`, "the name here is replace, not str_replace_editor", after),
	done("two edits as a text", "MultiEdit", `{"file_path":"f","edits":"[{\"old_string\":\"one\",\"new_string\":\"ONE\"}]"}`, "Replaced once", after),
	done("Write", "Write", `{"path":"g","contents":"x\n"}`, "the name here is write_file, not Write", before),
	done("argv", "shell", `{"command":["bash","-lc","printf 'hi%s' there"]}`, "hithere", before),
	done("exec_command", "exec_command", `{"cmd":"cat f","workdir":".","yield_time_ms":1000}`, "one", before),
	done("timeout in milliseconds", "Bash", `{"command":"cat f","description":"d","timeout":120000}`, "its value was read as 120 seconds", before),
	done("Grep", "Grep", `{"pattern":"ONE","-i":true,"output_mode":"count","-n":true}`, "f: 1", before),
	done("view_range", "view", `{"path":"f","view_range":[1,1]}`, "one", before),
	done("a patch in the shell", "shell", `{"command":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f\n@@\n-\tone\n+\tONE\n*** End Patch\nEOF"]}`, "Updated f", after),
	done("grep without a hit", "run_shell_command", `{"command":"grep nothing f"}`, "[nothing found: exit 1", before),
	// Calls with more than one possible meaning.
	corrected("an unknown parameter", "replace", `{"filePath":"f","oldString":"one","newString":"ONE","foo":1}`, `unknown parameter \"foo\"`, "replace", rightEdit, after),
	corrected("two of them, in order", "replace", `{"zoo":1,"file_path":"f","old_string":"one","new_string":"ONE","foo":1}`, `unknown parameters \"zoo\", \"foo\" (valid: file_path`, "replace", rightEdit, after),
	corrected("multiline", "Grep", `{"pattern":"one","multiline":true}`, `unknown parameter \"multiline\"`, "search_file_content", `{"pattern":"one"}`, before),
	corrected("an unknown tool", "insert_edit_into_file", `{"file_path":"f"}`, `(available: read_file`, "replace", rightEdit, after),
	corrected("a parameter that is missing", "replace", `{"old_string":"one","new_string":"ONE"}`, `missing required parameter \"file_path\"`, "replace", rightEdit, after),
	corrected("another file", "replace", `{"file_path":"./src/ff","old_string":"one","new_string":"ONE"}`, "src/ff does not exist", "replace", rightEdit, after),
	// Edits.
	done("one tab less", "replace", `{"file_path":"f","old_string":"one\ntwo\ntwo","new_string":"ONE\ntwo\ntwo"}`, "The indentation of old_string differed from the file; new_string was adjusted to it.", after),
	done("blanks for tabs", "replace", `{"file_path":"f","old_string":"    one\n","new_string":"    ONE\n"}`, "was adjusted to it", after),
	corrected("one tab less, twice in the file", "replace", `{"file_path":"f","old_string":"  two","new_string":"2"}`, "at lines 2, 3", "replace", rightEdit, after),
	corrected("several places", "replace", `{"file_path":"f","old_string":"two","new_string":"2"}`, "at lines 2, 3; nothing was written. Add the lines around it so that it occurs once, or set replace_all", "replace", `{"file_path":"f","old_string":"two","new_string":"2","replace_all":true}`, "\tone\n\t2\n\t2\n"),
	corrected("edits that overlap", "edit", `{"path":"f","edits":[{"old_string":"one","new_string":"1"},{"old_string":"ne","new_string":"2"}]}`, "edits 1 and 2 overlap at line 1 of f", "replace", rightEdit, after),
	corrected("a line that is not there", "replace", `{"file_path":"f","old_string":"\tonne","new_string":"\tONE"}`, "1|\\tone", "replace", rightEdit, after),
	corrected("a patch that does not match", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: f\n@@\n-\tonne\n+\tONE\n*** End Patch"}`, "The closest lines", "replace", rightEdit, after),
	corrected("a patch without an end", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: f\n@@\n-\tone\n"}`, "was it cut? Send it again", "replace", rightEdit, after),
	corrected("apply_patch beside a command", "run_shell_command", `{"command":"ls; apply_patch < x"}`, "apply_patch is a tool here, not a program; call it with the patch", "replace", rightEdit, after),
	// JSON.
	done("a raw line feed", "replace", "{\"file_path\":\"f\",\"old_string\":\"one\n\ttwo\n\ttwo\",\"new_string\":\"ONE\n\ttwo\n\ttwo\"}", "Replaced once", after),
	done("a fence", "replace", "```json\n"+rightEdit+"\n```", "Replaced once", after),
	done("an object as a text", "replace", `"{\"file_path\":\"f\",\"old_string\":\"one\",\"new_string\":\"ONE\"}"`, "Replaced once", after),
	done("a trailing comma", "replace", `{"file_path":"f","old_string":"one","new_string":"ONE",}`, "Replaced once", after),
	done("single quotes", "replace", `{'file_path':'f','old_string':'one','new_string':'ONE'}`, "Replaced once", after),
	corrected("cut", "replace", `{"file_path":"f","old_string":"one","new_string":"ON`, "they end in the middle; write less in one call", "replace", rightEdit, after),
	corrected("no JSON", "replace", `{"file_path":f}`, "at byte 15", "replace", rightEdit, after),
}

// Each mistake is resolved in one step. The call has its intended effect, or the next request
// states the error (D-92).
func TestEveryMistakeIsResolvedInOneStep(t *testing.T) {
	t.Parallel()
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			said := ""
			second := say("done")
			if m.next[0] != "" {
				second = calls(m.next[0], m.next[1])
			}
			b := newWorkbench(t, map[string]string{"f": before}, calls(m.tool, m.arguments), func(ctx context.Context, r llm.Request, yield func(llm.Chunk, error) bool) {
				for _, entry := range r.History {
					for _, block := range entry.Blocks {
						if response, ok := block.(*history.ToolResponse); ok {
							said += response.Result.Text() + "\n" + response.Error + "\n"
						}
					}
				}
				if !strings.Contains(said, strings.NewReplacer(`\"`, `"`, `\t`, "\t").Replace(m.says)) {
					say("I do not know what to do")(ctx, r, yield)
					return
				}
				second(ctx, r, yield)
			}, say("done"))
			if out, err := b.prompt("read f first, then change it"); err != nil || out.Response != "done" {
				t.Errorf("%+v, %v; the model reads\n%s", out, err, said)
			}
			b.valid()
			b.want("f", m.file)
		})
	}
}
