package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/server/temporaltest"
)

const (
	tasks = 40
	// killAt is the request of the model at which a worker is killed.
	killAt = 45
)

// A worker is killed in the middle of 40 tasks. Its agents end with it, the other worker goes
// on where they were, and every task ends once, with its patch.
func TestFleet(t *testing.T) {
	dir := t.TempDir()
	program, agent := filepath.Join(dir, "fleet"), filepath.Join(dir, "agent")
	sh(t, ".", "go build -o "+program+" .")
	sh(t, "../..", "CGO_ENABLED=0 go build -o "+agent+" ./cmd/agent")
	repository := filepath.Join(dir, "repository")
	sh(t, dir, "git init -q -b main repository && cd repository && echo one > a && git add a && git -c user.name=t -c user.email=t@example.org commit -qm one")
	model := newModel(t)
	temporal := temporaltest.NewServer(temporaltest.WithT(t))
	fleet := func(marker string, args ...string) *exec.Cmd {
		cmd := exec.Command(program, append([]string{"-server", temporal.GetFrontendHostPort(), "-namespace", temporal.GetDefaultNamespace()}, args...)...)
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "OPENAI_BASE_URL=" + model.server.URL + "/v1", "OPENAI_API_KEY=none-needed", marker}
		cmd.Stderr = os.Stderr
		return cmd
	}
	var workers []*exec.Cmd
	for i := range 2 {
		worker := fleet(fmt.Sprintf("FLEET_WORKER=%s-%d", dir, i), "worker", "-agent", agent, "-at-once", "4", "--", "-m", "m", "--approval-mode", "full-auto", "--set", "price.input=1", "--set", "price.output=1")
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = worker.Process.Kill(); _ = worker.Wait() })
		workers = append(workers, worker)
	}

	list := filepath.Join(dir, "tasks.json")
	given := make([]Task, tasks)
	for i := range given {
		given[i] = Task{ID: fmt.Sprintf("task-%02d", i), Repository: repository, Prompt: fmt.Sprintf("Do task-%02d.", i), MaxUSD: 1, MaxTurns: 20, Review: i < 2}
		if i%2 == 0 {
			given[i].Schema = json.RawMessage(`{"type":"object","properties":{"file":{"type":"string"}},"required":["file"]}`)
		}
	}
	data, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, data, 0o600); err != nil {
		t.Fatal(err)
	}
	giver := fleet("FLEET_WORKER=", "run", "-max-usd", "1000", "-at-once", "8", list)
	out, err := giver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := giver.Start(); err != nil {
		t.Fatal(err)
	}

	<-model.reached
	if err := workers[0].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = workers[0].Wait()
	marker := []byte(fmt.Sprintf("FLEET_WORKER=%s-0\x00", dir))
	for began := time.Now(); len(having(marker)) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			t.Fatalf("of the killed worker are left: %q", having(marker))
		}
	}
	for task, verdict := range map[string]string{"task-00": "yes", "task-01": "no"} {
		if err := fleet("FLEET_WORKER=", verdict, task).Run(); err != nil {
			t.Fatalf("%s %s: %v", verdict, task, err)
		}
	}

	ended, lost := 0, 0
	for lines := bufio.NewScanner(out); lines.Scan(); ended++ {
		var r Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		n := strings.TrimPrefix(given[ended].ID, "task-")
		outcome := Done
		if n == "01" {
			outcome = Refused
		}
		if r.Task != given[ended].ID || r.Outcome != outcome || r.USD <= 0 {
			t.Errorf("%+v", r)
		}
		if !strings.HasSuffix(r.Patch, "+++ b/out-"+n+".txt\n@@ -0,0 +1,2 @@\n+task "+n+"\n+checked\n") || strings.Count(r.Patch, "diff --git") != 1 {
			t.Errorf("%s: the patch is %s", r.Task, r.Patch)
		}
		if answer := `{"file":"out-` + n + `.txt"}`; given[ended].Schema != nil && string(r.Answer) != answer {
			t.Errorf("%s: the answer is %s", r.Task, r.Answer)
		}
		lost += r.Lost
	}
	if err := giver.Wait(); err != nil {
		t.Error(err)
	}
	if ended != tasks || lost == 0 {
		t.Errorf("%d tasks ended, %d attempts were lost", ended, lost)
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	for _, wrong := range model.wrong {
		t.Error(wrong)
	}
	t.Logf("%d tasks, %d attempts lost, %d requests", ended, lost, model.requests)
}

// having returns the command lines of the processes with a variable.
func having(variable []byte) (found []string) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, variable) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}

func sh(t *testing.T, dir, line string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// model is a scripted one: it writes a file, checks it by a command until that is done, and
// says so.
type model struct {
	server *httptest.Server
	// reached is closed with the request killAt.
	reached chan struct{}

	mu       sync.Mutex
	requests int
	wrong    []string
}

var taskOf = regexp.MustCompile(`Do task-(\d\d)\.`)

func newModel(t *testing.T) *model {
	m := &model{reached: make(chan struct{})}
	m.server = httptest.NewServer(m)
	t.Cleanup(m.server.Close)
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
		return
	}
	var request struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return // the agent was killed
	}
	n, prompts, answers, last := "", 0, 0, ""
	for _, message := range request.Messages {
		text := string(message.Content)
		if found := taskOf.FindStringSubmatch(text); message.Role == "user" && found != nil {
			n = found[1]
			prompts++
		}
		if message.Role == "tool" {
			answers++
			last = text
		}
	}
	m.mu.Lock()
	m.requests++
	if m.requests == killAt {
		close(m.reached)
	}
	if prompts != 1 {
		m.wrong = append(m.wrong, fmt.Sprintf("task %s: its prompt is in a request %d times", n, prompts))
	}
	m.mu.Unlock()
	time.Sleep(150 * time.Millisecond) // a model thinks
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta any, finish any) {
		line, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		fmt.Fprintf(w, "data: %s\n\n", line)
	}
	call := func(name string, arguments any) {
		encoded, _ := json.Marshal(arguments)
		chunk(map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": fmt.Sprintf("c%d", answers), "type": "function", "function": map[string]any{"name": name, "arguments": string(encoded)}}}}, nil)
		chunk(map[string]any{}, "tool_calls")
	}
	switch {
	case strings.Contains(last, "checked-"+n):
		chunk(map[string]any{"content": `{"file":"out-` + n + `.txt"}`}, nil)
		chunk(map[string]any{}, "stop")
	case answers > 0:
		call("run_shell_command", map[string]string{"command": fmt.Sprintf("sleep 0.2; printf 'task %s\\nchecked\\n' > out-%s.txt && echo checked-%s", n, n, n)})
	default:
		call("write_file", map[string]string{"file_path": "out-" + n + ".txt", "content": "task " + n + "\n"})
	}
	fmt.Fprint(w, `data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":20,"total_tokens":1020}}`, "\n\ndata: [DONE]\n\n")
}
