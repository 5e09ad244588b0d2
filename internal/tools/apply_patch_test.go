package tools

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/snapshot"
	"agent/internal/testing/require"
)

// filesOf maps the paths in a workspace to the contents of their files.
func filesOf(t testing.TB, env *Env) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := env.Workspace.Root()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[env.Workspace.Rel(path)] = content(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// snapshots adds an undo store to an Env.
func snapshots(t testing.TB, env *Env) {
	t.Helper()
	store, err := snapshot.Open(snapshot.Options{
		Folder: filepath.Join(t.TempDir(), "s"), Workspace: env.Workspace, Now: time.Now,
		Secret: func(string, string) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	env.Snapshots = store
}

// The test cases of package patch also apply to files. Each applied patch can be undone and redone
// as a whole, and each refused patch changes nothing.
func TestPatchesOfFiles(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../text/patch/testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name        string
		Files, Want map[string]string
		Patch       string
		Fails       string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		env := fileEnv(t, c.Files)
		for name := range c.Files {
			see(t, env, name)
		}
		if c.Fails != "" {
			mustRefuse(t, env, applyPatch(), params{"input": c.Patch}, "Nothing was changed. ")
			continue
		}
		snapshots(t, env)
		env.Snapshots.BeginTurn(c.Name)
		answer := call(t, env, applyPatch(), params{"input": c.Patch})
		if diff := cmp.Diff(c.Want, filesOf(t, env)); diff != "" || answer.Error != "" || answer.Change == "" {
			t.Errorf("%s: %s (-want +got):\n%s", c.Name, answer.Error, diff)
			continue
		}
		for _, way := range []struct {
			plan func() (*snapshot.Plan, error)
			want map[string]string
		}{
			{func() (*snapshot.Plan, error) { return env.Snapshots.PlanUndo(t.Context()) }, c.Files},
			{func() (*snapshot.Plan, error) { return env.Snapshots.PlanRedo(t.Context()) }, c.Want},
		} {
			plan, err := way.plan()
			if err == nil {
				_, err = env.Snapshots.Apply(plan)
			}
			if diff := cmp.Diff(way.want, filesOf(t, env)); diff != "" || err != nil {
				t.Errorf("%s, undone and done again: %v (-want +got):\n%s", c.Name, err, diff)
			}
		}
	}
}

const severalFiles = `*** Begin Patch
*** Update File: a.go
@@
-func A() {}
+func A() { B() }
*** Add File: new/b.go
+package b
*** Delete File: c.txt
*** Update File: run.sh
*** Move to: bin/run.sh
@@
-echo 1
+echo 2
*** End Patch
`

func patchedFiles() map[string]string {
	return map[string]string{"a.go": "package a\n\nfunc A() {}\n", "c.txt": "c\n", "run.sh": "#!/bin/sh\necho 1\n"}
}

// The user sees every file with its diff, and the model a summary. A moved file keeps its mode.
func TestDescriptionOfAPatch(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, patchedFiles())
	root := env.Workspace.Root()
	if err := os.Chmod(filepath.Join(root, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	plan, err := planCall(t.Context(), t, applyPatch(), env, params{"input": severalFiles})
	if err != nil {
		t.Fatal(err)
	}
	if want := "edit a.go; create new/b.go; delete c.txt; move run.sh to bin/run.sh"; plan.Preview.Title != want {
		t.Errorf("title %q", plan.Preview.Title)
	}
	for _, part := range []string{"--- a.go", "+func A() { B() }", "+++ new/b.go", "--- c.txt\n+++ /dev/null", "--- run.sh\n+++ bin/run.sh", "+echo 2"} {
		if !strings.Contains(plan.Preview.Diff, part) {
			t.Errorf("the diff lacks %q:\n%s", part, plan.Preview.Diff)
		}
	}
	if diff := cmp.Diff([]string{"a.go", "new/b.go", "c.txt", "run.sh", "bin/run.sh"}, plan.Preview.Paths); diff != "" {
		t.Error(diff)
	}
	answer := plan.Apply(t.Context())
	for _, part := range []string{"Updated a.go; added new/b.go; deleted c.txt; moved run.sh to bin/run.sh.", "a.go: line 3, +1 −1", "bin/run.sh: line 2, +1 −1"} {
		if !strings.Contains(answer.Text, part) || answer.Error != "" {
			t.Errorf("the answer lacks %q: %+v", part, answer)
		}
	}
	if info, err := os.Stat(filepath.Join(root, "bin/run.sh")); err != nil || require.Unix && info.Mode() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
}

// If a file has changed since the patch was planned, the whole patch fails, and files that were
// already written are restored.
func TestPatchIsAppliedCompletelyOrNotAtAll(t *testing.T) {
	t.Parallel()
	for _, changed := range []string{"a.go", "c.txt", "run.sh", "new/b.go", "bin/run.sh"} {
		env := fileEnv(t, patchedFiles())
		snapshots(t, env)
		env.Snapshots.BeginTurn("x")
		plan, err := planCall(t.Context(), t, applyPatch(), env, params{"input": severalFiles})
		if err != nil {
			t.Fatal(err)
		}
		writeTestFile(t, env.Workspace.Root(), changed, "theirs\n")
		want := filesOf(t, env)
		answer := plan.Apply(t.Context())
		if diff := cmp.Diff(want, filesOf(t, env)); diff != "" || !strings.HasPrefix(answer.Error, "Nothing was changed. ") {
			t.Errorf("%s: %q (-want +got):\n%s", changed, answer.Error, diff)
		}
		if _, err := env.Snapshots.PlanUndo(t.Context()); err == nil {
			t.Errorf("%s: there is something to undo", changed)
		}
	}
}

// The safety rules for an edit of one file apply to each file in a patch.
func TestPatchesAreCareful(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.txt": "a\n", "latin": "\xe9 one and more text\ntwo\n", ".env": "A=1\n", "known.txt": "old\n"}
	update := func(path string) string {
		return "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n" + path + "\n*** End Patch"
	}
	for text, words := range map[string][]string{
		update("*** Add File: known.txt\n+new"):                          {"known.txt exists and you have not read it"},
		update("*** Add File: ../x\n+new"):                               {"outside the workspace"},
		update("*** Add File: .git/hooks/pre-commit\n+new"):              {"belongs to git"},
		update("*** Update File: latin\n@@\n-two\n+\uFFFD"):              {"is not UTF-8 text"},
		update("*** Delete File: known.tx"):                              {"known.tx does not exist", "Did you mean known.txt?"},
		update("*** Update File: .env\n@@\n-A=1\n+A=2"):                  {"may hold keys"},
		"*** Begin Patch\n*** Update File: a.txt\n@@\n-q\n*** End Patch": {"a.txt, chunk 1 (line 3 of the patch)"},
	} {
		env := fileEnv(t, files)
		mustRefuse(t, env, applyPatch(), params{"input": text}, append(words, "Nothing was changed")...)
	}
	env := fileEnv(t, files)
	see(t, env, "a.txt")
	writeTestFile(t, env.Workspace.Root(), "a.txt", "a\ntheirs\n")
	mustRefuse(t, env, applyPatch(), params{"input": update("")}, "changed on disk since you last saw it")
	plan, err := planCall(t.Context(), t, applyPatch(), fileEnv(t, files), params{"input": update("*** Add File: .vscode/tasks.json\n+{}")})
	if err != nil || len(plan.Preview.Protected) != 1 || plan.Preview.Protected[0].Path != ".vscode/tasks.json" {
		t.Errorf("%+v, %v", plan.Preview.Protected, err)
	}
}

// If a change cannot be reverted because its file has changed again, the error names the file with
// its diff.
func TestUnrestoredFilesAreNamed(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a": "theirs\n", "b": "new\n"})
	root := env.Workspace.Root()
	var made []change
	for _, name := range []string{"a", "b"} {
		s := source{abs: filepath.Join(root, name), rel: name, whole: []byte("old\n"), mode: 0o644}
		made = append(made, s.changeTo([]byte("new\n")))
	}
	left, err := env.putBack(made)
	if err == nil || len(left) != 1 || left[0].rel != "a" {
		t.Fatalf("%d changes are left, %v", len(left), err)
	}
	if diff := env.note(left); !strings.Contains(diff, "-old\n+new") || strings.Contains(diff, "b/b") {
		t.Errorf("the difference is\n%s", diff)
	}
	if b, err := os.ReadFile(filepath.Join(root, "b")); err != nil || string(b) != "old\n" {
		t.Errorf("b holds %q, %v", b, err)
	}
}
