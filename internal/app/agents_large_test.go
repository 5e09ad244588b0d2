package app_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/snapshot"
	"agent/internal/testing/llmtest"
)

// size returns the size of a random test: full under make properties, otherwise small.
func size(small, full int) int {
	if checks, _ := strconv.Atoi(flag.Lookup("rapid.checks").Value.String()); checks >= 1000 {
		return full
	}
	return small
}

// taskOf returns the last word of a subagent's task, which identifies it in a test.
func taskOf(r *llmtest.Request) string {
	for _, m := range r.Messages {
		if words := strings.Fields(m.Content); m.Role == "user" && len(words) > 1 && strings.HasPrefix(words[len(words)-2], "task") {
			return words[len(words)-1]
		}
	}
	return ""
}

// steps counts the requests of each subagent of a test. The messages of a request don't show this
// number, because pruning removes replies.
type steps struct {
	mu    sync.Mutex
	count map[string]int
}

// next returns the number of earlier requests of the subagent.
func (s *steps) next(r *llmtest.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == nil {
		s.count = map[string]int{}
	}
	s.count[taskOf(r)]++
	return s.count[taskOf(r)] - 1
}

// ledger counts the answers of each call and the reports of each task in a request.
func ledger(t *testing.T, r *llmtest.Request) (answers map[string]int, reports map[string]int) {
	t.Helper()
	answers, reports = map[string]int{}, map[string]int{}
	for _, m := range r.Messages {
		for _, call := range m.ToolCalls {
			answers[call.ID] += 0
		}
		if m.Role == "tool" {
			answers[m.ToolCallID]++
		}
		if m.Role != "assistant" {
			for _, after := range strings.Split(m.Content, "REPORT-OF-")[1:] {
				name, _, _ := strings.Cut(after, ".")
				reports[name]++
			}
		}
	}
	return answers, reports
}

// checkPrefix reports an error unless each request of the main conversation begins with the one
// before it.
func checkPrefix(t *testing.T, f *agentConversation, name string) {
	t.Helper()
	var before []string
	for _, r := range f.server.Requests() {
		if isAgents(r) {
			continue
		}
		messages := messagesOf(t, r.Body)
		if len(messages) < len(before) || !slices.Equal(messages[:len(before)], before) {
			t.Errorf("%s: a request does not begin with the one before", name)
		}
		before = messages
	}
}

