package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/testing/llmtest"
)

// askingAgents is the number of subagents in these tests that ask at the same time.
const askingAgents = 4

// number returns the value of an environment variable, or a default if it is not set.
func number(t *testing.T, variable string, standard int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(standard)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// questionsEach returns the number of questions of each subagent. AGENT_QUESTIONS changes it.
func questionsEach(t *testing.T) int {
	t.Helper()
	return number(t, "AGENT_QUESTIONS", 25)
}

// unbounded sets a token limit that the questions of these tests never reach.
const unbounded = "agents.max-tokens=100000000"

// newAskers returns a model that starts subagents. Each subagent asks to write several files in
// each reply. After they end, the model sums up their reports and calls.
func newAskers(t *testing.T, each int) *llmtest.Server {
	t.Helper()
	var mu sync.Mutex
	written := map[string]int{}
	return llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		if !strings.Contains(r.Messages[0].Content, "# Your task") {
			if r.Last().Role == "tool" {
				return llmtest.Say("all ended")
			}
			var turn llmtest.Turn
			for i := range askingAgents {
				turn = turn.Call("task", fmt.Sprintf(`{"task":"task t%d","agent":"general"}`, i))
			}
			return turn
		}
		name := ""
		for _, m := range r.Messages {
			if task, is := strings.CutPrefix(m.Content, "task "); is && m.Role == "user" {
				name = task
			}
		}
		mu.Lock()
		defer mu.Unlock()
		var turn llmtest.Turn
		done := written[name]
		if done >= each {
			return llmtest.Say("written")
		}
		written[name] = min(each, done+10)
		for i := done; i < written[name]; i++ {
			turn = turn.Call("write_file", fmt.Sprintf(`{"file_path":"%s-%d.txt","content":"x"}`, name, i))
		}
		return turn
	})
}

// promptAnswers collects approval prompts. It allows half of them, chosen at random.
type promptAnswers struct {
	t      *testing.T
	random *rand.Rand
	// allowed has the answer for each file in an approval prompt.
	allowed map[string]bool
	// left counts the unanswered prompts of each subagent.
	left map[string]int
}

// take records the approval prompt for a file and returns the answer.
func (a *promptAnswers) take(title string) bool {
	a.t.Helper()
	path := title[strings.LastIndex(title, " ")+1:]
	if _, again := a.allowed[path]; again || !strings.Contains(title, "agent general: ") {
		a.t.Errorf("asked again %v: %s", again, title)
	}
	a.allowed[path] = a.random.IntN(2) == 0
	name, _, _ := strings.Cut(path, "-")
	if a.left[name]--; a.left[name] == 0 {
		delete(a.left, name)
	}
	return a.allowed[path]
}

// check checks that each file had one approval prompt, and that only the allowed files exist.
func (a *promptAnswers) check(folder string, each int) {
	a.t.Helper()
	if len(a.allowed) != askingAgents*each {
		a.t.Errorf("%d questions, want %d", len(a.allowed), askingAgents*each)
	}
	for path, allowed := range a.allowed {
		if _, err := os.Stat(filepath.Join(folder, path)); (err == nil) != allowed {
			a.t.Errorf("%s is allowed: %v, but %v", path, allowed, err)
		}
	}
}

func newPromptAnswers(t *testing.T, each int) *promptAnswers {
	t.Helper()
	left := map[string]int{}
	for i := range askingAgents {
		left[fmt.Sprint("t", i)] = each
	}
	return &promptAnswers{t: t, random: rand.New(rand.NewPCG(1, 34)), allowed: map[string]bool{}, left: left}
}

// Four subagents ask an editor at the same time. It answers late and in any order. Each prompt
// appears once and gets one answer, and only the allowed calls run.
func TestEditorAnswersAgents(t *testing.T) {
	t.Parallel()
	each := questionsEach(t)
	e := startEditorOf(t, t.TempDir(), newAskers(t, each), unbounded)
	folder := t.TempDir()
	session := e.start(folder)
	prompt := e.prompt(session, "go")
	answers := newPromptAnswers(t, each)
	var waiting []agentMessage
	for ended := false; !ended; {
		m := e.next()
		switch {
		case m.Method == "session/request_permission":
			waiting = append(waiting, m)
		case m.Method == "" && string(m.ID) == fmt.Sprint(prompt):
			ended = true
			if !strings.Contains(string(m.Result), "end_turn") {
				t.Errorf("the turn ended with %s", m.Result)
			}
		}
		for len(waiting) > 0 && len(waiting) == len(answers.left) { // each subagent waits
			i := answers.random.IntN(len(waiting))
			var params struct {
				ToolCall struct{ Title string } `json:"toolCall"`
			}
			if err := json.Unmarshal(waiting[i].Params, &params); err != nil {
				t.Fatal(err)
			}
			option := `{"outcome":"selected","optionId":"allow"}`
			if !answers.take(params.ToolCall.Title) {
				option = `{"outcome":"selected","optionId":"refuse"}`
			}
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":%s}}`, waiting[i].ID, option))
			waiting = slices.Delete(waiting, i, i+1)
		}
	}
	answers.check(folder, each)
}

