//go:build bench

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/tokens"
)

// TestBigSession lists and resumes sessions of 100 MB in the built program, directly after each was
// written. It prints a table: the time until the model gets the request, the processor time, and
// the peak resident memory. The limits are the values of an idle machine, with a margin for a
// shared machine.
func TestBigSession(t *testing.T) {
	const (
		mostList   = 400 * time.Millisecond
		mostTime   = 4 * time.Second // of processor time: 2 s on two cores
		mostMemory = 128 << 20
	)
	for _, kind := range []struct {
		name     string
		result   int // bytes in a tool result
		strategy string
	}{
		{"usual", 6_000, "high-density"},
		{"usual, by price", 6_000, "cache-aware"},
		{"few huge", 2 << 20, "high-density"},
		{"many small", 100, "high-density"},
	} {
		t.Run(kind.name, func(t *testing.T) {
			home, workspace := t.TempDir(), t.TempDir()
			recordBigSession(t, filepath.Join(home, "data", "agent", "sessions"), workspace, kind.result)
			listed := runAgent(t, home, workspace, "sessions", "list")
			resumed := runAgent(t, home, workspace, "-c", "-p", "go", "--model", "test-model", "--set", "compression.strategy="+kind.strategy)
			fmt.Printf("%-16s list %5.2f s; resume %5.2f s, %5.2f s CPU, %4d MB\n", kind.name, listed.cpu.Seconds(), resumed.took.Seconds(), resumed.cpu.Seconds(), resumed.memory>>20)
			if listed.cpu > mostList || resumed.cpu > mostTime || resumed.memory > mostMemory {
				t.Errorf("at most %v, %v and %d MB are allowed", mostList, mostTime, mostMemory>>20)
			}
		})
	}
}

// runAgent runs the program with a model that answers at once.
func runAgent(t *testing.T, home, workspace string, args ...string) use {
	t.Helper()
	agent, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	var used use
	var pid atomic.Int64
	began := time.Now()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method != http.MethodPost {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"test-model","object":"model"}]}`)
			return
		}
		used.took = time.Since(began)
		used.memory = mostResident(t, int(pid.Load()))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"done"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	cmd := exec.Command(agent, args...)
	cmd.Dir = workspace
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "XDG_DATA_HOME=" + filepath.Join(home, "data"), "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + server.URL + "/v1"}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid.Store(int64(cmd.Process.Pid))
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	used.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return used
}

// recordBigSession records 100 MB of questions and tool results. The context contains at most half
// a megabyte of it. It writes all lines at once, because a sync for each line would take an hour.
func recordBigSession(t *testing.T, sessions, workspace string, result int) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	counter := tokens.NewCounter(tokens.O200K)
	log, err := session.Create(session.Options{Dir: sessions, Workspace: workspace, Now: time.Now, Random: strings.NewReader("abc"), PID: 1})
	must(err)
	must(log.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.HumanText("please look at it")}))
	must(log.Close())
	file, err := os.OpenFile(log.Path(), os.O_WRONLY|os.O_APPEND, 0o600)
	must(err)
	out := bufio.NewWriterSize(file, 1<<20)
	written, messages, seq := 0, 1, 10
	record := func(kind, beside string, payload []byte) {
		n, err := fmt.Fprintf(out, `{"v":1,"seq":%d,"ts":"2026-11-22T07:00:00Z","type":"%s"%s,"payload":%s}`+"\n", seq, kind, beside, payload)
		must(err)
		seq++
		written += n
	}
	add := func(entry *history.Content, counts string) {
		payload, err := entry.MarshalJSON()
		must(err)
		record("entry", fmt.Sprintf(`,"n":[%d,%d],"tokens":{"o200k_base":[%s]}`, seq, messages, counts), payload)
	}
	answer := longText(result)
	size := fmt.Sprint(counter.Count(answer) + 6)
	for i, context := 0, 0; written < 100<<20; i++ {
		id := fmt.Sprint("call_", i)
		add(history.HumanText("please look at it again"), "5")
		messages++
		add(history.New(history.AI, &history.Text{Text: "I look."}, &history.ToolCall{ID: id, Name: "read_file", Parameters: fmt.Appendf(nil, `{"file_path":"file%d.go"}`, i%40)}), "3,20")
		add(history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: "read_file", Result: history.TextResult(answer)}), size)
		if context += len(answer) + 100; context >= 500_000 {
			context = 0
			record("compression", "", []byte(`{"cause":"high-density","history":[{"entry":{"speaker":"human","blocks":[{"type":"text","text":"what was done so far"}],"metadata":{"summary":true}}}]}`))
		}
	}
	must(out.Flush())
	must(file.Close())
}

// longText returns text of the given length in bytes that looks like a tool result.
func longText(bytes int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, "%s ", vocabulary[random.IntN(len(vocabulary))])
		if i%12 == 11 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