// TestSessionsOfAgents runs scripted sessions with 1 to 16 subagents, some of them in the
// background. It interrupts or kills some sessions at a random request. Every call has one answer,
// and every report arrives exactly once. Each request begins with the one before. After a kill, the
// test resumes the session from the record on disk.
func TestSessionsOfAgents(t *testing.T) {
	t.Parallel()
	for seed := range size(12, 200) {
		name := fmt.Sprintf("session %d", seed)
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		n, calls, act := 1+r.IntN(16), 1+r.IntN(3), []string{"", "interrupt", "kill"}[r.IntN(3)]
		at := int64(1 + r.IntN(n*(calls+1)))
		var first llmtest.Turn
		background := map[string]bool{}
		for i := range n {
			background[fmt.Sprint("t", i)] = r.IntN(3) == 0
			first = first.Call("task", fmt.Sprintf(`{"task":"task t%d","agent":"explore","background":%t}`, i, background[fmt.Sprint("t", i)]))
		}
		p, workspace, home := newProcess(t), t.TempDir(), t.TempDir()
		var f *agentConversation
		var requests atomic.Int64
		var work steps
		var killed sync.Once
		agent := func(r *llmtest.Request) llmtest.Turn {
			if requests.Add(1) == at {
				switch act {
				case "interrupt":
					f.Chat.Interrupt()
				case "kill":
					killed.Do(func() {
						if err := os.CopyFS(home, os.DirFS(p.Home)); err != nil {
							t.Errorf("%s: %v", name, err)
						}
					})
				}
			}
			if done := slices.ContainsFunc(r.Messages, func(m llmtest.Message) bool { return m.Role == "tool" }) && work.next(r) >= calls-1; done {
				return llmtest.Say("REPORT-OF-" + taskOf(r) + ".")
			}
			return llmtest.Call("list_directory", `{"path":"."}`)
		}
		lead := func(r *llmtest.Request) llmtest.Turn {
			if r.Last().Content == "go" {
				return first
			}
			return llmtest.Say("fine")
		}
		f = agentConversationIn(t, p, workspace, app.Options{KeepsAgents: true}, lead, agent)
		if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		check := func(f *agentConversation, cut bool) {
			if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("and now?")); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			checkPrefix(t, f, name)
			all := f.server.Requests()
			for len(all) > 0 && isAgents(all[len(all)-1]) {
				all = all[:len(all)-1]
			}
			answers, reports := ledger(t, all[len(all)-1])
			for id, got := range answers {
				if got != 1 {
					t.Errorf("%s: call %s has %d answers", name, id, got)
				}
			}
			if !cut && len(answers) != n {
				t.Errorf("%s: %d calls of %d", name, len(answers), n)
			}
			for task, behind := range background {
				if got := reports[task]; got > 1 || got == 0 && !cut || got == 0 && behind && act == "interrupt" {
					t.Errorf("%s, %s: the report of %s came %d times, background %v", name, act, task, got, behind)
				}
			}
		}
		check(f, act == "interrupt")
		f.Close()
		if act == "kill" {
			again := &app.Process{Environ: p.Environ, Home: home, Dir: p.Dir, Version: "test", Now: p.Now}
			g := agentConversationIn(t, again, workspace, app.Options{Record: app.Record{Continue: true}}, func(*llmtest.Request) llmtest.Turn { return llmtest.Say("fine") }, agent)
			check(g, true)
			g.Close()
			if err := again.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Four subagents ask for approval at the same time. Each prompt appears once, with the name of the
// subagent, and gets one answer from the user. Only the allowed calls run.
func TestQuestionsOfAgents(t *testing.T) {
	t.Parallel()
	const agents = 4
	each := size(10, 250)
	var work steps
	agent := func(r *llmtest.Request) llmtest.Turn {
		if done := work.next(r) * 5; done < each {
			turn := llmtest.Turn{}
			for i := done; i < min(done+5, each); i++ {
				turn = turn.Call("write_file", fmt.Sprintf(`{"file_path":"%s-%d.txt","content":"x"}`, taskOf(r), i))
			}
			return turn
		}
		return llmtest.Say("written")
	}
	var first llmtest.Turn
	for i := range agents {
		first = first.Call("task", fmt.Sprintf(`{"task":"task t%d","agent":"general"}`, i))
	}
	f := newAgentConversation(t, app.Options{}, inTurn(first, llmtest.Say("done")), agent, "agents.max-turns=1000", "agents.max-tokens=1000000000")
	var mu sync.Mutex
	asked := map[string]int{}
	f.answer = func(a chat.Approval) chat.Decision {
		mu.Lock()
		defer mu.Unlock()
		if a.Agent != "general" || !strings.Contains(a.Preview.Title, "agent general") {
			t.Errorf("a question of %q: %s", a.Agent, a.Preview.Title)
		}
		path := a.Preview.Paths[0]
		asked[path]++
		return chat.Decision{Allow: len(asked)%2 == 0, Reason: "no"}
	}
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	if len(asked) != agents*each {
		t.Errorf("%d questions, want %d", len(asked), agents*each)
	}
	written, _ := filepath.Glob(filepath.Join(f.workspace, "t*.txt"))
	if len(written) != agents*each/2 {
		t.Errorf("%d files, want %d", len(written), agents*each/2)
	}
	for path, times := range asked {
		if times != 1 {
			t.Errorf("%s was asked %d times", path, times)
		}
	}
}

// Two subagents edit the same lines of the same files at the same time. The file contains each edit
// whose answer is a success and no refused edit. Undo restores the original bytes.
func TestEditsOfTwoAgents(t *testing.T) {
	t.Parallel()
	const pairs, files = 25, 3
	for seed := range size(2, 400) {
		p := newProcess(t)
		var work steps
		agent := func(r *llmtest.Request) llmtest.Turn {
			k := work.next(r)
			if k >= 2*pairs {
				return llmtest.Say("edited")
			}
			draw := rand.New(rand.NewPCG(uint64(seed), uint64(len(taskOf(r)))*1000+uint64(k/2)))
			path := fmt.Sprintf("f%d.txt", draw.IntN(files))
			if k%2 == 0 {
				return llmtest.Call("read_file", `{"file_path":"`+path+`"}`)
			}
			return llmtest.Turn{}.CallID(fmt.Sprintf("%s-%d", taskOf(r), k), "replace", fmt.Sprintf(`{"file_path":"%s","old_string":"END","new_string":"<%s-%d>\nEND"}`, path, taskOf(r), k))
		}
		var first llmtest.Turn
		for _, name := range []string{"a", "bb"} {
			first = first.Call("task", `{"task":"task `+name+`","agent":"general"}`)
		}
		f := agentConversationIn(t, p, t.TempDir(), app.Options{}, inTurn(first, llmtest.Say("done")), agent, "approval-mode=auto-edit", "agents.max-turns=1000", "agents.max-tokens=1000000000")
		before := map[string]string{}
		for i := range files {
			path := filepath.Join(f.workspace, fmt.Sprintf("f%d.txt", i))
			before[path] = fmt.Sprintf("file %d\nEND\n", i)
			write(t, path, before[path])
		}
		if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
			t.Fatal(err)
		}
		all := ""
		for path := range before {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all += string(text)
		}
		seen := map[string]bool{}
		refused := 0
		for _, r := range f.server.Requests() {
			last := r.Last()
			if !isAgents(r) || last.Role != "tool" || !strings.Contains(last.ToolCallID, "-") || seen[last.ToolCallID] {
				continue
			}
			seen[last.ToolCallID] = true
			applied := !strings.HasPrefix(last.Content, "Error")
			if !applied {
				refused++
			}
			if is := strings.Count(all, "<"+last.ToolCallID+">"); is > 1 || applied != (is == 1) {
				t.Errorf("seed %d: edit %s is in the files %d times, its answer is %q", seed, last.ToolCallID, is, last.Content)
			}
		}
		if len(seen) != 2*pairs {
			t.Errorf("seed %d: %d edits were answered, want %d", seed, len(seen), 2*pairs)
		}
		go f.Run(t.Context())
		plan, err := f.Chat.Past.PlanFiles(t.Context(), snapshot.Undo)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Chat.Past.ApplyFilePlan(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
		for path, text := range before {
			if now, err := os.ReadFile(path); err != nil || string(now) != text {
				t.Errorf("seed %d: undo leaves %q, %v", seed, now, err)
			}
		}
		f.Close()
	}
}

// No agent file extends a permission. In read-only modes nothing is written and no prompt appears.
// In ask mode each write requires approval. The tool task is never offered.
func TestFilesOfAgentsWidenNothing(t *testing.T) {
	t.Parallel()
	const batch = 100
	modes := []string{"plan", "read-only", "ask", "auto-edit"}
	for round := range size(1, 50) {
		r := rand.New(rand.NewPCG(uint64(round), 3))
		pick := func(list ...string) string { return list[r.IntN(len(list))] }
		p, mode := newProcess(t), modes[round%len(modes)]
		folder := filepath.Join(p.Home, ".config/agent/agents")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		n := size(12, batch)
		for i := range n {
			text := fmt.Sprintf("---\nname: a%d\ndescription: d\n", i)
			for _, line := range []string{
				"permissionMode: " + pick("bypassPermissions", "acceptEdits", "dontAsk", "default", "plan", "full-auto", "yolo"),
				"sandbox_mode: " + pick("danger-full-access", "workspace-write", "read-only"),
				"tools: " + pick(`"*"`, "Task, Write, Bash", "Write(*), Bash(touch *), Agent(*)", "[write_file, run_shell_command, task]", "{write: true, bash: true, task: true}", "Read"),
				"disallowedTools: " + pick("Read", "Task", ""), "approval-mode: full-auto", "hooks: {PreToolUse: allow}", "isolation: none", "maxTurns: 9",
			} {
				if r.IntN(3) > 0 {
					text += line + "\n"
				}
			}
			write(t, filepath.Join(folder, fmt.Sprintf("a%d.md", i)), text+"---\nDo all.\n")
		}
		agent := func(r *llmtest.Request) llmtest.Turn {
			if slices.Contains(r.ToolNames(), "task") {
				t.Errorf("an agent is offered %q", r.ToolNames())
			}
			if r.Last().Role == "tool" {
				return llmtest.Say("tried")
			}
			return llmtest.Call("write_file", `{"file_path":"w.txt","content":"x"}`).Call("run_shell_command", `{"command":"touch t.txt"}`).Call("task", `{"task":"again"}`)
		}
		f, step, asked, own := (*agentConversation)(nil), 0, 0, -1 // own: the prompts for the same calls of the conversation itself
		lead := func(r *llmtest.Request) llmtest.Turn {
			if r.Last().Role != "tool" {
				return llmtest.Call("write_file", `{"file_path":"w.txt","content":"x"}`).Call("run_shell_command", `{"command":"touch t.txt"}`)
			}
			f.mu.Lock()
			if own < 0 {
				own = asked
			}
			f.mu.Unlock()
			var turn llmtest.Turn
			for range 10 {
				if step < n {
					turn = turn.Call("task", fmt.Sprintf(`{"task":"x","agent":"a%d"}`, step))
				}
				step++
			}
			if step >= n+10 {
				return llmtest.Say("done")
			}
			return turn
		}
		f = agentConversationIn(t, p, t.TempDir(), app.Options{}, lead, agent, "approval-mode="+mode, "agents.per-turn=1000")
		f.answer = func(chat.Approval) chat.Decision {
			f.mu.Lock()
			defer f.mu.Unlock()
			asked++
			return chat.Decision{Reason: "no"}
		}
		if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
			t.Fatal(err)
		}
		written, _ := os.ReadDir(f.workspace)
		if mode != "auto-edit" && len(written) > 0 {
			t.Errorf("%s: %v is written", mode, written)
		}
		if (own == 0) != (asked == own) {
			t.Errorf("%s: %d questions of agents, %d of the conversation", mode, asked-own, own)
		}
		lines := strings.Join(f.Subagents.AgentLines(), "\n") // a file may exclude all tools
		if ended := strings.Count(lines, "done") + strings.Count(lines, "failed"); ended < n {
			t.Errorf("%s: %d of %d ended:\n%s", mode, ended, n, lines)
		}
		f.Close()
	}
}

// The costs of all subagents count for max-cost. After it is reached no request is sent, so only
// requests in progress can exceed it.
func TestMaxCostOfAgents(t *testing.T) {
	t.Parallel()
	const agents, limit = 4, 0.10
	for seed := range size(3, 100) {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		price := 1 + r.IntN(20)
		var first llmtest.Turn
		for i := range agents {
			first = first.Call("task", fmt.Sprintf(`{"task":"task t%d"}`, i))
		}
		agent := func(r *llmtest.Request) llmtest.Turn {
			return llmtest.Call("list_directory", fmt.Sprintf(`{"path":".","ignore":["%d"]}`, len(r.Messages)))
		}
		f := newAgentConversation(t, app.Options{}, inTurn(first, llmtest.Say("done")), agent, fmt.Sprint("max-cost=", limit), fmt.Sprint("price.input=", price), "agents.max-turns=1000")
		outcome, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
		if err != nil || outcome.Stop != chat.StopMaxCost {
			t.Errorf("seed %d: %+v, %v", seed, outcome, err)
		}
		go f.Run(t.Context())
		stats, err := f.Chat.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		largest := stats.Agents.Cost / float64(max(1, stats.Agents.Requests)) * 2
		if spent := stats.Cost + stats.Agents.Cost; spent < limit || spent > limit+agents*largest {
			t.Errorf("seed %d: spent $%.4f, a request is at most $%.4f", seed, spent, largest)
		}
		f.Close()
	}
}

// folders matches the temporary folders of a test.
var folders = regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(os.TempDir(), "/")) + `/[^\s"\\` + "`" + `]*`)

