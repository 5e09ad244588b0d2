// Package mcptest is an MCP server for tests that imitates the faults of real servers. It runs in
// the test's own program, which is started again. TestMain must call Main first.
package mcptest

import (
	"os"
	"strings"
	"testing"

	"agent/internal/extend/mcp"
)

// word is the argument with which a test program becomes the server.
const word = "mcptest-server"

// Main runs the server if this program was started as the server, and then does not return.
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

// Server returns the configuration that starts the server with some quirks:
//
//   - banner: text, broken JSON and log lines around every answer
//   - flood: a line of 64 MB before the first answer
//   - stderr: 20 MB on the standard error
//   - mute=METHOD: no answer to a method; unknown methods have none anyway
//   - modern: only protocol 2026-07-28
//   - refuse: it refuses a session, with a reason
//   - exit: it ends at the start, with a reason
//   - stubborn: it ignores a closed input and SIGTERM
//   - pages: a list of tools without an end
//   - tools=N: N additional tools
//   - tools=@FILE: the array of tools is the content of the file
//   - log=FILE: every received message is appended to the file
//
// Its tools are echo, sleep, work, silent, die, big, fail, refuse, structured, media, ask,
// visit, roots, sample, change and child; see tools.go.
func Server(t testing.TB, name string, quirks ...string) mcp.Server {
	t.Helper()
	return At(t.TempDir(), name, quirks...)
}

// At is like Server, for use outside a test, and starts the server in the folder dir.
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
