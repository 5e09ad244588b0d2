package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/text/quote"
	"agent/internal/text/textfile"
	"agent/internal/toolspec"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, old, new string
		expected               int
		after                  string
	}{
		{"once", "a b c\n", "b", "x", 0, "a x c\n"},
		{"lines", "a\nb\nc\n", "a\nb\n", "x\n", 1, "x\nc\n"},
		{"several", "a b a\n", "a", "x", 2, "x b x\n"},
		{"to nothing", "a b\n", " b", "", 0, "a\n"},
		{"CRLF file, LF old", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", 0, "x\r\ny\r\nz\r\nc\r\n"},
		{"CRLF file, CRLF old", "a\r\nb\r\n", "a\r\nb", "x\r\ny", 0, "x\r\ny\r\n"},
		{"LF file, CRLF old", "a\nb\n", "a\r\nb", "x\r\ny", 0, "x\ny\n"},
		{"mixed ends", "a\r\nb\nc\r\n", "b", "x", 0, "a\r\nx\nc\r\n"},
		{"mark", textfile.ByteOrderMark + "a\n", "a", "x", 0, textfile.ByteOrderMark + "x\n"},
		{"mark given", textfile.ByteOrderMark + "a\n", textfile.ByteOrderMark + "a", "x", 0, textfile.ByteOrderMark + "x\n"},
		{"no final newline", "a\nb", "b", "x", 0, "a\nx"},
		{"old encoding", "caf\xe9 a\n", "a\n", "b\n", 0, "caf\xe9 b\n"},
		{"overlaps", "aaaa\n", "aa", "b", 2, "bb\n"},
		{"dollar", "a\n", "a", "$1 \\1", 0, "$1 \\1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := fileEnv(t, map[string]string{"f": c.before})
			args := params{"file_path": "f", "old_string": c.old, "new_string": c.new}
			if c.expected > 0 {
				args["expected_replacements"] = c.expected
			}
			mustRun(t, env, replace(), args)
			wantContent(t, env, "f", c.after)
		})
	}
}

func TestReplaceRefusesAnotherNumberOfPlaces(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f": "x\na\nx\nx\n", "many": strings.Repeat("y\n", 50)})
	mustRefuse(t, env, replace(), params{"file_path": "f", "old_string": "x", "new_string": "y"},
		"occurs 3 times in f, not 1: at lines 1, 3, 4", "set replace_all")
	mustRefuse(t, env, replace(), params{"file_path": "f", "old_string": "a", "new_string": "y", "expected_replacements": 2},
		"occurs once in f, not 2: at line 2", "Omit expected_replacements")
	mustRefuse(t, env, replace(), params{"file_path": "many", "old_string": "y", "new_string": "z"}, "50 times", " 20, …")
	mustRefuse(t, env, replace(), params{"file_path": "f", "old_string": "", "new_string": "y"}, "old_string is empty", "write_file")
	mustRefuse(t, env, replace(), params{"file_path": "f", "old_string": "a", "new_string": "y", "expected_replacements": -1}, "at least 1")
}

func TestNearMissPointsAtTheDifference(t *testing.T) {
	t.Parallel()
	file := "package a\n\nfunc Send(ctx context.Context) error {\n\treturn nil\n}\n\nfunc Other() {\n\tx := \"q\"  \n}\n"
	for _, c := range []struct {
		name, old, new string
		words          []string
	}{
		{"indentation", "func Send(ctx context.Context) error {\n    return nil\n]", "", []string{
			"not found in f; nothing was written", "3|func Send(ctx context.Context) error {\n4|\treturn nil\n5|}\n",
			`Line 4 differs in indentation: the file has "\treturn nil", old_string has "    return nil"`,
		}},
		{"inner spaces", "func  Send(ctx context.Context) error {", "", []string{"Line 3 differs in whitespace only"}},
		{"end of line", "\tx := \"q\"\n]", "", []string{`Line 8 differs in whitespace at its end`}},
		{"wrong word", "func Send(ctx context.Context) string {\n\treturn nil", "", []string{"Line 3 differs: the file has", "error {", "string {"}},
		{"numbers", "3|func Send(ctx context.Context) error {\n4|\treturn nil", "", []string{"line numbers", "NUMBER|"}},
		{"escaped", `func Other() {\n\tx`, "", []string{"escaped once too often"}},
		{"made before", "func Old() {\n", "func Other() {\n", []string{"new_string is already in the file, at line 7"}},
		{"nothing near", "SELECT * FROM unrelated", "", []string{"No lines of the file are similar"}},
		{"past the end", "func Other() {\n\tx := \"q\"  \n}\n\nmore\n", "", []string{"The file ends at line 9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := fileEnv(t, map[string]string{"f": file})
			mustRefuse(t, env, replace(), params{"file_path": "f", "old_string": c.old, "new_string": c.new}, c.words...)
		})
	}
}

