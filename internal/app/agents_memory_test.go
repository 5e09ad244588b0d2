package app_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/testing/llmtest"
)

// After 40 requests, in which each has read a file, four subagents add at most 6 MB each to the
// heap. After they end, almost none of it remains. The test is not parallel because it measures the
// heap of the process.
func TestMemoryOfAgents(t *testing.T) { //nolint:paralleltest // see above
	const agents, requests, lines, most, left = 4, 40, 200, 6e6, 0.5e6
	var first llmtest.Turn
	for i := range agents {
		first = first.Call("task", fmt.Sprintf(`{"task":"task t%d"}`, i))
	}
	goOn := make(chan struct{})
	var arrived sync.WaitGroup
	arrived.Add(agents)
	var work steps
	agent := func(r *llmtest.Request) llmtest.Turn {
		n := work.next(r)
		*r = llmtest.Request{} // the server stores the request
		if n == requests-1 {
			arrived.Done()
			return llmtest.Turn{}.Wait(goOn).Say("found")
		}
		return llmtest.Call("read_file", fmt.Sprintf(`{"file_path":"f%d.txt"}`, n))
	}
	f := newAgentConversation(t, app.Options{}, inTurn(llmtest.Say("hello"), first, llmtest.Say("done")), agent, "agents.max-turns=100", "agents.max-tokens=100000000")
	for i := range requests {
		write(t, filepath.Join(f.workspace, fmt.Sprintf("f%d.txt", i)), strings.Repeat(fmt.Sprintf("some line of file %d\n", i), lines))
	}
	held := func() float64 {
		f.mu.Lock()
		f.events = nil
		f.mu.Unlock()
		runtime.GC()
		runtime.GC() // twice, because sync.Pool keeps objects for one collection
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("hello")); err != nil {
		t.Fatal(err)
	}
	before := held()
	done := make(chan error)
	go func() {
		_, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
		done <- err
	}()
	arrived.Wait()
	during := (held() - before) / agents
	close(goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	after := (held() - before) / agents
	t.Logf("each holds %.2f MB more, %.2f MB once it has ended", during/1e6, after/1e6)
	if during > most || after > left {
		t.Errorf("each agent holds %.2f MB, %.2f MB once it has ended", during/1e6, after/1e6)
	}
}
