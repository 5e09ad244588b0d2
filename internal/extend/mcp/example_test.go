package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"

	"agent/internal/extend/mcp"
	"agent/internal/testing/mcptest"
)

// A set connects to a server when one of its tools is needed.
func Example() {
	servers := mcp.NewSet([]mcp.Server{mcptest.At(".", "notes")}, mcp.Host{Version: "1"})
	defer servers.Close()
	client, err := servers.Client(context.Background(), "notes")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := client.Call(context.Background(), "structured", json.RawMessage(`{}`), nil)
	fmt.Println(string(result.Structured), err)
	// Output: {"rows":[1,2]} <nil>
}
