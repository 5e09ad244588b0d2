package tools

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/testing/require"
)

func TestWriteOfAReadOnlyFileIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write to any file")
	}
	env := fileEnv(t, map[string]string{"a.txt": "old\n"})
	if err := os.Chmod(filepath.Join(env.Workspace.Root(), "a.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, env, replace(), params{"file_path": "a.txt", "old_string": "old", "new_string": "new"}, map[bool]string{true: "permission denied", false: "it is read-only"}[require.Unix])
}

func TestWriteThroughALinkKeepsTheLink(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"real.txt": "old\n"})
	link(t, env, "real.txt", "link.txt")
	link(t, env, "later.txt", "dangling.txt")
	see(t, env, "link.txt")
	mustRun(t, env, writeFile(), params{"file_path": "link.txt", "content": "new\n"})
	mustRun(t, env, writeFile(), params{"file_path": "dangling.txt", "content": "made\n"})
	wantContent(t, env, "real.txt", "new\n")
	wantContent(t, env, "later.txt", "made\n")
	for _, name := range []string{"link.txt", "dangling.txt"} {
		if info, err := os.Lstat(filepath.Join(env.Workspace.Root(), name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v %v", name, info, err)
		}
	}
}

// A line break in the name of a file does not start a line of its diff. Otherwise the diff could
// show another file or other changes.
func TestANameIsOneLineOfTheDiff(t *testing.T) {
	require.Names(t)
	t.Parallel()
	env := fileEnv(t, nil)
	plan, err := planCall(t.Context(), t, writeFile(), env, params{"file_path": "x\n+++ y\n@@ -1,9 +1,9 @@\n.txt", "content": "new\n"})
	if err != nil {
		t.Fatal(err)
	}
	want := "--- /dev/null\n+++ \"x\\n+++ y\\n@@ -1,9 +1,9 @@\\n.txt\"\n@@ -0,0 +1,1 @@\n+new\n"
	if got := plan.Apply(t.Context()).Diff; plan.Preview.Diff != want || got != want {
		t.Errorf("asked about\n%s\nmade\n%s\nwant\n%s", plan.Preview.Diff, got, want)
	}
}
