// Package mcptest is a server for tests that does what real ones do wrong. It is the test's
// own program, started again: TestMain calls Main first.
package mcptest

import (
	"os"
	"strings"
	"testing"

	"agent/internal/extend/mcp"
)

// word makes a test's program the server.
const word = "mcptest-server"

// Main is the server if this program was started as one, and then does not return.
func Main() {
	if len(os.Args) < 2 {
		return
	}
	switch os.Args[1] {
	case word:
		serve(os.Args[2:])
		os.Exit(0)
	case childWord:
		beChild()
	}
}

// Server returns how to start the server with some quirks:
//
//   - banner: text, broken JSON and log lines around every answer
//   - flood: a line of 64 MB before the first answer
//   - stderr: 20 MB on the standard error
//   - mute=METHOD: no answer to a method; unknown methods have none anyway
//   - modern: only protocol 2026-07-28
//   - refuse: it refuses to begin a session, with a reason
//   - exit: it ends at the start, with a reason
//   - stubborn: it ignores a closed input and SIGTERM
//   - pages: a list of tools without an end
//   - tools=N: so many tools more
//   - tools=@FILE: the array of tools is what the file holds
//   - log=FILE: every message that arrives is added to the file
//
// Its tools are echo, sleep, work, silent, die, big, fail, refuse, structured, media, ask,
// visit, roots, sample, change and child; see tools.go.
func Server(t testing.TB, name string, quirks ...string) mcp.Server {
	t.Helper()
	return At(t.TempDir(), name, quirks...)
}

// At is Server outside of a test, in a folder.
func At(dir, name string, quirks ...string) mcp.Server {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GOMAXPROCS=1"}
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "GOCOVERDIR=") {
			env = append(env, variable)
		}
	}
	return mcp.Server{Name: name, Command: program, Args: append([]string{word}, quirks...), Env: env, Dir: dir}
}
