package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

const aNotebook = `{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {},
   "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}],
   "source": [
    "x = 1\n",
    "print(x)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 4
}`

// Every tool that edits text reads and edits a notebook as cells. The approval prompt shows cells
// too.
func TestNotebooks(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.ipynb": aNotebook, "broken.ipynb": "{"})
	read := mustRun(t, env, readFile(), params{"file_path": "a.ipynb"})
	if want := "%% cell 1 code\nx = 1\nprint(x)\n%% output of cell 1\n1\n"; read.Text != want || read.Note != asCells {
		t.Errorf("it reads %q, %q", read.Text, read.Note)
	}
	if part := mustRun(t, env, readFile(), params{"file_path": "a.ipynb", "offset": 2, "limit": 1}); part.Text != "[lines 2-2 of 5; read on with offset 3]\nx = 1\n" || part.View.From != 2 {
		t.Errorf("a part reads %q", part.Text)
	}
	is := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(env.Workspace.Root(), "a.ipynb")); err != nil || string(got) != want {
			t.Errorf("the file is now\n%s\nnot\n%s", got, want)
		}
	}
	answer := mustRun(t, env, replace(), params{"file_path": "a.ipynb", "old_string": "x = 1", "new_string": "x = 2"})
	want := strings.Replace(aNotebook, "x = 1", "x = 2", 1)
	is(want)
	if !strings.Contains(answer.Text, ": line 2, +1 −1") || !strings.Contains(answer.Diff, "-x = 1\n+x = 2\n print(x)") {
		t.Errorf("the answer is %q with the diff\n%s", answer.Text, answer.Diff)
	}
	mustRefuse(t, env, replace(), params{"file_path": "a.ipynb", "old_string": "\n1\n", "new_string": "\n2\n"}, "the outputs of cell")
	mustRun(t, env, insertAtLine(), params{"file_path": "a.ipynb", "line_number": 4, "content": "pass"})
	want = strings.Replace(want, `    "print(x)"`, "    \"print(x)\\n\",\n    \"pass\"", 1)
	is(want)
	mustRun(t, env, applyPatch(), params{"input": "*** Begin Patch\n*** Update File: a.ipynb\n*** Move to: b.ipynb\n@@\n x = 2\n-print(x)\n+print(y)\n*** End Patch"})
	if got, err := os.ReadFile(filepath.Join(env.Workspace.Root(), "b.ipynb")); err != nil || string(got) != strings.Replace(want, "print(x)", "print(y)", 1) {
		t.Errorf("the patch makes\n%s\n%v", got, err)
	}
	mustRun(t, env, writeFile(), params{"file_path": "b.ipynb", "content": aNotebook})
	if text := mustRun(t, env, readFile(), params{"file_path": "broken.ipynb"}); text.Text != "{\n" || text.Note != "" {
		t.Errorf("what is no notebook reads %q", text.Text)
	}
}

// aPDF is a file with the header of a PDF.
const aPDF = "%PDF-1.4\n\x00\xff"

// A PDF is read by pages, so that a later read of the same pages replaces an earlier one.
func TestPDF(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.pdf": aPDF, "secret.pdf": "%PDF-1.4\nencrypted\n\x00", "broken.pdf": "%PDF-1.4\nbroken\n\x00", "odd.pdf": "%PDF-9\n\x00"})
	env.Jobs = shell.NewJobs([]string{"PATH=" + t.TempDir()}, nil)
	t.Cleanup(env.Jobs.Close)
	mustRefuse(t, env, readFile(), params{"file_path": "a.pdf"}, "pdftotext", "not installed")
	env.Documents = func() bool { return true }
	if whole := mustRun(t, env, readFile(), params{"file_path": "a.pdf"}); len(whole.Images) != 1 || whole.Images[0].MimeType != history.PDF || string(whole.Images[0].Data) != aPDF {
		t.Errorf("it is not sent: %+v", whole)
	}
	mustRefuse(t, env, readFile(), params{"file_path": "a.pdf", "limit": 1}, "not installed")
	bin := t.TempDir()
	// Like the real program, the script prints the reason of a failure on stderr, except with -q.
	script := `#!/bin/bash
say() { [ "$1" = -q ] || echo "Command Line Error: $2" >&2; exit "$3"; }
read -r head
[ "$head" = %PDF-1.4 ] || exit 3
read -r kind
[ "$kind" != encrypted ] || say "$1" 'Incorrect password' 1
[ "$kind" != broken ] || say "$1" 'Invalid xref' 2
while [ "$1" != -f ]; do shift; done
[ "$2" -le 5 ] || say "$1" "Wrong page range given: the first page ($2) can not be after the last page (5)." 99
for ((i = $2; i <= $4 && i <= 5; i++)); do printf 'text of %s\n\f' $i; done
`
	if err := os.WriteFile(filepath.Join(bin, "pdftotext"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	env.Jobs = shell.NewJobs([]string{"PATH=" + bin + ":/usr/bin:/bin"}, nil)
	t.Cleanup(env.Jobs.Close)
	mustRefuse(t, env, readFile(), params{"file_path": "a.pdf", "limit": 1}, "without a sandbox")
	box := sandbox.Detect()
	if !box.IsActive() {
		t.Skip(box.Describe())
	}
	env.Confinement = func() sandbox.Confinement {
		return sandbox.Confinement{Sandbox: box, Policy: sandbox.Policy{Workspace: env.Workspace.Root(), Temp: env.Workspace.TempDir()}}
	}
	for _, tc := range []struct {
		args     params
		want     string
		from, to int
	}{
		{params{"limit": 2}, "[pages 1-2 of a PDF; read on with offset 3]\n== page 1 ==\ntext of 1\n== page 2 ==\ntext of 2\n", 1, 2},
		{params{"offset": 5}, "[pages 5-5 of a PDF; 5 is the last page]\n== page 5 ==\ntext of 5\n", 5, 5},
	} {
		tc.args["file_path"] = "a.pdf"
		if got := mustRun(t, env, readFile(), tc.args); got.Text != tc.want || got.View.From != tc.from || got.View.To != tc.to {
			t.Errorf("%v: %q, %+v", tc.args, got.Text, got.View)
		}
	}
	mustRefuse(t, env, readFile(), params{"file_path": "a.pdf", "offset": 6}, "page 6 is past the end")
	mustRefuse(t, env, readFile(), params{"file_path": "secret.pdf", "limit": 1}, "encrypted", "-upw")
	mustRefuse(t, env, readFile(), params{"file_path": "broken.pdf", "limit": 1}, "pdftotext failed: Command Line Error: Invalid xref")
	mustRefuse(t, env, readFile(), params{"file_path": "odd.pdf", "limit": 1}, "exit status 3")
	env.Limits.OutputTokens = 20
	if got := mustRun(t, env, readFile(), params{"file_path": "a.pdf", "limit": 5}); !strings.Contains(got.Text, "read on with offset") || len(got.Text) > 120 {
		t.Errorf("it is not cut: %q", got.Text)
	}
}
