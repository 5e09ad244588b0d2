package app_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/testing/llmtest"
	"agent/internal/tokens"
)

// parts returns the parts of a request in the order in which providers cache them: first the tools,
// then the messages.
func parts(t *testing.T, r *llmtest.Request) []string {
	t.Helper()
	var body struct{ Tools json.RawMessage }
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	return append([]string{string(body.Tools)}, messagesOf(t, r.Body)...)
}

// sizeOf returns the number of tokens in the messages of a request.
func sizeOf(r *llmtest.Request) (size int) {
	count := tokens.NewCounter(tokens.EncodingFor("test-model")).Count
	for _, m := range r.Messages {
		size += history.EntryTokens + count(m.Content)
		for _, call := range m.ToolCalls {
			size += count(call.Name) + count(call.Arguments)
		}
	}
	return size
}

// A subagent searches 60 files of 600 lines and writes a long report. The context of the
// conversation grows by at most 2 100 tokens, whatever the report contains. The second subagent
// finds at least 95 % of its system prompt and tools in a cache of exact prefixes.
func TestSearchesStayOutOfTheContext(t *testing.T) {
	t.Parallel()
	const files, perRequest, most, cached = 60, 10, 2100, 0.95
	r := rand.New(rand.NewPCG(3, 34))
	for name, line := range map[string]func() string{
		"words":   func() string { return "internal/app/agents.go:17 calls Open and closes what it returns" },
		"numbers": func() string { return fmt.Sprint(r.Uint64(), " ", r.Uint64()) },
		"signs":   func() string { return "文件在这里打开，然后关闭。 ∀x∈ℝ 🜁🜂🜃" },
		"short":   func() string { return "" },
	} {
		report := strings.Repeat(line()+"\n", 600)
		if name == "short" {
			report = "f7.txt:1 says 42"
		}
		lead := inTurn(llmtest.Call("task", `{"task":"task answer"}`), llmtest.Say("42"), llmtest.Call("task", `{"task":"task question"}`), llmtest.Say("6 by 9"))
		var work steps
		agent := func(r *llmtest.Request) llmtest.Turn {
			read := work.next(r) * perRequest
			if read >= files {
				return llmtest.Say(report)
			}
			turn := llmtest.Turn{}
			for i := range perRequest {
				turn = turn.Call("read_file", fmt.Sprintf(`{"file_path":"f%d.txt"}`, read+i))
			}
			return turn
		}
		f := newAgentConversation(t, app.Options{}, lead, agent)
		for i := range files {
			write(t, filepath.Join(f.workspace, fmt.Sprintf("f%d.txt", i)), strings.Repeat("some line of text\n", 600))
		}
		for _, text := range []string{"what is the answer?", "and what was the question?"} {
			if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage(text)); err != nil {
				t.Fatal(err)
			}
		}
		var sizes []int
		var agents [][]string
		for _, r := range f.server.Requests() {
			if isAgents(r) {
				agents = append(agents, parts(t, r))
			} else {
				sizes = append(sizes, sizeOf(r))
			}
		}
		if len(sizes) != 4 || len(agents) < 2*files/perRequest {
			t.Fatalf("%s: %d requests, %d of agents", name, len(sizes), len(agents))
		}
		for i := 0; i < len(sizes); i += 2 {
			grown := sizes[i+1] - sizes[i]
			t.Logf("%s: search %d makes the context grow by %d tokens", name, i/2+1, grown)
			if grown > most || name != "short" && grown < most*2/3 {
				t.Errorf("%s: the context grew by %d tokens", name, grown)
			}
		}
		second := slices.IndexFunc(agents, func(parts []string) bool { return strings.Contains(parts[len(parts)-1], "task question") })
		head := agents[second][:len(agents[second])-1]
		found := 0
		for i := range head {
			if head[i] != agents[0][i] {
				break
			}
			found += len(head[i])
		}
		if all := len(strings.Join(head, "")); float64(found) < cached*float64(all) {
			t.Errorf("%s: %d bytes of %d of the head are in the cache", name, found, all)
		}
		f.Close()
	}
}
