package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/sandbox"
)

// M8 of the security review: a program of the workspace is not run by the name of
// one of the system, whatever PATH says.
func TestLookPathFindsNothingInside(t *testing.T) {
	t.Parallel()
	outside, workspace := t.TempDir(), t.TempDir()
	for _, path := range []string{outside + "/bin/tool", workspace + "/bin/tool", workspace + "/bin/only"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{outside + "/linked": workspace + "/bin", outside + "/bin/only": workspace + "/bin/only"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	path := workspace + "/bin:.:bin::" + outside + "/linked:" + outside + "/bin"
	if got, err := sandbox.LookPath("tool", path, workspace); err != nil || got != outside+"/bin/tool" {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{"only", "no-such", "bin/tool", "../tool", outside + "/bin/tool", ""} {
		if got, err := sandbox.LookPath(name, path, workspace); err == nil {
			t.Errorf("%q is %q", name, got)
		}
	}
	got := sandbox.PlainEnviron([]string{"PATH=" + path, "HOME=/h", "BASH_ENV=/x", "LC_ALL=C", "GIT_DIR=/x", "RIPGREP_CONFIG_PATH=/x", "BASH_FUNC_ls%%=() { rm x; }"}, workspace)
	if want := []string{"PATH=" + outside + "/bin", "HOME=/h", "LC_ALL=C"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
