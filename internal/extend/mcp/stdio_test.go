package mcp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/extend/mcp"
	"agent/internal/testing/mcptest"
)

// The client connects to a server, lists it, calls it and reads from it.
func TestStdioServer(t *testing.T) {
	t.Parallel()
	client := connect(t, mcp.Host{Version: "1"})
	if got := client.Protocol() + " " + client.Version() + " " + client.Instructions(); got != "2025-11-25 mcptest 1 Use echo." {
		t.Errorf("the server says of itself %q", got)
	}
	tools, err := client.Tools(context.Background())
	if err != nil || len(tools) < 10 {
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	if echo := tools[0]; echo.Name != "echo" || !echo.Annotations.ReadOnly || string(echo.InputSchema) != `{"type":"object"}` {
		t.Errorf("the first tool is %+v", echo)
	}
	if got := call(t, client, "echo", `{"text":"hé"}`); got != "hé" {
		t.Errorf("echo answers %q", got)
	}
	prompts, err := client.Prompts(context.Background())
	if err != nil || len(prompts) != 1 || prompts[0].Arguments[0].Name != "who" || !prompts[0].Arguments[0].Required {
		t.Errorf("the prompts are %+v, %v", prompts, err)
	}
	prompt, err := client.Prompt(context.Background(), "greet", map[string]string{"who": "Ada"})
	if err != nil || prompt.Text() != "Greet Ada." || prompt.Blocks[0].Role != "user" {
		t.Errorf("the prompt is %+v, %v", prompt, err)
	}
	resources, err := client.Resources(context.Background())
	if err != nil || len(resources) != 2 || resources[0].URI != "memo://one" || !resources[1].Template {
		t.Errorf("the resources are %+v, %v", resources, err)
	}
	if read, err := client.Read(context.Background(), "memo://one"); err != nil || read.Text() != "One." {
		t.Errorf("the resource is %+v, %v", read, err)
	}
}

// The protocol version is detected with both kinds of servers, and again if a known server changes.
func TestStdioEras(t *testing.T) {
	for _, tt := range []struct{ name, known, quirk, protocol string }{
		{"old", "", "", "2025-11-25"},
		{"new, which refuses the old", "", "modern", "2026-07-28"},
		{"new and known", "2026-07-28", "modern", "2026-07-28"},
		{"known as new, old by now, silent to what it does not know", "2026-07-28", "", "2025-11-25"},
	} {
		if tt.quirk == "" { // the probe of this server needs its whole time limit
			SetShortProbe(t)
		} else {
			mcp.SetProbe(t, time.Minute)
		}
		server := mcptest.Server(t, "db", tt.quirk)
		server.Protocol = tt.known
		client, err := mcp.Connect(context.Background(), server, mcp.Host{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := client.Protocol(); got != tt.protocol {
			t.Errorf("%s: the protocol is %s, want %s", tt.name, got, tt.protocol)
		}
		if got := call(t, client, "echo", `{"text":"x"}`); got != "x" {
			t.Errorf("%s: echo answers %q", tt.name, got)
		}
		client.Close()
	}
}

// A server that refuses to start is not started again, and the error contains its output.
func TestStdioRefusal(t *testing.T) {
	t.Parallel()
	started := 0
	_, err := mcp.Connect(context.Background(), mcptest.Server(t, "db", "refuse"), mcp.Host{Started: func(mcp.Server) { started++ }})
	if err == nil || !strings.Contains(err.Error(), "db cannot be used: the license has expired (-32000)") || started != 1 {
		t.Errorf("%d starts, %v", started, err)
	}
}

func SetShortProbe(t *testing.T) {
	t.Helper()
	mcp.SetProbe(t, 100*time.Millisecond)
}

// Noise on the standard output and floods on both outputs do not end a connection.
func TestStdioNoise(t *testing.T) {
	t.Parallel()
	client := connect(t, mcp.Host{}, "banner")
	if got := call(t, client, "echo", `{"text":"x"}`); got != "x" {
		t.Errorf("echo answers %q", got)
	}
	first, count := client.InvalidLines()
	if len(first) != 3 || first[0] != "Server is listening…" || count < 9 {
		t.Errorf("%d lines are dropped, first %q", count, first)
	}
	client = connect(t, mcp.Host{}, "flood", "stderr")
	if first, count = client.InvalidLines(); count != 1 || !strings.HasPrefix(first[0], "yyy") || len(first[0]) > 1000 {
		t.Errorf("of the flood %d lines are dropped, %d bytes kept", count, len(first[0]))
	}
	if got := len(client.Log()); got != 64<<10 {
		t.Errorf("%d bytes of the standard error are kept", got)
	}
}

// A start without a list ends after the time limit, with the reason and the last output, and leaves
// no process.
func TestStdioStartFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		quirk string
		say   []string
	}{
		{"ends", "exit", []string{"db exited during startup (exit status 1)", "Its last output: Error: missing API token"}},
		{"no answer", "mute=initialize", []string{"db did not list its tools within 300ms"}},
		{"no list", "mute=tools/list", []string{"db did not list its tools within 300ms"}},
	} {
		server := mcptest.Server(t, "db", tt.quirk)
		if tt.quirk != "exit" {
			server.StartTimeout = 300 * time.Millisecond
		}
		_, err := mcp.Connect(context.Background(), server, mcp.Host{})
		wants(t, err, tt.say...)
	}
	server := mcptest.Server(t, "db")
	server.Command = "no-such-program"
	_, err := mcp.Connect(context.Background(), server, mcp.Host{})
	wants(t, err, "db cannot be used: the program no-such-program is not installed")
	server = mcptest.Server(t, "db")
	server.Dir = filepath.Join(server.Dir, "missing")
	_, err = mcp.Connect(context.Background(), server, mcp.Host{})
	wants(t, err, "can't enter the folder")
}

// An interrupted start returns at once.
func TestStdioStartInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := mcp.Connect(ctx, mcptest.Server(t, "db", "mute=initialize"), mcp.Host{}); err == nil {
		t.Error("it connected")
	}
}

