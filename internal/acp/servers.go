package acp

import (
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/rawjson"
)

// serversOf writes the MCP servers that an editor lists as a file of servers has them, ""
// for none. The error names what is wrong and no value: those of variables and headers
// are often keys.
func serversOf(listed []json.RawMessage) (string, error) {
	type pair struct{ Name, Value string }
	entries := map[string]map[string]any{}
	for i, raw := range listed {
		var server struct {
			Type, Name, Command, URL string
			Args                     []string
			Env, Headers             []pair
		}
		if json.Unmarshal(raw, &server) != nil || server.Name == "" || server.Command == "" && server.URL == "" {
			return "", fmt.Errorf("mcpServers[%d] has another form: it has a name and a command or a url", i)
		}
		texts := func(pairs []pair) map[string]string {
			all := map[string]string{}
			for _, p := range pairs {
				all[p.Name] = p.Value
			}
			return all
		}
		entry := map[string]any{"type": server.Type, "url": server.URL, "headers": texts(server.Headers)}
		if server.URL == "" {
			entry = map[string]any{"command": server.Command, "args": server.Args, "env": texts(server.Env)}
		}
		name := serverName(server.Name)
		if entries[name] != nil {
			return "", fmt.Errorf("mcpServers[%d]: the name %q is taken", i, server.Name)
		}
		entries[name] = entry
	}
	if len(entries) == 0 {
		return "", nil
	}
	text, err := rawjson.Marshal(map[string]any{"mcpServers": entries})
	return string(text), err
}

// serverName is the name of an editor's server with the letters that names of tools have.
func serverName(name string) string {
	const longest = 32
	name = strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	return name[:min(len(name), longest)]
}