// If an editor cancels a turn while four subagents wait for approval, all of them end. Each prompt
// is withdrawn, and a late answer has no effect.
func TestEditorCancelsAgents(t *testing.T) {
	t.Parallel()
	e := startEditorOf(t, t.TempDir(), newAskers(t, 5))
	folder := t.TempDir()
	session := e.start(folder)
	prompt := e.prompt(session, "go")
	var waiting []agentMessage
	for len(waiting) < askingAgents {
		if m := e.next(); m.Method == "session/request_permission" {
			waiting = append(waiting, m)
		}
	}
	e.cancel(session)
	withdrawn := 0
	for ended := false; !ended || withdrawn < askingAgents; {
		m := e.next()
		switch {
		case m.Method == "$/cancel_request":
			withdrawn++
		case m.Method == "session/request_permission":
			t.Errorf("a question after the cancel: %s", m.Params)
		case m.Method == "" && string(m.ID) == fmt.Sprint(prompt):
			ended = true
			if string(m.Result) != `{"stopReason":"cancelled"}` {
				t.Errorf("%s %+v", m.Result, m.Error)
			}
		}
	}
	for _, m := range waiting {
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, allowOnce("")))
	}
	e.response(e.request("session/list", map[string]any{}), nil) // this response follows the answers, so the agent has read them
	if left, _ := filepath.Glob(filepath.Join(folder, "t*.txt")); len(left) > 0 {
		t.Errorf("written after the cancel: %q", left)
	}
}

// Prompts of four subagents arrive as lines of a run at the same time. The answers come late and in
// any order.
func TestLinesAnswerAgents(t *testing.T) {
	t.Parallel()
	each := questionsEach(t)
	run := startLines(t, newAskers(t, each), "--set", unbounded)
	answers := newPromptAnswers(t, each)
	waiting := map[string]string{}
	run.send(`{"type":"user","text":"go"}`)
	for line := range run.lines {
		var m struct {
			Type, Title string
			AgentID     string `json:"agent_id"`
			ID          json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch m.Type {
		case "approval":
			if _, again := waiting[string(m.ID)]; again || !strings.HasPrefix(m.AgentID, "s-") {
				t.Errorf("%s", line)
			}
			waiting[string(m.ID)] = m.Title
		case "turn":
			run.end()
		}
		for len(waiting) > 0 && len(waiting) == len(answers.left) { // each subagent waits
			ids := slices.Sorted(maps.Keys(waiting))
			id := ids[answers.random.IntN(len(ids))]
			run.send(fmt.Sprintf(`{"type":"answer","id":%s,"allow":%v,"reason":"no"}`, id, answers.take(waiting[id])))
			delete(waiting, id)
		}
	}
	if status := <-run.status; status != exitOK {
		t.Errorf("ended with %d", status)
	}
	answers.check(run.folder, each)
}

// jsonRun is a run in this process that reads and writes lines of JSON.
type jsonRun struct {
	t      *testing.T
	folder string
	in     *os.File
	lines  chan string
	status chan int
}

func startLines(t *testing.T, server *llmtest.Server, args ...string) *jsonRun {
	t.Helper()
	home, folder := t.TempDir(), t.TempDir()
	stdin, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out := io.Pipe()
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	run := &jsonRun{t: t, folder: folder, in: to, lines: make(chan string), status: make(chan int, 1)}
	w := world{
		process: &app.Process{
			Environ: []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=" + secret, "HOME=" + home, "PATH=" + os.Getenv("PATH")},
			Home:    home, Dir: folder, Version: "test", Now: time.Now,
		},
		stdin: stdin, stdout: nothing, stderr: nothing, out: out, people: io.Discard,
	}
	w.process.Say = func(string) {}
	ctx, cancel := context.WithTimeout(context.Background(), 4*stalled)
	go func() {
		defer cancel()
		status := execute(ctx, append([]string{"-p", "--model", "m", "--set", "sandbox=off", "--input-format", "stream-json", "--output-format", "stream-json"}, args...), w)
		_ = w.process.Close()
		out.Close()
		run.status <- status
	}()
	go func() {
		defer close(run.lines)
		scanner := bufio.NewScanner(from)
		scanner.Buffer(nil, 32<<20)
		for scanner.Scan() {
			run.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() { run.end(); stdin.Close(); nothing.Close() })
	return run
}

func (l *jsonRun) send(line string) {
	l.t.Helper()
	if _, err := io.WriteString(l.in, line+"\n"); err != nil {
		l.t.Error(err)
	}
}

func (l *jsonRun) end() { _ = l.in.Close() }
