package tools

import (
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/history"
)

// The view of an answer describes its file: the lines that the answer shows, and a hash of the
// content.
func TestShown(t *testing.T) {
	t.Parallel()
	ten := numberedLines(1, 10)
	for _, c := range []struct {
		id       string
		tool     Tool
		args     params
		from, to int
		whole    bool
		content  string
	}{
		{"whole", readFile(), params{"file_path": "a"}, 1, 10, true, ten},
		{"some lines", readFile(), params{"file_path": "a", "offset": 3, "limit": 2}, 3, 4, false, ten},
		{"a part of a line", readFile(), params{"file_path": "a", "column": 3}, 0, 0, false, ten},
		{"nothing", readFile(), params{"file_path": "empty"}, 0, 0, false, ""},
		{"a range", readLineRange(), params{"file_path": "a", "start_line": 2, "end_line": 99}, 2, 10, false, ten},
		{"an outline", astReadFile(), params{"file_path": "x.go"}, 0, 0, false, "package x\n"},
		{"an edit", replace(), params{"file_path": "edited", "old_string": "old", "new_string": "new"}, 0, 0, false, "new\n"},
		{"a new file", writeFile(), params{"file_path": "made", "content": "made\n"}, 0, 0, false, "made\n"},
	} {
		env := fileEnv(t, map[string]string{"a": ten, "empty": "", "x.go": "package x\n", "edited": "old\n"})
		got := call(t, env, c.tool, c.args).View
		path, _ := c.args["file_path"].(string)
		if got == nil || got.From != c.from || got.To != c.to || got.Whole != c.whole || got.Hash != history.Digest(c.content) || filepath.Base(got.Path) != path || !filepath.IsAbs(got.Path) {
			t.Errorf("%s: shown %+v", c.id, got)
		}
	}
	env := fileEnv(t, nil)
	if got := call(t, env, readFile(), params{"file_path": "missing"}); got.View != nil {
		t.Errorf("a file that is not there is shown: %+v", got.View)
	}
}

// A placeholder for pruned text is not accepted as a quote, unless the file contains it.
func TestReplaceRefusesTheNoteOfPrunedText(t *testing.T) {
	t.Parallel()
	note := "[pruned: 12 lines]"
	env := fileEnv(t, map[string]string{"a": "text\n", "b": note + "\n"})
	for _, path := range []string{"a", "b"} {
		mustRun(t, env, readFile(), params{"file_path": path})
	}
	answer := call(t, env, replace(), params{"file_path": "a", "old_string": note, "new_string": "x"})
	if !strings.Contains(answer.Error, "Read the file again") {
		t.Errorf("answer %+v", answer)
	}
	mustRun(t, env, replace(), params{"file_path": "b", "old_string": note, "new_string": "x"})
}
