package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// TestSearchPrefix checks the effect of web search on requests (web-search.md, "Done when" 4).
// Without a search service, requests have the same bytes as without the setting. With any service,
// no request changes the content of an earlier one, even if the service fails later or the session
// is resumed.
func TestSearchPrefix(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "work/search.sh"), `n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; [ $n -gt 2 ] && exit 3; echo '{"results":[{"url":"https://go.dev/doc","title":"Go","snippet":"An excerpt"}]}'`)
	var first []byte
	for _, set := range []string{"", "off", "auto", "command", "searxng", "brave", "provider"} {
		server := newModel(t,
			llmtest.Call("web_search", `{"query":"one"}`), llmtest.Call("web_search", `{"query":"two"}`), llmtest.Call("web_search", `{"query":"one"}`), llmtest.Say("a"),
			llmtest.Call("web_search", `{"query":"three"}`), llmtest.Call("WebSearch", `{"query":"four"}`), llmtest.Say("b"))
		args := []string{"agent", "-p", "go", "--approval-mode", "full-auto", "--set", "sandbox=off"}
		if set != "" {
			args = append(args, "--set", "web-search="+set, "--set", "web-search.command=sh search.sh", "--set", "web-search.url=http://127.0.0.1:1")
		}
		_ = os.Remove(filepath.Join(home, "work/n"))
		for _, more := range [][]string{nil, {"-c"}} {
			run := startCommand(t, home, server.URL, append(args, more...)...)
			if out, status := run.end(); status != exitOK {
				t.Fatalf("%s ends with %d: %s", set, status, out)
			}
		}
		requests := server.Requests()
		if len(requests) != 7 {
			t.Fatalf("%s: %d requests", set, len(requests))
		}
		if body := requests[0].Body; set == "" {
			first = body
		} else if set == "off" && !bytes.Equal(body, first) {
			t.Errorf("off changes the request\n%s\n%s", first, body)
		}
		if offers := strings.Contains(string(requests[0].Fields["tools"]), `"web_search"`); offers != (set == "command" || set == "searxng" || set == "brave") {
			t.Errorf("%s offers the tool: %t", set, offers)
		}
		for i, r := range requests[1:] {
			before := requests[i]
			if !bytes.Equal(r.Fields["tools"], before.Fields["tools"]) || len(r.Messages) <= len(before.Messages) {
				t.Errorf("%s: the tools of request %d are others", set, i+1)
			}
			for j, m := range before.Messages {
				was, _ := json.Marshal(m.Fields)
				is, _ := json.Marshal(r.Messages[j].Fields)
				if !bytes.Equal(was, is) {
					t.Errorf("%s: request %d changes message %d\n%s\n%s", set, i+1, j, was, is)
				}
			}
		}
	}
}