func TestNearMissIsBounded(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&file, "\tcase %d: return value_%d(a, b, c)\n", i, i%7)
	}
	file.WriteString(strings.Repeat("z", 1<<20))
	old := strings.Repeat("\tcase 17: return valeu_3(a, b, c) // no\n", 400)
	env := fileEnv(t, map[string]string{"f": file.String()})
	if message := mustRefuse(t, env, replace(), params{"file_path": "f", "old_string": old, "new_string": "x"}, "closest lines"); len(message) > 20_000 {
		t.Errorf("the error has %d bytes", len(message))
	}
}

// Quoted lines that differ from the file only in blanks are found if they match at one position.
// The new lines are shifted by the same difference. No looser match is accepted.
func TestIndentationIsMapped(t *testing.T) {
	t.Parallel()
	const file = "func a() {\n\tif x {\n\t\ty()\n\t}\n}\n"
	for name, c := range map[string]struct{ file, old, new, want string }{
		"one tab less":               {file, "if x {\n\ty()\n}\n", "if x {\n\tz()\n\tif w {\n\t\ty()\n\t}\n}\n", "func a() {\n\tif x {\n\t\tz()\n\t\tif w {\n\t\t\ty()\n\t\t}\n\t}\n}\n"},
		"blanks for tabs":            {file, "    if x {\n        y()\n    }", "    if x {\n        y()\n            z()\n    }", "func a() {\n\tif x {\n\t\ty()\n\t\t\tz()\n\t}\n}\n"},
		"deletion":                   {file, "if x {\n\ty()\n}\n", "", "func a() {\n}\n"},
		"no end of line on one side": {file, "    y()", "    z()\n", "func a() {\n\tif x {\n\t\tz()\n\n\t}\n}\n"},
		"at the end of the file":     {"a\n\tb", "    b\n", "    c\n", "a\n\tc"},
		"CRLF":                       {"{\r\n\tb\r\n}\r\n", "  b\n", "  c\n  d\n", "{\r\n\tc\r\n\td\r\n}\r\n"},
		"blanks at the end":          {"\ta \n\tb\n", "\ta\n\tb\n", "\ta\n\tc\n", "\ta\n\tc\n"},
		"twice":                      {"\ta\n\t\ta\n", "    a\n", "    b\n", "at lines 1, 2"},
		"contradiction":              {"\ta\n\t\tb\n", "    a\n    b\n", "    c\n    d\n", "infer the indentation"},
		"another depth":              {"\t\ta\n\tb\n", "    a\nb\n", "    a\n  c\nb\n", "infer the indentation"},
		"inner blanks":               {"\ta  b\n", "a b\n", "c\n", "closest lines"},
		"a line is missing":          {"\ta\n\tb\n\tc\n", "a\nc\n", "d\n", "closest lines"},
	} {
		env := fileEnv(t, map[string]string{"f": c.file})
		args := params{"file_path": "f", "old_string": c.old, "new_string": c.new}
		if !strings.ContainsAny(c.want, "\t\n") {
			mustRefuse(t, env, replace(), args, c.want)
			continue
		}
		answer := mustRun(t, env, replace(), args)
		said := quote.IndentationShifted
		if name == "blanks at the end" {
			said = quote.BlanksIgnored
		}
		if wantContent(t, env, "f", c.want); !strings.HasPrefix(answer.Text, said) {
			t.Errorf("%s: %q", name, answer.Text)
		}
	}
}

// A call can replace all occurrences, or contain several edits. All edits refer to the original
// file, and either all or none are applied.
func TestSeveralEditsInOneCall(t *testing.T) {
	t.Parallel()
	const file = "one\ntwo\none\nthree\n\tfour\n"
	edit := func(old, new string) params { return params{"old_string": old, "new_string": new} }
	for name, c := range map[string]struct {
		args params
		want string
	}{
		"all":             {params{"old_string": "one", "new_string": "1", "replace_all": true}, "1\ntwo\n1\nthree\n\tfour\n"},
		"not all":         {params{"old_string": "two", "new_string": "2", "replace_all": false}, "one\n2\none\nthree\n\tfour\n"},
		"all of one":      {params{"old_string": "two", "new_string": "2", "replace_all": "true"}, "one\n2\none\nthree\n\tfour\n"},
		"several":         {params{"edits": []params{edit("three", "one"), edit("two", "2"), {"old_string": "one", "new_string": "1", "replace_all": true}}}, "1\n2\n1\none\n\tfour\n"},
		"as a text":       {params{"edits": `[{"old_string":"two","new_string":"2"},{"old_string":"three","new_string":"3"}]`}, "one\n2\none\n3\n\tfour\n"},
		"one shifted":     {params{"edits": []params{edit("two", "2"), edit("  four\n", "  4\n")}}, "one\n2\none\nthree\n\t4\n"},
		"overlap":         {params{"edits": []params{edit("two\none", "x"), edit("one\nthree", "y")}}, "edits 1 and 2 overlap at line 3"},
		"one not there":   {params{"edits": []params{edit("two", "2"), edit("five", "5")}}, "edit 2 of 2: old_string was not found"},
		"in a new text":   {params{"edits": []params{edit("two", "five"), edit("five", "6")}}, "edit 2 of 2: its old_string is in the new text of edit 1, but each edit is matched against the file as it was: old_string was not found"},
		"one ambiguous":   {params{"edits": []params{edit("one", "1"), edit("two", "2")}}, "edit 1 of 2: old_string occurs twice"},
		"one that is not": {params{"edits": []params{edit("one", "1"), edit("", "2")}}, "edit 2 of 2: old_string is empty"},
		"both":            {params{"old_string": "two", "new_string": "2", "edits": []params{edit("one", "1")}}, "give either"},
	} {
		env := fileEnv(t, map[string]string{"f": file})
		c.args["file_path"] = "f"
		if !strings.Contains(c.want, "\n") {
			mustRefuse(t, env, replace(), c.args, c.want)
			continue
		}
		if mustRun(t, env, replace(), c.args); content(t, filepath.Join(env.Workspace.Root(), "f")) != c.want {
			t.Errorf("%s: %q, want %q", name, content(t, filepath.Join(env.Workspace.Root(), "f")), c.want)
		}
	}
}

