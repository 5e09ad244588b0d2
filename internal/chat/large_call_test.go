package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
)

// honestModel is a model that repeats its calls until it reads their results.
type honestModel struct {
	calls []llm.ToolCall
	// asked counts its requests, except requests for summaries.
	asked int
}

func (h *honestModel) answer(_ context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
	if req.System == honestSummary {
		yield(llm.Text{Delta: aSummary}, nil)
		return
	}
	h.asked++
	if h.asked > 5 || h.reads(req.History) {
		yield(llm.Text{Delta: "done"}, nil)
		return
	}
	for _, call := range h.calls {
		call.ID = fmt.Sprint(call.ID, "-", h.asked)
		if !yield(call, nil) {
			return
		}
	}
	yield(llm.Finish{Reason: "tool_calls"}, nil)
}

const honestSummary = "sum it up"

// reads reports whether a request states the result of every call.
func (h *honestModel) reads(entries []*history.Content) bool {
	found := make(map[string]bool)
	for _, entry := range entries {
		if entry.Speaker == history.Human && strings.Contains(entry.Text(), "; outcomes of your latest calls: ") {
			return true
		}
		for _, block := range entry.Blocks {
			if r, ok := block.(*history.ToolResponse); ok && strings.TrimSpace(r.Result.Text()+r.Error) != "" {
				id, _, _ := strings.Cut(r.CallID, "-")
				found[id] = true
			}
		}
	}
	return !slices.ContainsFunc(h.calls, func(call llm.ToolCall) bool { return !found[call.ID] })
}

// honestBench returns a bench with real tools, a context window, and a counter that charges for
// large texts.
func honestBench(t *testing.T, h *honestModel, strategy string, limit int) workbench {
	t.Helper()
	b := newWorkbench(t, map[string]string{"old.txt": "first\nsecond\n"})
	b.model.next = func(int) answerFunc { return h.answer }
	config := b.config
	config.Counter = func(string) history.Counter { return letters{} }
	config.History = history.NewService(letters{}, nil)
	config.CompressionPrompt = honestSummary
	b.Chat = New(config)
	b.set("context-limit", fmt.Sprint(limit))
	b.set("compression.strategy", strategy)
	return b
}

// program returns a text of about the given number of tokens.
func program(tokens int) string {
	var b strings.Builder
	for i := 0; b.Len() < 3*tokens; i++ {
		fmt.Fprintf(&b, "%d_%s\n", i, strings.Repeat("=", 150))
	}
	return b.String()
}

