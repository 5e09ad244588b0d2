//go:build chaos

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/testing/llmtest"
)

// TestChaosAgents kills only the main process while one to four subagents work, in the foreground
// and in the background. It resumes the session until all work is done. Every call has one answer
// and every report arrives once. Files of interrupted subagents are named and complete. Each
// request begins with the previous one, and no process remains.
func TestChaosAgents(t *testing.T) {
	seed, until, wanted := chaosSeed(t), shareOf(t), number(t, "CHAOS_AGENTS", 8)
	var mu sync.Mutex
	sessions, kills, interrupted, reports := 0, 0, 0, 0
	t.Cleanup(func() {
		t.Logf("%d sessions, %d kills, %d agents interrupted, %d reports", sessions, kills, interrupted, reports)
		if sessions >= 8 && interrupted == 0 {
			t.Error("no agent was interrupted")
		}
	})
	for worker := range 2 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			for n := worker; n < wanted && time.Now().Before(until); n += 2 {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					k := newKilledAgents(t, seed+uint64(n))
					k.play()
					mu.Lock()
					defer mu.Unlock()
					sessions, kills, interrupted, reports = sessions+1, kills+k.kills, interrupted+len(interruptedAgent.FindAllString(k.last(), -1)), reports+len(k.tasks)
				})
			}
		})
	}
}

// killedAgents is a session with subagents that is killed. Its models depend only on the seed and
// on the request.
type killedAgents struct {
	*house
	what  string
	seed  uint64
	tasks []string
	kills int

	// reached is signaled when the request arrives at which the test kills the program. The mutex
	// of house guards the fields below.
	reached       chan struct{}
	left          int
	conversations map[string][]*llmtest.Request
}

func newKilledAgents(t *testing.T, seed uint64) *killedAgents {
	t.Helper()
	k := &killedAgents{what: fmt.Sprintf("CHAOS_SEED=%d, session", seed), seed: seed, conversations: map[string][]*llmtest.Request{}}
	for i := range 1 + k.draw("agents").IntN(4) {
		k.tasks = append(k.tasks, fmt.Sprint("t", i))
	}
	k.house = newHouse(t, seed, func(_ *rand.Rand, r *llmtest.Request) llmtest.Turn { return k.turn(r) })
	return k
}

// draw returns a random source that is the same for each use of a subject.
func (k *killedAgents) draw(subject string) *rand.Rand {
	sum := fnv.New64a()
	sum.Write([]byte(subject))
	return rand.New(rand.NewPCG(k.seed, sum.Sum64()))
}

// turn counts a request and returns the turn of the model.
func (k *killedAgents) turn(r *llmtest.Request) llmtest.Turn {
	if k.left--; k.left == 0 {
		close(k.reached)
	}
	task := ""
	for _, m := range r.Messages {
		if name, is := strings.CutPrefix(m.Content, "task "); is && m.Role == "user" && task == "" {
			task = name
		}
	}
	k.conversations[task] = append(k.conversations[task], r)
	if task == "" {
		return k.lead(r)
	}
	return k.step(r, task)
}

// step returns the next turn of a subagent: writes, commands and jobs, and finally its report.
func (k *killedAgents) step(r *llmtest.Request, task string) llmtest.Turn {
	steps := 0
	for _, m := range r.Messages {
		if m.Role == "tool" {
			steps++
		}
	}
	if steps >= 2+k.draw(task).IntN(5) {
		return llmtest.Say("REPORT-OF-" + task + ".")
	}
	name := fmt.Sprintf("%s-%d.txt", task, steps)
	write := func(turn llmtest.Turn, name string) llmtest.Turn {
		return turn.Call("write_file", args(map[string]any{"file_path": name, "content": whole(steps)}))
	}
	command := func(line string, background bool) llmtest.Turn {
		return llmtest.Say("I run it. ").Call("run_shell_command", args(map[string]any{"command": line, "background": background}))
	}
	switch k.draw(name).IntN(6) {
	case 0:
		return write(llmtest.Turn{}, "f"+name)
	case 1:
		return write(write(llmtest.Say("Two files. "), "f"+name), "f2"+name)
	case 2:
		return command("seq 2000 >g"+name+"; sleep 0.05", false)
	case 3:
		return command("(sleep 300 &) ; sleep 300", true)
	case 4:
		return command("sleep 300 & sleep 0.1; echo done", false)
	default:
		return llmtest.Call("list_directory", `{"path":"."}`)
	}
}

func args(v any) string { data, _ := json.Marshal(v); return string(data) }

// interruptedAgent matches the answer of a subagent that a kill interrupted. unanswered matches the
// answer of a call whose subagent had not started. unbegun matches the message that replaces it for
// a subagent in the background.
var (
	interruptedAgent = regexp.MustCompile(`agent general, (s-[a-z0-9]{5}): interrupted when agent ended`)
	unanswered       = regexp.MustCompile(`agent ended before this call had a result|interrupted before it started`)
	unbegun          = regexp.MustCompile(`ended: (task t\d)\n+\x60{3,}\nagent general, s-[a-z0-9]{5}: interrupted before it started`)
)