// A server gets only the environment of its entry.
func TestStdioEnvironment(t *testing.T) {
	t.Setenv("AGENT_TEST_SECRET", "s3cret")
	server := mcptest.Server(t, "db")
	server.Command = "sh"
	server.Args = []string{"-c", "env >&2; exit 1"}
	server.Env = append(server.Env, "GIVEN=yes")
	_, err := mcp.Connect(context.Background(), server, mcp.Host{})
	wants(t, err, "exited during startup")
	if strings.Contains(err.Error(), "s3cret") {
		t.Error("the program got a variable of this program")
	}
}

// Lists are limited, whatever a server sends.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	client := connect(t, mcp.Host{}, "pages")
	tools, err := client.Tools(context.Background())
	if err != nil || len(tools) != 50 || tools[49].Name != "page49" {
		t.Errorf("%d tools of an endless list, %v", len(tools), err)
	}
	if !strings.Contains(client.Log(), "the list of tools is too long; only the first 50 are used") {
		t.Errorf("the log is %q", client.Log())
	}
	client = connect(t, mcp.Host{}, "tools=2500")
	if tools, err = client.Tools(context.Background()); err != nil || len(tools) != 2000 {
		t.Errorf("%d tools of 2 500 and more, %v", len(tools), err)
	}
}

// An invalid tool does not affect the others.
func TestListWithOddTools(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "tools.json")
	odd := `[null, {"name":"none"}, {"name":"text","inputSchema":"x"}, {"name":"number","inputSchema":7},
		{"name":"good","inputSchema":{"type":"object","properties":{"a":{"$ref":"#"}}}}]`
	if err := os.WriteFile(list, []byte(odd), 0o600); err != nil {
		t.Fatal(err)
	}
	client := connect(t, mcp.Host{}, "tools=@"+list)
	tools, err := client.Tools(context.Background())
	if err != nil || len(tools) != 4 || tools[3].Name != "good" {
		t.Errorf("the tools are %+v, %v", tools, err)
	}
}

// An unreadable list returns an error at once.
func TestListThatCannotBeRead(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "tools.json")
	deep := strings.Repeat(`{"properties":`, 1500) + "1" + strings.Repeat("}", 1500)
	if err := os.WriteFile(list, []byte(`[{"name":"deep","inputSchema":`+deep+`}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := mcp.Connect(context.Background(), mcptest.Server(t, "db", "tools=@"+list), mcp.Host{})
	wants(t, err, "db cannot be used: can't read the server's answer", "maximum nesting depth")
}

// Changes in quick succession are reported once, with the new list.
func TestChangedList(t *testing.T) {
	mcp.SetGather(t, 50*time.Millisecond)
	changed := make(chan string, 10)
	client := connect(t, mcp.Host{Changed: func(server string) { changed <- server }})
	before, _ := client.Tools(context.Background())
	call(t, client, "change", `{"n":5}`)
	if got := <-changed; got != "db" {
		t.Errorf("the server %q has changed", got)
	}
	after, err := client.Tools(context.Background())
	if err != nil || len(after) != len(before)+1 {
		t.Errorf("%d tools, then %d, %v", len(before), len(after), err)
	}
	if len(changed) > 0 {
		t.Error("one change is reported more than once")
	}
}
