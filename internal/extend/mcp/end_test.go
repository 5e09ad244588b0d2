package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/extend/mcp"
	"agent/internal/sandbox"
	"agent/internal/testing/mcptest"
)

// Whatever requests a server ignores, it leaves no process behind. Ending one server does not wait
// for another.
func TestEndLeavesNothing(t *testing.T) {
	t.Parallel()
	servers := []mcp.Server{mcptest.Server(t, "gentle")}
	for i := range 6 {
		servers = append(servers, mcptest.Server(t, fmt.Sprint("stubborn", i), "stubborn"))
	}
	set := mcp.NewSet(servers, mcp.Host{})
	var left []int
	for _, server := range servers {
		client, err := set.Client(context.Background(), server.Name)
		if err != nil {
			t.Fatal(err)
		}
		child, _ := strconv.Atoi(call(t, client, "child", ""))
		left = append(left, client.PID(), child)
	}
	releases := map[string]func(){}
	clients := map[string]*mcp.Client{}
	for _, server := range servers {
		clients[server.Name], releases[server.Name] = set.Connected(server.Name), set.Hold(server.Name)
	}
	var closing sync.WaitGroup
	closing.Go(set.Close)
	for _, name := range []string{"stubborn5", "stubborn2"} { // a loop over the servers would not use this order
		releases[name]()
		delete(releases, name)
		soon(t, "the end of "+name, func() bool {
			select {
			case <-clients[name].Done():
				return true
			default:
				return false
			}
		})
	}
	for _, release := range releases {
		release()
	}
	closing.Wait()
	for _, pid := range left {
		if runs(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
}

// A server in the sandbox works and ends like any other, and writes only to allowed folders.
func TestConfinedServer(t *testing.T) {
	t.Parallel()
	confined := sandbox.Detect()
	if !confined.IsActive() {
		t.Skip("there is no sandbox here")
	}
	server := mcptest.Server(t, "db")
	server.Confined = sandbox.Confinement{Sandbox: confined, Policy: sandbox.Policy{Workspace: server.Dir, Temp: t.TempDir()}}
	server.Profile = sandbox.ProfileWork
	outside := filepath.Join(t.TempDir(), "outside")
	server.Args = append(server.Args, "log="+outside)
	client, err := mcp.Connect(context.Background(), server, mcp.Host{})
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, client, "echo", `{"text":"x"}`); got != "x" {
		t.Errorf("echo answers %q", got)
	}
	pid := client.PID()
	client.Close()
	if runs(pid) {
		t.Error("the server is left")
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("it wrote outside of its folder")
	}
}

// A killed program leaves no process behind either.
func TestKillLeavesNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		t.Skip("the watcher is for Linux")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := exec.Command(program, hostWord, "stubborn")
	host.Stderr = os.Stderr
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_ = host.Process.Kill()
	_ = host.Wait()
	for _, word := range strings.Fields(line) {
		pid, _ := strconv.Atoi(word)
		soon(t, "the end of process "+word, func() bool { return !runs(pid) })
	}
}

// A result of 10 MB needs at most 150 MB of memory, and little time.
func TestBigResultCostsLittle(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil || testing.Short() {
		t.Skip("memory is measured on Linux, and not of the race detector")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := exec.Command(program, hostWord, "big")
	host.Stderr = os.Stderr
	out, err := host.Output()
	if err != nil {
		t.Fatal(err)
	}
	var length, before, after int
	if _, err := fmt.Sscan(string(out), &length, &before, &after); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes took %d kB", length, after-before)
	if length != 10<<20 || after-before > 150_000 {
		t.Errorf("a result of %d bytes took %d kB", length, after-before)
	}
}

// hostWord makes the test binary a program that uses a server.
const hostWord = "mcptest-host"

// beHost connects to a server. With the quirk big it prints the memory for a big result. Otherwise
// it prints the process IDs and waits to be killed.
func beHost(quirks []string) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	client, err := mcp.Connect(context.Background(), mcptest.At(os.TempDir(), "db", quirks...), mcp.Host{})
	if err != nil {
		return fail(err)
	}
	defer client.Close()
	if quirks[0] == "big" {
		before := peak()
		result, err := client.Call(context.Background(), "big", json.RawMessage(`{"bytes":10485760}`), nil)
		if err != nil {
			return fail(err)
		}
		fmt.Println(len(result.Text()), before, peak())
		return 0
	}
	result, err := client.Call(context.Background(), "child", nil, nil)
	if err != nil {
		return fail(err)
	}
	fmt.Println(client.PID(), result.Text())
	time.Sleep(time.Minute)
	return 1
}

// peak returns the peak memory of this process in kB.
func peak() int {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kb := 0
	_, _ = fmt.Sscan(after, &kb)
	return kb
}
