package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/extend/mcp"
)

// Servers by other authors can be listed, called and ended. "make mcp" fetches them.
func TestRealServers(t *testing.T) {
	t.Parallel()
	modules := os.Getenv("MCP_MODULES")
	if modules == "" {
		t.Skip("make mcp fetches the servers")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello there"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		program, argument string
		tools             int
		tool, call, want  string
	}{
		{"mcp-server-everything", "", 14, "get-sum", `{"a":2,"b":3}`, "5"},
		{"mcp-server-filesystem", dir, 14, "read_text_file", `{"path":"` + dir + `/hello.txt"}`, "hello there"},
		{"mcp-server-memory", "", 9, "read_graph", `{}`, "entities"},
		{"mcp-server-sequential-thinking", "", 1, "sequentialthinking", `{"thought":"x","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, "thoughtNumber"},
	} {
		t.Run(tt.program, func(t *testing.T) {
			server := mcp.Server{
				Name: "real", Command: filepath.Join(modules, ".bin", tt.program), Dir: dir,
				Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "MEMORY_FILE_PATH=" + filepath.Join(dir, "memory.json")},
			}
			if tt.argument != "" {
				server.Args = []string{tt.argument}
			}
			began := time.Now()
			client, err := mcp.Connect(context.Background(), server, mcp.Host{Version: "1", Roots: []string{dir}})
			if err != nil {
				t.Fatal(err)
			}
			started := time.Since(began)
			tools, err := client.Tools(context.Background())
			if err != nil || len(tools) < tt.tools {
				t.Errorf("%d tools, want %d or more: %v", len(tools), tt.tools, err)
			}
			result, err := client.Call(context.Background(), tt.tool, json.RawMessage(tt.call), nil)
			if err != nil || result.IsError || !strings.Contains(result.Text(), tt.want) {
				t.Errorf("%s answers %q, %v", tt.tool, result.Text(), err)
			}
			began = time.Now()
			client.Close()
			t.Logf("%s %s: %d tools after %s, ended after %s", client.Version(), client.Protocol(), len(tools), started.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		})
	}
}
