package app_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/testing/llmtest"
)

// clock is a clock that requests advance.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// replyTotals sums up all replies to a subagent.
type replyTotals struct {
	requests, tokens int
	cost             float64
	time             time.Duration
}

// Each limit ends a subagent within one request. Once a request has reached the limit, the next one
// is the last. No call of its reply runs, and the report names the limit. The test draws the model,
// the prices, and the sizes and times of replies at random.
func TestBoundsOfAgents(t *testing.T) {
	t.Parallel()
	for bound, begins := range map[string]string{
		"agents.max-turns": "stopped at ", "agents.max-tokens": "stopped at ", "agents.max-cost": "stopped at $", "agents.timeout": "timed out after ",
	} {
		for seed := range size(4, 100) {
			r := rand.New(rand.NewPCG(uint64(seed), 11))
			price := 1 + r.IntN(9)
			set := []string{"agents.max-turns=1000", "agents.max-tokens=100000000", "agents.timeout=23h", fmt.Sprint("price.input=", price), fmt.Sprint("price.output=", 2*price)}
			reached := func(replyTotals) bool { return false }
			switch bound {
			case "agents.max-turns":
				most := 2 + r.IntN(20)
				set, reached = append(set, fmt.Sprint(bound, "=", most)), func(s replyTotals) bool { return s.requests >= most-1 }
			case "agents.max-tokens":
				most := 1000 + r.IntN(100_000)
				set, reached = append(set, fmt.Sprint(bound, "=", most)), func(s replyTotals) bool { return s.tokens >= most }
			case "agents.max-cost":
				most := float64(1+r.IntN(40)) / 100
				set, reached = append(set, fmt.Sprint(bound, "=", most)), func(s replyTotals) bool { return s.cost >= most }
			case "agents.timeout":
				most := time.Duration(10+r.IntN(600)) * time.Second
				set, reached = append(set, fmt.Sprint(bound, "=", most)), func(s replyTotals) bool { return s.time >= most }
			}
			now := clock{now: time.Now()}
			p := newProcess(t)
			p.Now = now.Now
			var all replyTotals
			over, after := false, 0
			agent := func(*llmtest.Request) llmtest.Turn {
				if over {
					after++
				}
				took := time.Duration(r.IntN(60)) * time.Second
				now.add(took)
				// The reported prompt size must be near the size that the program counts. Otherwise
				// the program ignores the server's figures.
				size, cached, reply := 4000+r.IntN(2000), r.IntN(1000), 20+r.IntN(2000)
				all.requests, all.time, all.tokens = all.requests+1, all.time+took, all.tokens+size-cached+reply
				all.cost += (float64(size)*float64(price) + float64(reply)*float64(2*price)) / 1e6 // a cache read has no separate price
				if over = reached(all); after > 0 {
					return llmtest.Say("my report").Call("write_file", `{"file_path":"never.txt","content":"x"}`).Usage(size, reply, cached)
				}
				return llmtest.Call("list_directory", fmt.Sprintf(`{"path":".","ignore":["%d"]}`, all.requests)).Usage(size, reply, cached)
			}
			f := agentConversationIn(t, p, t.TempDir(), app.Options{}, inTurn(llmtest.Call("task", `{"task":"look for ever","agent":"general"}`), llmtest.Say("done")), agent, append(set, "approval-mode=full-auto")...)
			if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
				t.Fatal(err)
			}
			report := f.said()[1]
			_, status, _ := strings.Cut(report, ": ")
			if after != 1 || !strings.HasPrefix(status, begins) || !strings.HasSuffix(report, "my report") || !strings.Contains(report, "changed: none") {
				t.Errorf("%s, seed %d: %d requests after the bound, %+v, %q", set[len(set)-1], seed, after, all, report)
			}
			f.Close()
		}
	}
}
