package cmdline

import "testing"

func TestShellsHaveFoldersAndVersions(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]bool{
		"sh": true, "/bin/bash": true, "bash-5.2": true, "ksh93": true, "ash": true, "fish": true, "bash.exe": true, "C:/x/BASH.EXE": true,
		"ssh": false, "shasum": false, "bashful": false, "": false, "5": false, "eval": false, "env": false,
	} {
		if got := IsShell(program); got != want {
			t.Errorf("%q is a shell: %t", program, got)
		}
	}
	for program, want := range map[string]bool{"zsh": true, "eval": true, "/usr/bin/env": true, "su": true, "busybox": true, "ls": false, "nice": false} {
		if got := RunsLines(program); got != want {
			t.Errorf("%q runs lines: %t", program, got)
		}
	}
}
