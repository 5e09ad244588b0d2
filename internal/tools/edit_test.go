package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/text/textfile"
)

// onDisk changes a file as another program would.
func onDisk(t testing.TB, env *Env, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(env.Workspace.Root(), file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWriteFileCreatesAndRewrites(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"crlf": textfile.ByteOrderMark + "a\r\nb\r\n", "bare": "a\nb", "empty": ""})
	answer := mustRun(t, env, writeFile(), params{"file_path": "new/x.txt", "content": "one\r\ntwo"})
	if answer.ModelText() != "Created new/x.txt with 2 lines" || !strings.Contains(answer.Diff, "--- /dev/null\n+++ new/x.txt\n@@ -0,0 +1,2 @@\n+one\n") {
		t.Errorf("got %+v", answer)
	}
	wantContent(t, env, "new/x.txt", "one\r\ntwo")

	see(t, env, "crlf", "bare")
	mustRun(t, env, writeFile(), params{"file_path": "crlf", "content": "a\nc"})
	wantContent(t, env, "crlf", textfile.ByteOrderMark+"a\r\nc\r\n")
	mustRun(t, env, writeFile(), params{"file_path": "bare", "content": "c"})
	wantContent(t, env, "bare", "c")
	mustRun(t, env, writeFile(), params{"file_path": "empty", "content": "x"})
	wantContent(t, env, "empty", "x")
	mustRefuse(t, env, writeFile(), params{"file_path": "newdir/", "content": "x"}, "newdir/ is a folder")
	// A file that the tool wrote counts as read.
	mustRun(t, env, writeFile(), params{"file_path": "new/x.txt", "content": "again"})
	wantContent(t, env, "new/x.txt", "again")
}

func TestChangeOfLineEndsAloneIsReported(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f": "a\nb\n"})
	see(t, env, "f")
	raw := arguments.Parse(`{"file_path":"f","content":"a\r\nb\r\n"}`)
	plan, err := writeFile().Plan(t.Context(), env, raw)
	if err != nil || plan.Preview.Title != "change the line ends of f" {
		t.Fatalf("got %+v, %v", plan.Preview, err)
	}
	wantResult(t, plan.Apply(t.Context()), "Wrote f, now 2 lines. Only its line ends changed")
	wantContent(t, env, "f", "a\r\nb\r\n")
}

func TestAnEditThatPartsAHardLinkSaysSo(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f": "old\n", "single": "old\n"})
	for _, name := range []string{"g", "h"} {
		if err := os.Link(filepath.Join(env.Workspace.Root(), "f"), filepath.Join(env.Workspace.Root(), name)); err != nil {
			t.Fatal(err)
		}
	}
	see(t, env, "f", "single")
	const parted = " (the old text remains in 2 hard links to it)"
	for file, said := range map[string]string{"f": parted, "single": ""} {
		plan, err := planCall(t.Context(), t, replace(), env, params{"file_path": file, "old_string": "old", "new_string": "new"})
		if err != nil || plan.Preview.Title != "edit "+file+said {
			t.Fatalf("got %+v, %v", plan.Preview, err)
		}
		wantResult(t, plan.Apply(t.Context()), "Replaced once in "+file+said+": line 1, +1 −1")
	}
	wantContent(t, env, "f", "new\n")
	wantContent(t, env, "g", "old\n")
	plan, err := planCall(t.Context(), t, replace(), env, params{"file_path": "f", "old_string": "new", "new_string": "newer"})
	if err != nil || plan.Preview.Title != "edit f" {
		t.Errorf("of the parted file: %+v, %v", plan.Preview, err)
	}
}

func TestEditOfAnUnreadFileIsRefused(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.go": "package a\n\nfunc F() {}\n"}
	for _, c := range []struct {
		tool Tool
		args params
	}{
		{writeFile(), params{"file_path": "a.go", "content": "package b\n"}},
		{insertAtLine(), params{"file_path": "a.go", "line_number": 1, "content": "x"}},
		{deleteLineRange(), params{"file_path": "a.go", "start_line": 1, "end_line": 1}},
		{astEdit(), params{"file_path": "a.go", "symbol": "F", "new_code": "func F() { G() }"}},
	} {
		env := fileEnv(t, files)
		mustRefuse(t, env, c.tool, c.args, "a.go exists and you have not read it", "read_file")
		see(t, env, "a.go")
		mustRun(t, env, c.tool, c.args)
	}
	// A quote that replace finds proves that the model knows the text.
	mustRun(t, fileEnv(t, files), replace(), params{"file_path": "a.go", "old_string": "F()", "new_string": "G()"})
}