func encoded(t *testing.T, fields map[string]any) string {
	t.Helper()
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var largeTools = []string{"write_file", "replace", "run_shell_command"}

// largeCalls are calls with a large argument, one for each of largeTools.
func largeCalls(t *testing.T, text string) map[string]llm.ToolCall {
	t.Helper()
	return map[string]llm.ToolCall{
		"write_file":        {ID: "w", Name: "write_file", Arguments: encoded(t, map[string]any{"file_path": "gen.py", "content": text})},
		"replace":           {ID: "r", Name: "replace", Arguments: encoded(t, map[string]any{"file_path": "old.txt", "old_string": "second\n", "new_string": text})},
		"run_shell_command": {ID: "s", Name: "run_shell_command", Arguments: encoded(t, map[string]any{"command": "cat > gen.py <<'EOF'\n" + text + "EOF\necho written"})},
	}
}

// A call with large arguments is made once, in every context window and with every strategy,
// because the next request states its result (D-42). Each tool is combined with each window and
// each strategy, and each size of a call with each window.
func TestLargeCallIsMadeOnce(t *testing.T) {
	t.Parallel()
	percents := []int{60, 85, 100, 150}
	for i, strategy := range few(compression.Names()) {
		for j, limit := range few([]int{4096, 8000, 16_000, 32_000}) {
			tool, percent := largeTools[(i+j)%len(largeTools)], percents[(i+j)%len(percents)]
			text := program(limit * percent / 100)
			t.Run(fmt.Sprintf("%s %d %s %d%%", strategy, limit, tool, percent), func(t *testing.T) {
				t.Parallel()
				h := &honestModel{calls: []llm.ToolCall{largeCalls(t, text)[tool]}}
				b := honestBench(t, h, strategy, limit)
				if out, err := b.prompt("write gen.py"); err != nil || out.Response != "done" || h.asked != 2 {
					t.Fatalf("%d requests, %q, %v", h.asked, out.Response, err)
				}
				file, want := "gen.py", text
				if tool == "replace" {
					file, want = "old.txt", "first\n"+text
				}
				if got, err := os.ReadFile(filepath.Join(b.root, file)); err != nil || string(got) != want {
					t.Errorf("%s holds %d bytes, want %d, %v", file, len(got), len(want), err)
				}
				b.keepsFirstMessage()
			})
		}
	}
}

// keepsFirstMessage checks that a large call removes no text of the user's first message.
func (b workbench) keepsFirstMessage() {
	b.t.Helper()
	last := b.model.requests[len(b.model.requests)-1]
	if got := last.History[0].Text(); got != "write gen.py" {
		b.t.Errorf("the request begins with %.80q", got)
	}
	for _, entry := range last.History {
		for _, call := range entry.Calls() {
			if !json.Valid(call.Parameters) {
				b.t.Errorf("%s is sent with %.80q", call.Name, call.Parameters)
			}
		}
	}
}

// Several large calls, a large call with a large answer, and many small calls are all made once, in
// windows of all sizes. The earlier conversation stays.
func TestManyLargeCallsAreMadeOnce(t *testing.T) {
	t.Parallel()
	several := func(n, tokens int) (calls []llm.ToolCall) {
		for i := range n {
			calls = append(calls, llm.ToolCall{ID: fmt.Sprint("w", i), Name: "write_file", Arguments: encoded(t, map[string]any{"file_path": fmt.Sprintf("f%d.py", i), "content": program(tokens)})})
		}
		return calls
	}
	for i, strategy := range few(compression.Names()) {
		for j, limit := range few([]int{4096, 8000, 16_000}) {
			kinds := map[string][]llm.ToolCall{
				"five":         several(5, limit/3),
				"large answer": {{ID: "s", Name: "run_shell_command", Arguments: encoded(t, map[string]any{"command": "cat <<'EOF'\n" + program(limit) + "EOF"})}},
				"refused":      {{ID: "r", Name: "replace", Arguments: encoded(t, map[string]any{"file_path": "old.txt", "old_string": "nowhere" + program(limit), "new_string": "x"})}},
				"not JSON":     {{ID: "w", Name: "write_file", Arguments: `{"file_path":"a","content":"` + program(limit)}},
				"no such tool": {{ID: "w", Name: "nosuch", Arguments: encoded(t, map[string]any{"texts": strings.Fields(program(limit))})}},
				"nested":       {{ID: "w", Name: "todo_write", Arguments: encoded(t, map[string]any{"todos": []any{map[string]any{"id": "1", "content": program(limit), "status": "pending"}}})}},
				"signed":       {{ID: "w", Name: "write_file", Attached: &history.Attachment{Model: "test-model", Wanted: true, Field: "extra_content", Data: json.RawMessage(`{"google":{"thought_signature":"` + strings.Repeat("s", limit) + `"}}`)}, Arguments: encoded(t, map[string]any{"file_path": "gen.py", "content": program(limit)})}},
				"two hundred":  several(200, 5),
			}
			for k, name := range slices.Sorted(maps.Keys(kinds)) {
				if (i+j+k)%5 != 0 { // each kind in each window, with one strategy
					continue
				}
				t.Run(fmt.Sprintf("%s %d %s", strategy, limit, name), func(t *testing.T) {
					t.Parallel()
					h := &honestModel{calls: kinds[name]}
					b := honestBench(t, h, strategy, limit)
					if out, err := b.prompt("write gen.py"); err != nil || out.Response != "done" || h.asked != 2 {
						t.Fatalf("%d requests, %q, %v", h.asked, out.Response, err)
					}
					b.keepsFirstMessage()
				})
			}
		}
	}
}

// Data that a provider attached to a call, such as Gemini's thought signature, is sent with the
// shortened call too. The provider refuses a call without it.
func TestShortenedCallKeepsItsSignature(t *testing.T) {
	t.Parallel()
	signature := json.RawMessage(`{"google":{"thought_signature":"c2lnbmVk"}}`)
	for _, strategy := range few(compression.Names()) {
		call := largeCalls(t, program(12_000))["write_file"]
		call.Attached = &history.Attachment{Model: "test-model", Host: "h", Wanted: true, Field: "extra_content", Data: signature}
		h := &honestModel{calls: []llm.ToolCall{call}}
		b := honestBench(t, h, strategy, 8000)
		if _, err := b.prompt("write gen.py"); err != nil {
			t.Fatal(err)
		}
		for _, entry := range b.model.requests[len(b.model.requests)-1].History {
			for _, sent := range entry.Calls() {
				if len(sent.Parameters) > 12_000 || sent.Attached == nil || string(sent.Attached.Data) != string(signature) {
					t.Errorf("%s: %d bytes sent with %+v", strategy, len(sent.Parameters), sent.Attached)
				}
				h.calls = nil
			}
		}
		if h.calls != nil {
			t.Errorf("%s: the call is gone", strategy)
		}
	}
}

// The note in a shortened call is not text for a file. If the model copies its own shortened call,
// nothing is written.
func TestNoteOfAShortenedCallIsNotWritten(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, nil, calls("write_file", `{"file_path":"a","content":"x\n[… 12 bytes left out; the call had them all: success …]\ny"}`), say("ok"))
	if _, err := b.prompt("write"); err != nil || !strings.Contains(b.responses()[0].Error, "not the text itself") {
		t.Errorf("answered %+v, %v", b.responses()[0], err)
	}
	b.want("a", "")
}

// few returns the first row of a table with -short, which the race detector uses. The rows differ
// in data, not in the order of goroutines.
func few[T any](rows []T) []T {
	if testing.Short() {
		return rows[:1]
	}
	return rows
}