// If edit-tolerance is exact, text with another indentation is not found.
func TestExactEditsMapNoIndentation(t *testing.T) {
	t.Parallel()
	for _, exact := range []bool{false, true} {
		env := fileEnv(t, map[string]string{"f": "\tone\n\ttwo\n"})
		env.Limits.ExactEdits = exact
		call(t, env, readFile(), params{"file_path": "f"})
		answer := runTool(t.Context(), t, replace(), env, map[string]any{"file_path": "f", "old_string": "one\ntwo", "new_string": "1\n2"})
		if refused := strings.Contains(answer.Error, "was not found in f"); refused != exact {
			t.Errorf("exact %t: %+v", exact, answer)
		}
	}
}

// Several edits of a file form one call. Either all or none are applied, and an error names the
// failed edit.
func TestEditsOfOneCall(t *testing.T) {
	t.Parallel()
	text := numberedLines(1, 100)
	edits := func(n, wrong int) []map[string]string {
		list := make([]map[string]string, n)
		for i := range list {
			list[i] = map[string]string{"old_string": fmt.Sprintf("line %d\n", 2*i+1), "new_string": fmt.Sprintf("new %d\n", i)}
		}
		if wrong > 0 {
			list[wrong-1]["old_string"] = "nowhere"
		}
		return list
	}
	for name, tc := range map[string]struct {
		n, wrong int
		want     string
	}{
		"ten":                 {10, 0, ""},
		"as many as can be":   {maxEdits, 0, ""},
		"one too many":        {maxEdits + 1, 0, "edits has 51 items; the limit is 50"},
		"the seventh is none": {10, 7, "edit 7 of 10: "},
	} {
		env := fileEnv(t, map[string]string{"f.txt": text})
		answer := runTool(t.Context(), t, replace(), env, params{"file_path": "f.txt", "edits": edits(tc.n, tc.wrong)})
		got, err := os.ReadFile(filepath.Join(env.Workspace.Root(), "f.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if tc.want == "" {
			if answer.Error != "" || strings.Count(string(got), "new ") != tc.n || !strings.HasPrefix(answer.Text, fmt.Sprintf("Replaced %d times in f.txt: lines ", tc.n)) {
				t.Errorf("%s: %+v", name, answer)
			}
		} else if !strings.Contains(answer.Error, tc.want) || string(got) != text {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

// D-124: the reduced set of tools omits rare tools, but a call of an omitted tool still works.
func TestFewTools_D124(t *testing.T) {
	t.Parallel()
	registry := NewRegistry(Default()...)
	all, few := registry.ToolsForFormat(toolspec.EditReplace), CommonTools(registry.ToolsForFormat(toolspec.EditReplace))
	for _, name := range []string{"ast_edit", "insert_at_line", "delete_line_range", "todo_read", "list_directory"} {
		named := func(tool Tool) bool { return tool.Name == name }
		if !slices.ContainsFunc(all, named) || slices.ContainsFunc(few, named) {
			t.Errorf("%s is offered wrongly", name)
		}
	}
	for _, name := range []string{"read_file", "ast_read_file", "write_file", "recall"} {
		if !slices.ContainsFunc(few, func(tool Tool) bool { return tool.Name == name }) {
			t.Errorf("%s is not offered", name)
		}
	}
	env := fileEnv(t, map[string]string{"a.txt": "one\n"})
	tool, err := registry.Get("list_directory")
	if err != nil {
		t.Fatal(err)
	}
	if answer := runTool(t.Context(), t, tool, env, params{"path": "."}); !strings.Contains(answer.Text, "a.txt") {
		t.Errorf("list_directory: %+v", answer)
	}
}
