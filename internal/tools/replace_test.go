package tools

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/text/textfile"
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
	refused(t, env, replace(), params{"file_path": "f", "old_string": "x", "new_string": "y"},
		"occurs 3 times in f, not 1: at lines 1, 3, 4", "set expected_replacements to 3")
	refused(t, env, replace(), params{"file_path": "f", "old_string": "a", "new_string": "y", "expected_replacements": 2},
		"occurs once in f, not 2: at line 2", "Set expected_replacements to 1")
	refused(t, env, replace(), params{"file_path": "many", "old_string": "y", "new_string": "z"}, "50 times", " 20, …")
	refused(t, env, replace(), params{"file_path": "f", "old_string": "", "new_string": "y"}, "old_string is empty", "write_file")
	refused(t, env, replace(), params{"file_path": "f", "old_string": "a", "new_string": "y", "expected_replacements": -1}, "at least 1")
}

func TestNearMissPointsAtTheDifference(t *testing.T) {
	t.Parallel()
	file := "package a\n\nfunc Send(ctx context.Context) error {\n\treturn nil\n}\n\nfunc Other() {\n\tx := \"q\"  \n}\n"
	for _, c := range []struct {
		name, old, new string
		words          []string
	}{
		{"indentation", "func Send(ctx context.Context) error {\n    return nil\n}", "", []string{
			"not found in f; nothing was written", "3|func Send(ctx context.Context) error {\n4|\treturn nil\n5|}\n",
			`Line 4 differs in indentation: the file has "\treturn nil", old_string has "    return nil"`,
		}},
		{"inner spaces", "func  Send(ctx context.Context) error {", "", []string{"Line 3 differs in whitespace only"}},
		{"end of line", "\tx := \"q\"\n}", "", []string{`Line 8 differs in whitespace at its end`}},
		{"wrong word", "func Send(ctx context.Context) string {\n\treturn nil", "", []string{"Line 3 differs: the file has", "error {", "string {"}},
		{"numbers", "3|func Send(ctx context.Context) error {\n4|\treturn nil", "", []string{"line numbers", "NUMBER|"}},
		{"escaped", `func Other() {\n\tx`, "", []string{"escaped once too often"}},
		{"made before", "func Old() {\n", "func Other() {\n", []string{"new_string is already there, at line 7"}},
		{"nothing near", "SELECT * FROM unrelated", "", []string{"No lines of the file are close"}},
		{"past the end", "func Other() {\n\tx := \"q\"  \n}\n\nmore\n", "", []string{"The file ends at line 9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := fileEnv(t, map[string]string{"f": file})
			refused(t, env, replace(), params{"file_path": "f", "old_string": c.old, "new_string": c.new}, c.words...)
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
	if message := refused(t, env, replace(), params{"file_path": "f", "old_string": old, "new_string": "x"}, "closest lines"); len(message) > 20_000 {
		t.Errorf("the error has %d bytes", len(message))
	}
}

func FuzzNearMiss(f *testing.F) {
	f.Add("a\nb\nc\n", "b\n\nc")
	f.Add("", "x")
	f.Add("\tone  two\n\xff\xfe", "one two\n")
	f.Add("a", "a\n\n\n")
	f.Fuzz(func(t *testing.T, text, old string) {
		if old == "" || strings.Contains(text, old) {
			return
		}
		message := notFound("f", text, old, "new").Error()
		if !strings.HasPrefix(message, "old_string was not found in f") || len(message) > 40_000 {
			t.Errorf("%d bytes: %.200s", len(message), message)
		}
	})
}
