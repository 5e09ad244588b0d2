package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/sandbox"
	"agent/internal/testing/require"
)

// LookPath does not return a program of the workspace in place of a system program, whatever PATH
// contains.
func TestLookPathFindsNothingInside(t *testing.T) {
	t.Parallel()
	outside, workspace := t.TempDir(), t.TempDir()
	end, list := "", string(filepath.ListSeparator)
	if !require.Unix {
		end = ".exe"
	}
	bin := filepath.Join(outside, "bin")
	for _, path := range []string{outside + "/bin/tool" + end, workspace + "/bin/tool" + end, workspace + "/bin/only" + end} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	parts := []string{filepath.Join(workspace, "bin"), ".", "bin", ""}
	if require.TryLink(t, workspace+"/bin", outside+"/linked") {
		parts = append(parts, outside+"/linked")
	}
	if only := outside + "/bin/only" + end; !require.TryLink(t, workspace+"/bin/only"+end, only) {
		_ = os.Remove(only)
	}
	path := strings.Join(append(parts, bin), list)
	if got, err := sandbox.LookPath("tool", path, workspace); err != nil || got != filepath.Join(bin, "tool"+end) {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{"only", "no-such", "bin/tool", "../tool", outside + "/bin/tool", ""} {
		if got, err := sandbox.LookPath(name, path, workspace); err == nil {
			t.Errorf("%q is %q", name, got)
		}
	}
	got := sandbox.PlainEnviron([]string{"PATH=" + path, "HOME=/h", "BASH_ENV=/x", "LC_ALL=C", "GIT_DIR=/x", "RIPGREP_CONFIG_PATH=/x", "BASH_FUNC_ls%%=() { rm x; }"}, workspace)
	if want := []string{"PATH=" + bin, "HOME=/h", "LC_ALL=C"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