// The second subagent of a kind begins with the same bytes as the first: its prompt and its tools.
// With agents off, a request differs from one with agents only in the missing tool.
func TestHeadsOfAgents(t *testing.T) {
	t.Parallel()
	bodies := map[string][]map[string]json.RawMessage{}
	for _, set := range []string{"on", "off"} {
		lead := inTurn(llmtest.Call("read_file", `{"file_path":"a.txt"}`), llmtest.Say("read"), llmtest.Call("task", `{"task":"task t1"}`), llmtest.Call("task", `{"task":"task t2"}`), llmtest.Say("done"))
		var heads []string
		f := newAgentConversation(t, app.Options{}, lead, func(r *llmtest.Request) llmtest.Turn {
			var body map[string]json.RawMessage
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Error(err)
			}
			heads = append(heads, r.Messages[0].Content+string(body["tools"]))
			return llmtest.Say("found")
		}, "agents="+set, "tools=all")
		write(t, filepath.Join(f.workspace, "a.txt"), "one\n")
		for _, text := range []string{"read it", "give tasks"} {
			if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage(text)); err != nil {
				t.Fatal(err)
			}
		}
		if set == "on" && (len(heads) != 2 || heads[0] != heads[1]) {
			t.Errorf("%d heads of agents, which differ", len(heads))
		}
		for _, r := range f.server.Requests()[:2] {
			for _, trace := range []string{`"name":"task"`, ", task", "explore", "agents"} {
				if set == "off" && bytes.Contains(r.Body, []byte(trace)) {
					t.Errorf("with agents off a request holds %q: %s", trace, r.Body)
				}
			}
			body := map[string]json.RawMessage{}
			if err := json.Unmarshal(folders.ReplaceAll(r.Body, []byte("/tmp/x")), &body); err != nil {
				t.Fatal(err)
			}
			var tools []json.RawMessage
			if err := json.Unmarshal(body["tools"], &tools); err != nil {
				t.Fatal(err)
			}
			tools = slices.DeleteFunc(tools, func(tool json.RawMessage) bool { return bytes.Contains(tool, []byte(`"name":"task"`)) })
			body["tools"] = bytes.Join(func() (all [][]byte) {
				for _, tool := range tools {
					all = append(all, tool)
				}
				return all
			}(), []byte(","))
			delete(body, "prompt_cache_key")
			body["messages"] = bytes.ReplaceAll(body["messages"], []byte(`, task\n`), []byte(`\n`)) // the names of the tools
			bodies[set] = append(bodies[set], body)
		}
	}
	for i := range bodies["on"] {
		for name, value := range bodies["on"][i] {
			if off := bodies["off"][i][name]; !bytes.Equal(value, off) {
				t.Errorf("request %d: %s is %s, off %s", i, name, value, off)
			}
		}
	}
}
