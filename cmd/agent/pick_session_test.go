package main

import (
	"strings"
	"testing"
)

// D-82 is played in testdata/script/resumed.txtar, D-81 too. A bare -r asks for the session; any other is as it was.
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
