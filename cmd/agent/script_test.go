package main

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/sandbox"
	"agent/internal/testing/lsptest"
	"agent/internal/testing/mcptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// secret is the key of every test. Only the server may ever receive it.
const secret = "sk-sentinel-4f1d9c"

// noRaceSleep prevents the race detector from sleeping for a second at every exit.
const noRaceSleep = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	lsptest.Run()
	// Tests spend more time waiting for processes than computing.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, programs)
}

// programs maps a name to the program that the test binary runs under it.
var programs = map[string]func(){
	"agent":  func() { os.Exit(agentMain()) },
	"agents": agents,
	// mcpserver is a server for tests: mcpserver mcptest-server [QUIRK…].
	"mcpserver": mcptest.Main,
}

// TestScripts runs the scripts in testdata/script. They run the program as a user's shell would. In
// addition to the commands of testscript they have:
//
//	model FILE            start a model server that plays FILE (see modelTurns)
//	answers PATH BODY     make the server answer PATH with BODY; hang as BODY: never answer
//	internet FILE         start hosts of the internet for programs of exits (see playHosts)
//	[!] asked REGEXP      check that a request to these hosts matches
//	exits STATUS CMD…     run a program and check its exit status
//	runs STATUS ARGS…     run agent in this process and check its exit status;
//	                      <FILE before ARGS is the input
//	requests N            check that the server received N chat requests
//	model-of N NAME       check the model of the N-th request, counted from 0
//	[!] sent REGEXP       check that a chat request matches
//	[!] offered TOOL…     check that all requests offer the same tools, including these
//	session               set $SESSION to the latest session log and $ID to its ID
//	truncate FILE SIZE    make a sparse file
//	leftovers             check that no process works in a folder of the script
//
// The conditions are [root], [sandbox] if a sandbox is available, and [tmpfs] if a small disk can be
// mounted to fill it.
//
// Package llmtest checks every request. The key must not appear in any output or file.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scriptParams("testdata/script"))
}

// scriptParams returns the parameters of the scripts in a folder.
func scriptParams(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := env.WorkDir + "-home"
			env.Setenv("HOME", home)
			env.Setenv("OPENAI_API_KEY", secret)
			env.Setenv("GORACE", noRaceSleep)
			tb := env.T().(testing.TB)
			env.Values[scriptTB{}] = tb
			env.Defer(func() {
				checkNoSecret(tb, env.WorkDir)
				checkNoSecret(tb, home)
				_ = os.RemoveAll(home)
			})
			return os.Mkdir(home, 0o700)
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "sandbox":
				return sandbox.Detect().IsActive(), nil
			case "root":
				return os.Getuid() == 0, nil
			case "tmpfs":
				return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil, nil
			}
			return false, errors.New("unknown condition " + condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model":     startModel,
			"answers":   answerPath,
			"internet":  startInternet,
			"asked":     askedInternet,
			"exits":     exits,
			"runs":      runs,
			"requests":  countRequests,
			"sent":      sent,
			"model-of":  modelOfRequest,
			"offered":   offered,
			"session":   findSession,
			"truncate":  truncate,
			"leftovers": leftovers,
		},
	}
}

// scriptTB is the key under which a script keeps its test.
type scriptTB struct{}

// stalled is longer than any step takes on a busy machine. It is shorter than the time after which
// the program itself gives up on a silent server.
const stalled = time.Minute

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARGS…]")
	}
	status := 0
	var exit *exec.ExitError
	began := time.Now()
	err := ts.Exec(args[1], args[2:]...)
	if took := time.Since(began); took > stalled {
		ts.Fatalf("it took %s", took)
	}
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	out, errOut := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
	if strings.Contains(out+errOut, secret) {
		ts.Fatalf("the key is printed")
	}
	if strings.Contains(errOut, "panic") || strings.Contains(errOut, "goroutine ") {
		ts.Fatalf("a panic reached the user")
	}
}

// checkNoSecret reports an error if a file of a script contains the key, except a key file.
func checkNoSecret(tb testing.TB, dir string) {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == "keyfile" {
			return err
		}
		if info, err := entry.Info(); err != nil || info.Size() > 32<<20 || info.Mode().Perm()&0o400 == 0 {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			tb.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		tb.Error(err)
	}
}

func findSession(ts *testscript.TestScript, neg bool, args []string) {
	logs, err := filepath.Glob(ts.Getenv("HOME") + "/.local/share/agent/sessions/*/*.jsonl")
	ts.Check(err)
	if neg || len(args) > 0 || len(logs) == 0 {
		ts.Fatalf("there is no session log")
	}
	// Names of logs begin with the time in seconds, so several may have the same one.
	latest := slices.MaxFunc(logs, func(a, b string) int { return written(ts, a).Compare(written(ts, b)) })
	ts.Setenv("SESSION", latest)
	ts.Setenv("ID", strings.TrimSuffix(filepath.Base(latest), ".jsonl"))
}

func written(ts *testscript.TestScript, path string) time.Time {
	info, err := os.Stat(path)
	ts.Check(err)
	return info.ModTime()
}

func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE SIZE")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), nil, 0o600))
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// leftovers reports an error if a process still has its current folder below the script's folder.
// It waits a short time for killed processes to end.
func leftovers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: leftovers")
	}
	for began := time.Now(); ; {
		left := worksIn(ts, ts.Getenv("WORK"))
		if left == "" {
			return
		}
		if time.Since(began) > stalled {
			ts.Fatalf("%s is left", left)
		}
	}
}

// worksIn returns a process that works in a folder, or an empty string.
func worksIn(ts *testscript.TestScript, folder string) string {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	ts.Check(err)
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && strings.HasPrefix(dir, folder) {
			return filepath.Dir(link)
		}
	}
	return ""
}
