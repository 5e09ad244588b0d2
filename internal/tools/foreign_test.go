package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/require"
)

// Every tool that reads a file reports if it is not UTF-8. An edit changes no other byte, and the
// converted text that the model has seen cannot be written back.
func TestFilesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	contents := map[string]string{
		"latin.txt": "one \xe9\ntwo \xfc\nthree\n", "sjis.go": "package a\n\n// \x93\xfa\x96\x7b here, and more of plain text to read\nfunc B() {}\n", "mixed.txt": "first\n\xff\xfe odd\nthree \uFFFD real\n",
	}
	for name, content := range contents {
		env := fileEnv(t, map[string]string{name: content})
		reads := map[string]Answer{
			"read_file":       call(t, env, readFile(), params{"file_path": name}),
			"a part":          call(t, env, readFile(), params{"file_path": name, "offset": 1, "limit": 1}),
			"read_line_range": call(t, env, readLineRange(), params{"file_path": name, "start_line": 1, "end_line": 3}),
			"read_many_files": call(t, env, readManyFiles(), params{"paths": []string{name}}),
		}
		if strings.HasSuffix(name, ".go") {
			reads["ast_read_file"] = call(t, env, astReadFile(), params{"file_path": name})
			reads["ast_read_file symbol"] = call(t, env, astReadFile(), params{"file_path": name, "symbol": "B"})
		}
		for tool, answer := range reads {
			if !strings.Contains(answer.ModelText(), name+" is not UTF-8 text") {
				t.Errorf("%s of %s does not say so: %s%s", tool, name, answer.ModelText(), answer.Error)
			}
		}
		if answer := mustRun(t, env, searchFileContent(), params{"pattern": `o|here`}); name != "mixed.txt" && !strings.Contains(answer.ModelText(), "not UTF-8 text") {
			t.Errorf("search in %s: %s", name, answer.ModelText())
		}
		// No tool writes the converted text back.
		shown := strings.ToValidUTF8(content, "\uFFFD")
		mustRefuse(t, env, writeFile(), params{"file_path": name, "content": shown}, "is not UTF-8 text", "nothing was written", "replace")
		mustRefuse(t, env, writeFile(), params{"file_path": name, "content": "new\n"}, "is not UTF-8 text")
		mustRefuse(t, env, insertAtLine(), params{"file_path": name, "line_number": 1, "content": "\uFFFD"}, "is not UTF-8 text")
		last := content[strings.LastIndex(strings.TrimSuffix(content, "\n"), "\n")+1:]
		mustRefuse(t, env, replace(), params{"file_path": name, "old_string": "o", "new_string": "\uFFFD", "expected_replacements": strings.Count(content, "o")}, "")
		if !strings.Contains(last, "\uFFFD") {
			mustRun(t, env, replace(), params{"file_path": name, "old_string": last, "new_string": "changed ü\n"})
			wantContent(t, env, name, strings.TrimSuffix(content, last)+"changed ü\n")
		}
	}
	// A UTF-8 file that contains U+FFFD is an ordinary file.
	env := fileEnv(t, map[string]string{"a": "x \uFFFD\n"})
	if answer := mustRun(t, env, readFile(), params{"file_path": "a"}); answer.Note != "" {
		t.Errorf("%+v", answer)
	}
	mustRun(t, env, writeFile(), params{"file_path": "a", "content": "\uFFFD\uFFFD\n"})
}

// If a file is read-only, both the prompt and the result of an edit report this.
func TestEditOfAReadOnlyFileIsReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool Tool
		args params
	}{
		{writeFile(), params{"file_path": "a", "content": "two\n"}},
		{replace(), params{"file_path": "a", "old_string": "one", "new_string": "two"}},
		{insertAtLine(), params{"file_path": "a", "line_number": 1, "content": "two"}},
	} {
		env := fileEnv(t, map[string]string{"a": "one\n"})
		path := filepath.Join(env.Workspace.Root(), "a")
		if err := os.Chmod(path, 0o444); err != nil {
			t.Fatal(err)
		}
		see(t, env, "a")
		plan, err := planCall(t.Context(), t, c.tool, env, c.args)
		if err != nil {
			t.Fatal(err)
		}
		const said = "overrides write protection; the mode stays 0444"
		answer := plan.Apply(t.Context())
		if !require.Unix {
			if !strings.Contains(answer.Error, "it is read-only") {
				t.Errorf("%s: answered %+v", c.tool.Name, answer)
			}
			continue
		}
		if !strings.Contains(plan.Preview.Title, said) || !strings.Contains(answer.Text, said) || answer.Error != "" {
			t.Errorf("%s: asked %q, answered %+v", c.tool.Name, plan.Preview.Title, answer)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o444 {
			t.Errorf("%s: %v, %v", c.tool.Name, info.Mode(), err)
		}
	}
}
