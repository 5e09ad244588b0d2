//go:build bench

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/testing/cputime"
)

// TestNumbersAgents measures subagents that work at the same time. Each of them reads a different
// file with each request except the last.
const (
	busyAgents      = 4
	requestsOfAgent = 40
	linesOfFile     = 600
)

// TestNumbersAgents measures the processor time of a subagent. It subtracts the time of a run whose
// subagents end at once from a run whose subagents read many files. The fastest run counts. It is
// scaled by the time of a fixed computation, so that a slow or busy machine does not fail the test.
func TestNumbersAgents(t *testing.T) {
	const target, tolerance, runs = 0.15, 1.25, 7
	work := t.TempDir()
	writeSources(t, work)
	program, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	var idle, busy, fixed []float64
	for range runs {
		fixed = append(fixed, fixedWork(t))
		idle = append(idle, processorTime(t, program, work, 1))
		busy = append(busy, processorTime(t, program, work, requestsOfAgent))
	}
	each := (slices.Min(busy) - slices.Min(idle)) / busyAgents
	scaled := each * fixedWorkTakes / slices.Min(fixed)
	fmt.Printf("an agent of %d requests: %.3f s of a processor, scaled %.3f (target %g, fixed work %.3f s)\n", requestsOfAgent, each, scaled, target, slices.Min(fixed))
	if scaled > target*tolerance {
		t.Errorf("an agent costs %.3f s, more than %g", scaled, target*tolerance)
	}
}

// fixedWorkTakes is the time of fixedWork in seconds on the reference machine of the target.
const fixedWorkTakes = 0.25

// fixedWork does the same computation each time, and returns its processor time in seconds.
func fixedWork(t *testing.T) float64 {
	document, err := json.Marshal(strings.Split(sourceCode(rand.New(rand.NewPCG(1, 1)), 10*linesOfFile), "\n"))
	if err != nil {
		t.Fatal(err)
	}
	before := cputime.Used(t)
	for range 60 {
		var lines []string
		if err := json.Unmarshal(document, &lines); err != nil {
			t.Fatal(err)
		}
		slices.Sort(lines)
	}
	return (cputime.Used(t) - before).Seconds()
}

// processorTime runs the program with subagents that make the given number of requests, and returns
// its processor time in seconds.
func processorTime(t *testing.T, program, work string, requests int) float64 {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(program, "-p", "go", "--approval-mode", "read-only", "-m", "test-model", "--max-turns", "1000",
		"--set", "agents.max-turns=100", "--set", unbounded, "--set", "sandbox=off")
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + serveReaders(t, requests)}
	out, err := cmd.CombinedOutput()
	if ended := strings.Count(string(out), fmt.Sprintf(": done, %d request", requests)); err != nil || ended != busyAgents {
		t.Fatalf("%d agents ended, %v\n%s", ended, err, out)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

var taskOfAgent = regexp.MustCompile(`"content":"task (t\d)"`)

// serveReaders serves a model that starts the subagents. Each of them reads files until it has made
// the given number of requests. The server parses as little of a request as possible.
func serveReaders(t *testing.T, requests int) string {
	t.Helper()
	call := func(id int, name, arguments string) string {
		return fmt.Sprintf(`{"index":%d,"id":"call_%d","type":"function","function":{"name":%q,"arguments":%q}}`, id, id, name, arguments)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"test-model","object":"model"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answers := bytes.Count(body, []byte(`"role":"tool"`))
		var calls []string
		switch task := taskOfAgent.FindSubmatch(body); {
		case task != nil && answers+1 < requests:
			calls = append(calls, call(0, "read_file", fmt.Sprintf(`{"file_path":"%s/f%d.go"}`, task[1], answers)))
		case task == nil && answers == 0:
			for i := range busyAgents {
				calls = append(calls, call(i, "task", fmt.Sprintf(`{"task":"task t%d"}`, i)))
			}
		}
		delta, finish := `{"content":"found"}`, "stop"
		if calls != nil {
			delta, finish = `{"tool_calls":[`+strings.Join(calls, ",")+`]}`, "tool_calls"
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", finish)
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":20}}\n\ndata: [DONE]\n\n", len(body)/4)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// writeSources writes the files that the subagents read. No two files are alike.
func writeSources(t *testing.T, folder string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 34))
	for agent := range busyAgents {
		files := filepath.Join(folder, fmt.Sprintf("t%d", agent))
		if err := os.Mkdir(files, 0o700); err != nil {
			t.Fatal(err)
		}
		for i := range requestsOfAgent {
			if err := os.WriteFile(filepath.Join(files, fmt.Sprintf("f%d.go", i)), []byte(sourceCode(random, linesOfFile)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sourceCode returns lines that look like code: indented, about 33 bytes long, with names that are
// not single tokens.
func sourceCode(random *rand.Rand, lines int) string {
	var b strings.Builder
	for range lines {
		b.WriteString(strings.Repeat("\t", random.IntN(4)))
		for range random.IntN(8) {
			b.WriteString(vocabulary[random.IntN(len(vocabulary))] + " ")
		}
		fmt.Fprintf(&b, "value%dOf(%q)\n", random.IntN(1000), vocabulary[random.IntN(len(vocabulary))])
	}
	return b.String()
}