func TestFileChangedUnderneathIsRefusedWithTheDifference(t *testing.T) {
	t.Parallel()
	start := "one\ntwo\nthree\nfour\n"
	for _, c := range []struct {
		tool Tool
		args params
	}{
		{writeFile(), params{"file_path": "f.txt", "content": "mine\n"}},
		{replace(), params{"file_path": "f.txt", "old_string": "one", "new_string": "1"}},
		{insertAtLine(), params{"file_path": "f.txt", "line_number": 1, "content": "x"}},
		{deleteLineRange(), params{"file_path": "f.txt", "start_line": 1, "end_line": 1}},
	} {
		env := fileEnv(t, map[string]string{"f.txt": start})
		see(t, env, "f.txt")
		info, err := os.Stat(filepath.Join(env.Workspace.Root(), "f.txt"))
		if err != nil {
			t.Fatal(err)
		}
		onDisk(t, env, "f.txt", "one\ntwo\nTHREE\nfour\n")
		// The content counts, and not the time.
		if err := os.Chtimes(filepath.Join(env.Workspace.Root(), "f.txt"), info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		_, err = planCall(t.Context(), t, c.tool, env, c.args)
		if err == nil || !strings.Contains(err.Error(), "f.txt changed on disk") || !strings.Contains(err.Error(), "-three\n+THREE\n") {
			t.Errorf("%s: the plan says %v", c.tool.Name, err)
		}
		// The error has shown the new content to the model.
		mustRun(t, env, c.tool, c.args)

		onDisk(t, env, "f.txt", "other\n")
		mustRefuse(t, env, c.tool, c.args, "f.txt changed on disk", "+other\n")
	}
}

func TestTouchedFileIsNotChanged(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f.txt": "one\n"})
	see(t, env, "f.txt")
	onDisk(t, env, "f.txt", "one\n")
	mustRun(t, env, writeFile(), params{"file_path": "f.txt", "content": "two\n"})
}

func TestLargeDifferenceRequestsAnotherRead(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f.txt": numberedLines(1, 3000)})
	see(t, env, "f.txt")
	env.Limits.OutputTokens = 100
	onDisk(t, env, "f.txt", strings.ReplaceAll(numberedLines(1, 3000), "line", "row"))
	args := params{"file_path": "f.txt", "old_string": "row 7\n", "new_string": "x\n"}
	if message := mustRefuse(t, env, replace(), args, "Read it again"); len(message) > 500 {
		t.Errorf("the error has %d bytes", len(message))
	}
	mustRefuse(t, env, replace(), args, "Read it again")
	see(t, env, "f.txt")
	mustRun(t, env, replace(), args)
}

func TestInsertAtLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, content string
		line            int
		after           string
	}{
		{"a\nb\n", "x", 1, "x\na\nb\n"},
		{"a\nb\n", "x\ny\n", 2, "a\nx\ny\nb\n"},
		{"a\nb\n", "x", 3, "a\nb\nx\n"},
		{"a\nb", "x\n", 3, "a\nb\nx"},
		{"a\nb", "x", 2, "a\nx\nb"},
		{"a\r\nb\r\n", "x\ny", 2, "a\r\nx\r\ny\r\nb\r\n"},
		{textfile.ByteOrderMark + "a\n", "x", 1, textfile.ByteOrderMark + "x\na\n"},
		{"", "x", 1, "x\n"},
		{"a\n", "\n", 1, "\na\n"},
	} {
		env := fileEnv(t, map[string]string{"f": c.before})
		see(t, env, "f")
		mustRun(t, env, insertAtLine(), params{"file_path": "f", "line_number": c.line, "content": c.content})
		wantContent(t, env, "f", c.after)
	}
	env := fileEnv(t, map[string]string{"f": "a\nb\n"})
	see(t, env, "f")
	mustRefuse(t, env, insertAtLine(), params{"file_path": "f", "line_number": 4, "content": "x"}, "2 lines", "to append, use 3")
	mustRefuse(t, env, insertAtLine(), params{"file_path": "f", "line_number": 0, "content": "x"}, "line_number 0")
	mustRefuse(t, env, insertAtLine(), params{"file_path": "f", "line_number": 1, "content": ""}, "content is empty")
	mustRefuse(t, env, insertAtLine(), params{"file_path": "g", "line_number": 1, "content": "x"}, "g does not exist")
}

func TestDeleteLineRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before     string
		start, end int
		after      string
	}{
		{"a\nb\nc\n", 1, 1, "b\nc\n"},
		{"a\nb\nc\n", 2, 3, "a\n"},
		{"a\nb\nc", 3, 3, "a\nb"},
		{"a\nb\nc", 1, 2, "c"},
		{"a\nb\nc", 1, 3, ""},
		{"a\r\nb\r\nc\r\n", 2, 2, "a\r\nc\r\n"},
		{"a\r\nb\r\nc", 3, 3, "a\r\nb"},
		{textfile.ByteOrderMark + "a\nb\n", 1, 1, textfile.ByteOrderMark + "b\n"},
	} {
		env := fileEnv(t, map[string]string{"f": c.before})
		see(t, env, "f")
		mustRun(t, env, deleteLineRange(), params{"file_path": "f", "start_line": c.start, "end_line": c.end})
		wantContent(t, env, "f", c.after)
	}
	env := fileEnv(t, map[string]string{"f": "a\nb\n"})
	see(t, env, "f")
	mustRefuse(t, env, deleteLineRange(), params{"file_path": "f", "start_line": 2, "end_line": 3}, "2 lines")
	mustRefuse(t, env, deleteLineRange(), params{"file_path": "f", "start_line": 2, "end_line": 1}, "not a valid range")
}

func TestEditThatChangesNothingIsAnError(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f.go": "package f\n\nfunc F() {}\n"})
	see(t, env, "f.go")
	mustRefuse(t, env, writeFile(), params{"file_path": "f.go", "content": "package f\n\nfunc F() {}"}, "nothing to change")
	mustRefuse(t, env, replace(), params{"file_path": "f.go", "old_string": "F", "new_string": "F"}, "nothing to change")
	mustRefuse(t, env, astEdit(), params{"file_path": "f.go", "symbol": "F", "new_code": "func F() {}"}, "nothing to change")
}

func TestGitsOwnFilesAreNotEdited(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{
		".git/config": "[core]\n", "sub/.git/config": "[core]\n", ".github/x.yml": "a\n",
		// A git repository without a working tree, which a file .git elsewhere may name.
		"bare/HEAD": "ref: refs/heads/main\n", "bare/objects/x": "", "bare/config": "[core]\n",
	})
	link(t, env, ".git", "innocent")
	for _, path := range []string{
		".git/hooks/pre-commit", ".git/config", "sub/.git/config", "innocent/hooks/post-merge", ".GIT/config",
		"bare/config", "bare/hooks/post-merge", "new/.git",
	} {
		mustRefuse(t, env, writeFile(), params{"file_path": path, "content": "#!/bin/sh\n"}, "belongs to git")
		mustRefuse(t, env, replace(), params{"file_path": path, "old_string": "core", "new_string": "x"}, "belongs to git")
	}
	mustRun(t, env, replace(), params{"file_path": ".github/x.yml", "old_string": "a", "new_string": "b"})
}

