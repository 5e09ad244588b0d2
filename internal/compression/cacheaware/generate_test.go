package cacheaware

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"agent/internal/history"
	"agent/internal/toolspec"
)

// bytesCounter counts one token for four bytes. It is fast and accurate enough.
type bytesCounter struct{}

func (bytesCounter) Count(text string) int { return (len(text) + 3) / 4 }

var testTools = map[string]toolspec.Traits{
	"read":       {Reads: true, File: []string{"path"}, Density: toolspec.Density{From: []string{"offset"}, Count: []string{"limit"}, Headed: true}},
	"lines":      {Reads: true, File: []string{"path"}, Density: toolspec.Density{From: []string{"from"}, To: []string{"to"}}},
	"symbol":     {Reads: true, File: []string{"path"}, Density: toolspec.Density{Fragment: true}},
	"write":      {Edits: true, File: []string{"path"}, Density: toolspec.Density{Body: []string{"content"}}},
	"replace":    {Edits: true, File: []string{"path"}, Density: toolspec.Density{Old: []string{"old"}, New: []string{"new"}}},
	"multi":      {Edits: true, File: []string{"path"}, Density: toolspec.Density{List: []string{"edits"}, Old: []string{"old"}, New: []string{"new"}}},
	"patch":      {Edits: true, Density: toolspec.Density{Patch: []string{"patch"}}},
	"shell":      {Runs: true, Density: toolspec.Density{Command: []string{"command"}}},
	"todo":       {Stateful: true},
	"task":       {Reads: true, Density: toolspec.Density{Reports: true}},
	"web_search": {Network: true, Searches: true, Key: "query"},
	"web_fetch":  {Network: true, Key: "url"},
}

func toolOf(name string) toolspec.Traits { return testTools[name] }

func newEngine() *Engine {
	return New(Options{Tools: toolOf, Root: "/w", Counter: func() history.Counter { return bytesCounter{} }})
}

// talk is a conversation under construction.
type talk struct {
	entries []*history.Content
	calls   int
}

func (t *talk) human(text string) { t.entries = append(t.entries, history.HumanText(text)) }

// call adds a call and its answer. If failed is set, the answer has an error.
func (t *talk) call(name string, parameters map[string]any, answer string, failed bool) {
	t.calls++
	id := fmt.Sprint("c", t.calls)
	data, err := json.Marshal(parameters)
	if err != nil {
		panic(err)
	}
	response := &history.ToolResponse{CallID: id, ToolName: name, Result: history.TextResult(answer)}
	if failed {
		response.Error = "it failed"
	}
	t.entries = append(t.entries,
		history.New(history.AI, &history.ToolCall{ID: id, Name: name, Parameters: data}),
		history.New(history.Tool, response))
}

// source returns a text of lines that contain name.
func source(name string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "func %sStep%d() { return call_%d(%d) }\n", name, i, i, i)
	}
	return b.String()
}

// numbered returns lines as a tool shows them, sometimes with line numbers.
func numbered(r *rand.Rand, lines []string, from, to int) string {
	if r.IntN(2) == 0 {
		return strings.Join(lines[from:to], "")
	}
	var b strings.Builder
	for i := from; i < to && lines[i] != ""; i++ {
		fmt.Fprintf(&b, "%6d|%s", i+1, lines[i])
	}
	return b.String()
}

// randomTalk returns a realistic random session: files that are read, edited, written and read
// again, commands, searches and text.
func randomTalk(r *rand.Rand, requests int) []*history.Content {
	t := &talk{}
	files := map[string]string{}
	names := []string{"alpha.go", "beta_test.go", "gamma.md", "delta.ts"}
	t.human("fix " + names[r.IntN(len(names))])
	for range requests {
		name := names[r.IntN(len(names))]
		text, known := files[name]
		if !known {
			text = source(strings.TrimSuffix(name, ".go"), 5+r.IntN(120))
			files[name] = text
		}
		lines := strings.SplitAfter(text, "\n")
		switch k := r.IntN(17); {
		case k < 3:
			t.call("read", map[string]any{"path": name}, numbered(r, lines, 0, len(lines)), false)
		case k < 5:
			from := r.IntN(len(lines))
			to := min(len(lines), from+1+r.IntN(40))
			t.call("lines", map[string]any{"path": "/w/" + name, "from": from + 1, "to": to}, numbered(r, lines, from, to), false)
		case k < 9:
			old := lines[r.IntN(len(lines))]
			changed := "// changed_" + fmt.Sprint(r.IntN(1e6)) + "\n"
			failed := old == "" || r.IntN(6) == 0
			if !failed {
				files[name] = strings.Replace(text, old, changed, 1)
			}
			t.call("replace", map[string]any{"path": name, "old": old, "new": changed}, "done", failed)
		case k == 9:
			files[name] = source("New", 5+r.IntN(90))
			t.call("write", map[string]any{"path": name, "content": files[name]}, "written", false)
		case k == 10:
			t.human("now look at " + name + " once more")
			t.entries = append(t.entries, history.New(history.AI, &history.Text{Text: "I will. " + strings.Repeat("Hm. ", r.IntN(60))}))
		case k < 13:
			t.call("shell", map[string]any{"command": []string{"go test ./...", "git diff", "cat " + name, "ls -l | head -5"}[r.IntN(4)]}, source("Out", r.IntN(80)), r.IntN(4) == 0)
		case k == 13:
			t.call("grep", map[string]any{"pattern": fmt.Sprint("p", r.IntN(3))}, source("Found", r.IntN(60)), false)
		case k == 14:
			t.call("patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: " + name + "\n@@\n-" + strings.TrimSuffix(lines[0], "\n") + "\n+// patched " + strings.Repeat("word ", r.IntN(200)) + "\n*** End Patch"}, "ok", r.IntN(3) == 0)
		case k == 15:
			files[name] = source("Agent", 5+r.IntN(90))
			t.call("task", map[string]any{"task": "change " + name}, "agent general, s-abcde: done\nchanged: "+name+" +5 -5\n"+source("Report", r.IntN(60)), false)
		default:
			t.call("todo", map[string]any{"items": strings.Repeat("step ", r.IntN(300))}, "noted", false)
		}
	}
	return t.entries
}

// run adds a session to an engine like package window does, and calls each after every request.
func run(e *Engine, entries []*history.Content, moment func(request int) RequestFacts, each func(Plan)) {
	request := 0
	for _, entry := range entries {
		if entry.Speaker == history.AI {
			m := moment(request)
			plan := e.Plan(m)
			e.Apply(plan)
			e.Sent(m)
			each(plan)
			request++
		}
		e.Add(entry)
	}
}
