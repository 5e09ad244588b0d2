package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sashabaranov/go-openai"

	"agent/internal/testing/llmtest"
	"agent/internal/testing/require"
)

// player is a minimal program for the demo model. It sends the messages, runs the calls in a real
// workspace and stores the answers.
type player struct {
	t        *testing.T
	server   *Server
	dir      string
	messages []map[string]any
	// calls lists all calls in order, each as "tool subject".
	calls []string
	// intercept may answer a call instead of running it.
	intercept func(tool, subject string) (answer string, ok bool)
	// prune removes reads that an edit made outdated, as density does.
	prune bool
	usage openai.Usage
}

func newPlayer(t *testing.T) *player {
	t.Helper()
	require.Program(t, "sh")
	server, err := Start(t.Context(), Options{
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	dir := t.TempDir()
	if err := Workspace(dir); err != nil {
		t.Fatal(err)
	}
	return &player{t: t, server: server, dir: dir}
}

// say sends a message of the user and runs requests until the model is done. It returns the model's
// last text.
func (p *player) say(text string) string {
	p.t.Helper()
	p.add(map[string]any{"role": "user", "content": text})
	for range maxCalls + 2 {
		if words, done := p.step(); done {
			return words
		}
	}
	p.t.Fatal("the model never ends")
	return ""
}

// step makes one request and runs the calls of the reply.
func (p *player) step() (words string, done bool) {
	p.t.Helper()
	words, calls := p.ask()
	p.add(assistant(words, calls))
	for _, call := range calls {
		p.add(map[string]any{"role": "tool", "tool_call_id": call.ID, "content": p.run(call)})
	}
	if p.prune {
		p.dropStale()
	}
	return words, len(calls) == 0
}

func (p *player) add(message map[string]any) { p.messages = append(p.messages, message) }

func assistant(words string, calls []openai.ToolCall) map[string]any {
	message := map[string]any{"role": "assistant", "content": words}
	if words == "" {
		message["content"] = nil
	}
	var list []any
	for _, call := range calls {
		list = append(list, map[string]any{"id": call.ID, "type": "function", "function": map[string]any{"name": call.Function.Name, "arguments": call.Function.Arguments}})
	}
	if len(list) > 0 {
		message["tool_calls"] = list
	}
	return message
}

// ask sends the messages and reads the streamed reply.
func (p *player) ask() (words string, calls []openai.ToolCall) {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{
		"model": Model, "stream": true, "stream_options": map[string]any{"include_usage": true}, "messages": p.messages,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if err := llmtest.Validate(body); err != nil {
		p.t.Fatalf("the conversation is not valid: %v", err)
	}
	response, err := http.Post(p.server.BaseURL+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		p.t.Fatalf("status %s, content type %s", response.Status, response.Header.Get("Content-Type"))
	}
	words, calls, reason := p.receive(bufio.NewScanner(response.Body))
	if want := map[bool]string{true: "tool_calls", false: "stop"}[len(calls) > 0]; reason != want {
		p.t.Fatalf("finish reason %q, want %q", reason, want)
	}
	return words, calls
}

func (p *player) receive(lines *bufio.Scanner) (words string, calls []openai.ToolCall, reason string) {
	p.t.Helper()
	ended := false
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			ended = true
			continue
		}
		var event openai.ChatCompletionStreamResponse
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			p.t.Fatalf("event %s: %v", data, err)
		}
		if event.Usage != nil {
			p.usage = *event.Usage
		}
		for _, choice := range event.Choices {
			words += choice.Delta.Content
			for _, d := range choice.Delta.ToolCalls {
				if *d.Index == len(calls) {
					calls = append(calls, openai.ToolCall{ID: d.ID, Function: openai.FunctionCall{Name: d.Function.Name}})
				}
				calls[*d.Index].Function.Arguments += d.Function.Arguments
			}
			reason += string(choice.FinishReason)
		}
	}
	if !ended {
		p.t.Fatal("the stream did not end with [DONE]")
	}
	return words, calls, reason
}

// run executes a call in the workspace, or lets intercept answer it.
func (p *player) run(call openai.ToolCall) string {
	p.t.Helper()
	var args map[string]string
	if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil {
		p.t.Fatalf("arguments of %s: %v", call.Function.Name, err)
	}
	subject := args["file_path"] + args["command"] + args["pattern"] + args["path"]
	p.calls = append(p.calls, call.Function.Name+" "+subject)
	if p.intercept != nil {
		if answer, ok := p.intercept(call.Function.Name, subject); ok {
			return answer
		}
	}
	file := filepath.Join(p.dir, args["file_path"])
	switch call.Function.Name {
	case toolRead:
		return p.read(file)
	case toolReplace:
		old := p.read(file)
		if strings.Count(old, args["old_string"]) != 1 {
			return "Error: old_string was not found"
		}
		p.write(args["file_path"], strings.Replace(old, args["old_string"], args["new_string"], 1))
		return "39\t" + args["new_string"]
	case toolShell:
		cmd := exec.Command("sh", "-c", args["command"])
		cmd.Dir = p.dir
		output, err := cmd.CombinedOutput()
		if err != nil {
			return string(output) + "\nExit code: 1"
		}
		return string(output)
	case toolList:
		return "README.md\nprices.txt\ntest.sh\ntill.sh"
	}
	p.t.Fatalf("the program has no tool %s", call.Function.Name)
	return ""
}

func (p *player) read(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "Error: the file does not exist"
	}
	return string(data)
}

func (p *player) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// dropStale removes calls that read till.sh before its latest successful edit, with their answers.
// It then removes empty messages.
func (p *player) dropStale() {
	stale, pending := map[string]bool{}, []string{}
	for _, m := range p.messages {
		for _, call := range callsOf(m) {
			switch {
			case call.Function.Name == toolRead && strings.Contains(call.Function.Arguments, till):
				pending = append(pending, call.ID)
			case call.Function.Name == toolReplace && !strings.HasPrefix(p.answer(call.ID), failureMark):
				for _, id := range pending {
					stale[id] = true
				}
				pending = nil
			}
		}
	}
	var kept []map[string]any
	for _, m := range p.messages {
		if id, _ := m["tool_call_id"].(string); stale[id] {
			continue
		}
		if calls := callsOf(m); len(calls) > 0 {
			var left []openai.ToolCall
			for _, call := range calls {
				if !stale[call.ID] {
					left = append(left, call)
				}
			}
			if len(left) == 0 {
				continue
			}
			m = assistant(m["content"].(string), left)
		}
		kept = append(kept, m)
	}
	p.messages = kept
}

func (p *player) answer(id string) string {
	for _, m := range p.messages {
		if m["tool_call_id"] == id {
			return m["content"].(string)
		}
	}
	return ""
}

func callsOf(m map[string]any) []openai.ToolCall {
	var calls []openai.ToolCall
	list, _ := m["tool_calls"].([]any)
	for _, item := range list {
		call := item.(map[string]any)
		f := call["function"].(map[string]any)
		calls = append(calls, openai.ToolCall{ID: call["id"].(string), Function: openai.FunctionCall{Name: f["name"].(string), Arguments: f["arguments"].(string)}})
	}
	return calls
}
