package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"agent/internal/extend/mcp"
	"agent/internal/testing/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	if len(os.Args) > 1 && os.Args[1] == hostWord {
		os.Exit(beHost(os.Args[2:]))
	}
	if scenario := os.Getenv(scenarioVariable); scenario != "" {
		os.Exit(beConformant(scenario))
	}
	// The server of the library keeps sessions that the client did not end.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/modelcontextprotocol/go-sdk/mcp.(*streamableServerConn).Read"))
}

// connect connects to the test server with some quirks.
func connect(t *testing.T, host mcp.Host, quirks ...string) *mcp.Client {
	t.Helper()
	client, err := mcp.Connect(context.Background(), mcptest.Server(t, "db", quirks...), host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// call calls a tool and returns its text.
func call(t *testing.T, client *mcp.Client, tool, arguments string) string {
	t.Helper()
	result, err := client.Call(context.Background(), tool, json.RawMessage(arguments), nil)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result.Text()
}

// wants reports an error unless err contains all words.
func wants(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error is %q, want %q in it", err, word)
		}
	}
}

// soon waits until a condition is true.
func soon(t *testing.T, what string, is func() bool) {
	t.Helper()
	const patience, poll = 10 * time.Second, 5 * time.Millisecond
	for waited := time.Duration(0); !is(); waited += poll {
		if waited > patience {
			t.Fatalf("%s is not so after %s", what, patience)
		}
		time.Sleep(poll)
	}
}