func TestPlanShowsTheChangeWithoutEffect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool  Tool
		args  params
		title string
	}{
		{writeFile(), params{"file_path": "new.txt", "content": "x\n"}, "create new.txt"},
		{writeFile(), params{"file_path": "dir/a.go", "content": "package b\n"}, "edit dir/a.go"},
		{replace(), params{"file_path": "dir/a.go", "old_string": "F", "new_string": "G"}, "edit dir/a.go"},
		{astEdit(), params{"file_path": "dir/a.go", "symbol": "F", "new_code": "func F() {\nG()}"}, "edit dir/a.go"},
		{insertAtLine(), params{"file_path": "dir/a.go", "line_number": 2, "content": "// x"}, "edit dir/a.go"},
		{deleteLineRange(), params{"file_path": "dir/a.go", "start_line": 2, "end_line": 3}, "edit dir/a.go"},
	} {
		env := fileEnv(t, map[string]string{"dir/a.go": "package a\n\nfunc F() {}\n"})
		see(t, env, "dir/a.go")
		before := contents(t, env.Workspace.Root())
		plan, err := planCall(t.Context(), t, c.tool, env, c.args)
		if err != nil {
			t.Errorf("%s: %v", c.tool.Name, err)
			continue
		}
		if after := contents(t, env.Workspace.Root()); after != before {
			t.Errorf("%s: the plan changed files", c.tool.Name)
		}
		path := strings.Fields(c.title)[1]
		preview := plan.Preview
		if preview.Title != c.title || len(preview.Paths) != 1 || preview.Paths[0] != path || preview.Diff == "" {
			t.Errorf("%s: preview %+v", c.tool.Name, preview)
		}
		if answer := plan.Apply(t.Context()); answer.Error != "" || answer.Diff != preview.Diff {
			t.Errorf("%s: preview\n%s\napplied\n%s %s", c.tool.Name, preview.Diff, answer.Diff, answer.Error)
		}
	}
}

func TestEditAnswersWithTheChangedRegion(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f.txt": numberedLines(1, 40)})
	answer := mustRun(t, env, replace(), params{"file_path": "f.txt", "old_string": "line 5\n", "new_string": "five\nfive\n"})
	wantResult(t, answer, "Replaced once in f.txt: lines 5-6, +2 −1")
	see(t, env, "f.txt")
	answer = mustRun(t, env, replace(), params{"file_path": "f.txt", "old_string": "  five\n  five\n", "new_string": "  fives\n"})
	if !strings.Contains(answer.ModelText(), "changed lines now, as NUMBER|TEXT:\n") || !strings.Contains(answer.ModelText(), "5|fives\n") {
		t.Errorf("an edit with another indentation answers with\n%s", answer.ModelText())
	}
	see(t, env, "f.txt")
	answer = mustRun(t, env, replace(), params{"file_path": "f.txt", "old_string": "0\n", "new_string": "zero\n", "expected_replacements": 4})
	wantResult(t, answer, "Replaced 4 times in f.txt: lines 10, 20, 30, 40, +4 −4. The first and the last changed place now, as NUMBER|TEXT:\n"+
		" 7|line 7\n 8|line 8\n 9|line 9\n10|line 1zero\n11|line 11\n12|line 12\n13|line 13\n…\n37|line 37\n38|line 38\n39|line 39\n40|line 4zero")
	answer = mustRun(t, env, writeFile(), params{"file_path": "f.txt", "content": strings.Repeat("same\n", 5000)})
	if want := ": lines 1-5000, +5000 −40"; !strings.HasSuffix(answer.ModelText(), want) {
		t.Errorf("a big change answers with\n%s", answer.ModelText())
	}
}

// The user approves the change that the prompt shows. If the file changes before the answer, it is
// not written, even if the edit still applies. Here the quoted text is now a part of a line with
// another meaning.
func TestFileChangedBetweenPlanAndApplyIsKept(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f": "x = 1 // harmless\n", "seen": "a\nb\n"})
	see(t, env, "seen")
	for _, c := range []struct {
		tool         Tool
		args         params
		file, theirs string
	}{
		{replace(), params{"file_path": "f", "old_string": "x = 1", "new_string": "x = 2"}, "f", "drop_database_if x = 1\n"},
		{writeFile(), params{"file_path": "new", "content": "mine"}, "new", "theirs\n"},
		{insertAtLine(), params{"file_path": "seen", "line_number": 1, "content": "mine"}, "seen", "b\na\n"},
	} {
		plan, err := planCall(t.Context(), t, c.tool, env, c.args)
		if err != nil {
			t.Fatal(err)
		}
		onDisk(t, env, c.file, c.theirs)
		if answer := plan.Apply(t.Context()); !strings.Contains(answer.Error, c.file+" was changed by another program") {
			t.Errorf("got %+v", answer)
		}
		wantContent(t, env, c.file, c.theirs)
	}
}