// lead starts subagents for the tasks that have none and resumes interrupted subagents. If there is
// nothing to do, it ends the turn.
func (k *killedAgents) lead(r *llmtest.Request) llmtest.Turn {
	given := map[string]string{} // task and ID of each subagent, by call
	pending := map[string]int{}
	for _, m := range r.Messages {
		for _, call := range m.ToolCalls {
			var task struct{ Task, Continue string }
			_ = json.Unmarshal([]byte(call.Arguments), &task)
			given[call.ID] = cmp.Or(task.Continue, task.Task)
			pending[given[call.ID]]--
		}
		if m.Role == "tool" && unanswered.MatchString(m.Content) {
			pending[given[m.ToolCallID]]++
		}
		for _, task := range unbegun.FindAllStringSubmatch(m.Content, -1) {
			pending[task[1]]++
		}
		if m.Role != "assistant" {
			for _, id := range interruptedAgent.FindAllStringSubmatch(m.Content, -1) {
				pending[id[1]]++
			}
		}
	}
	var turn llmtest.Turn
	called := false
	call := func(more map[string]any) {
		more["agent"], more["background"] = "general", k.draw(fmt.Sprint(more)).IntN(3) == 0
		turn, called = turn.Call("task", args(more)), true
	}
	for _, task := range k.tasks {
		if pending["task "+task] == 0 {
			call(map[string]any{"task": "task " + task})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(pending)) {
		if strings.HasPrefix(id, "s-") && pending[id] > 0 {
			call(map[string]any{"task": "go on", "continue": id})
		}
	}
	if !called {
		return llmtest.Say("noted")
	}
	return turn
}

// play runs the session, kills it up to three times, and checks it after each kill.
func (k *killedAgents) play() {
	r := k.draw("kills")
	args := []string{"-p", "begin"}
	for range 1 + r.IntN(3) {
		ended := k.kill(args, 1+r.IntN(5*len(k.tasks)), time.Duration(r.IntN(60))*time.Millisecond)
		k.check(k.what)
		if len(k.logs()) > 0 {
			args = []string{"-p", "go on", "-c"}
		}
		if ended {
			break
		}
		k.kills++
	}
	out, err := k.run(args).CombinedOutput()
	if err != nil {
		k.t.Errorf("%s: %v\n%s", k.what, err, out)
	}
	k.checkShown(k.what, out)
	k.check(k.what)
	k.checkPrefixes()
	k.checkReports()
}

// run returns a command that runs the program, with or without the sandbox.
func (k *killedAgents) run(args []string) *exec.Cmd {
	args = append([]string{"--output-format", "stream-json"}, args...)
	if k.draw("sandbox").IntN(2) == 0 {
		args = append(args, "--set", "sandbox=off")
	}
	return k.agent(args...)
}

// kill runs the program and kills it some time after a request. It reports whether the program had
// already ended.
func (k *killedAgents) kill(args []string, request int, after time.Duration) (ended bool) {
	k.t.Helper()
	out, err := os.Create(filepath.Join(k.home, "out"))
	if err != nil {
		k.t.Fatal(err)
	}
	defer out.Close()
	k.mu.Lock()
	k.left, k.reached = request, make(chan struct{})
	k.mu.Unlock()
	cmd := k.run(args)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-k.reached:
	case <-time.After(stalled):
		k.t.Errorf("%s: it does not come to request %d", k.what, request)
	}
	time.Sleep(after) // a random time after the request
	ended = cmd.Process.Kill() != nil
	<-done
	shown, _ := os.ReadFile(out.Name())
	k.checkShown(k.what, shown)
	return ended
}

// last returns the text of the last request of the main conversation, without its reply.
func (k *killedAgents) last() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var text strings.Builder
	requests := k.conversations[""]
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == "tool" || m.Role == "user" {
			text.WriteString(m.Content + "\n")
		}
	}
	return text.String()
}

// checkPrefixes reports an error unless each request of a conversation begins with the one before
// it.
func (k *killedAgents) checkPrefixes() {
	k.t.Helper()
	for task, requests := range k.conversations {
		for i := 1; i < len(requests); i++ {
			before := bytes.TrimSuffix(requests[i-1].Body, []byte("]}"))
			if !bytes.HasPrefix(requests[i].Body, before) {
				k.t.Errorf("%s: request %d of %q does not begin with the one before:\n%s\n%s", k.what, i, task, before, requests[i].Body)
			}
		}
	}
}

// checkReports reports an error unless each report arrives once and the answers of a subagent name
// the files it wrote.
func (k *killedAgents) checkReports() {
	k.t.Helper()
	last := k.last()
	for _, task := range k.tasks {
		if n := strings.Count(last, "REPORT-OF-"+task+"."); n != 1 {
			k.t.Errorf("%s: the report of %s comes %d times: %s", k.what, task, n, last)
		}
		files, _ := filepath.Glob(filepath.Join(k.work, "*"+task+"-*.txt"))
		for _, file := range files {
			name := filepath.Base(file)
			if !slices.ContainsFunc(strings.Split(last, "\n"), func(line string) bool {
				return (strings.HasPrefix(line, "changed: ") || strings.HasPrefix(line, "Unknown changes of ")) && strings.Contains(line, name)
			}) {
				k.t.Errorf("%s: no report names %s: %s", k.what, name, last)
			}
		}
	}
}
