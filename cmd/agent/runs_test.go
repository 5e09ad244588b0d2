package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"agent/internal/app"
)

// runs is like exits, but runs agent in this process with the script's folder, environment and
// home, and without a terminal. The input is empty unless <FILE follows the status. It needs a
// fifth of the time of a process. Use exits for behavior that depends on a process: signals,
// standard files, variables that git or a proxy reads, and temporary folders.
func runs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: runs STATUS [<FILE] [ARGS…]")
	}
	var out, people output
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	ts.Check(err)
	defer nothing.Close()
	stdin := nothing
	if len(args) > 1 && strings.HasPrefix(args[1], "<") {
		stdin = piped(ts, args[1][1:])
		defer stdin.Close()
		args = slices.Delete(args, 1, 2)
	}
	w := world{
		process: &app.Process{Environ: environment(ts), Home: ts.Getenv("HOME"), Dir: ts.MkAbs("."), Version: "test", Now: time.Now},
		stdin:   stdin, stdout: nothing, stderr: nothing, out: &out, people: &people,
	}
	w.process.Say = func(line string) { _ = w.tell(line) }
	ctx, cancel := context.WithTimeout(context.Background(), stalled)
	defer cancel()
	status := execute(ctx, args[1:], w)
	ts.Check(w.process.Close())
	_, _ = io.WriteString(ts.Stdout(), out.String())
	_, _ = io.WriteString(ts.Stderr(), people.String())
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s\n%s%s", status, args[0], out.String(), people.String())
	}
	if strings.Contains(out.String()+people.String(), secret) {
		ts.Fatalf("the key is printed")
	}
}

// piped returns a pipe with the content of a file of the script.
func piped(ts *testscript.TestScript, file string) *os.File {
	text := ts.ReadFile(file)
	from, to, err := os.Pipe()
	ts.Check(err)
	go func() {
		_, _ = io.WriteString(to, text)
		_ = to.Close()
	}()
	return from
}

// environment returns the environment of the script, limited to the variables that scripts set.
func environment(ts *testscript.TestScript) []string {
	var environ []string
	for _, name := range []string{
		"PATH", "HOME", "WORK", "TMPDIR", "OPENAI_API_KEY", "OPENAI_BASE_URL", "DEEPSEEK_API_KEY", "GROQ_API_KEY", "AZURE_OPENAI_ENDPOINT", "GITHUB_TOKEN", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS",
	} {
		if value := ts.Getenv(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

// output collects the output of a run in this process, which has several writers.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// endedLine is printed by agents after each line.
const endedLine = "this line of agents ended\n"

// agents runs agent in this process, once for each line of its arguments. Spaces separate the words
// of a line.
func agents() {
	home := os.Getenv("HOME")
	for i, line := range os.Args[1:] {
		own := filepath.Join(home, fmt.Sprint("home", i))
		if err := errors.Join(os.Mkdir(own, 0o700), os.Setenv("HOME", own)); err != nil {
			panic(err)
		}
		w := processWorld()
		execute(context.Background(), strings.Fields(line), w) // doctor fails if it has advice
		_ = w.process.Close()
		fmt.Print(endedLine)
	}
}
