package main

import (
	"strings"
	"testing"
)

// A bare -r asks which session to resume. Other arguments stay unchanged. The script
// testdata/script/resumed.txtar covers D-81 and D-82.
func TestABareResumeAsks(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-r":              "-r ?",
		"--resume":        "--resume ?",
		"-r 2026":         "-r 2026",
		"-r --fork":       "-r ? --fork",
		"-m x -r -p y":    "-m x -r ? -p y",
		"-r=2026":         "-r=2026",
		"hello -- -r":     "hello -- -r",
		"-c":              "-c",
		"--resume 2 -C d": "--resume 2 -C d",
	} {
		if got := strings.Join(withSessionID(strings.Fields(args)), " "); got != want {
			t.Errorf("%q became %q, want %q", args, got, want)
		}
	}
}
