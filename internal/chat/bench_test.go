package chat

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/tokens"
)

// longSession returns a chat with a long history of reads and writes, counted like the program
// counts. Density has already pruned everything possible.
func longSession(tb testing.TB, entries, wordsEach int) *bench {
	tb.Helper()
	b := newBench(tb)
	counter := tokens.NewCounter(tokens.O200K)
	b.config.Counter = func(string) history.Counter { return counter }
	b.renew()
	b.keep(history.NewService(counter, nil))
	b.set("context-limit", "100000000")
	text := strings.Repeat("if err != nil {\n\treturn err\n}\n", max(1, wordsEach/8))
	for i := 0; b.config.History.Len() < entries; i++ {
		name := fmt.Sprintf("internal/part%d/file.go", i%50)
		switch i % 5 {
		case 0:
			b.record(history.HumanText(fmt.Sprintf("please look at %s again", name)))
		case 4:
			b.pair(fmt.Sprint(i), "write_file", name, "written")
		default:
			b.pair(fmt.Sprint(i), "read_file", name, text)
		}
	}
	if _, err := b.prepare(); err != nil {
		tb.Fatal(err)
	}
	b.emit = func(Event) {}
	b.events = nil
	return b
}

// tally counts the calls of Count. It is atomic because several goroutines count a whole history.
type tally struct {
	wordCount
	asked atomic.Int64
}

func (t *tally) Count(text string) int { t.asked.Add(1); return t.wordCount.Count(text) }

// TestNothingIsCountedTwice checks that requests and status events count only new entries, however
// long the session is (D-01).
func TestNothingIsCountedTwice(t *testing.T) {
	t.Parallel()
	b := longSession(t, 2000, 20)
	counter := &tally{}
	b.config.Counter = func(string) history.Counter { return counter }
	b.renew()
	for _, step := range []struct {
		name string
		do   func()
		most int64
	}{
		{"the switch of the counter", func() { b.window.Measure.Tokens() }, 1 << 30},
		{"nothing new", func() {}, 0},
		{"a message", func() { b.record(history.HumanText("go on")) }, 1},
		{"a call and its answer", func() { b.pair("new", "read_file", "new", "text") }, 4},
	} {
		counter.asked.Store(0)
		step.do()
		b.emitStatus()
		if _, err := b.prepare(); err != nil {
			t.Fatal(err)
		}
		b.emitStatus()
		if asked := counter.asked.Load(); asked > step.most {
			t.Errorf("%s: %d texts were counted, want at most %d", step.name, asked, step.most)
		}
	}
}

// BenchmarkPreSend measures the step before a request at 2 000 entries. With nothing to prune it
// should take at most 1 ms.
func BenchmarkPreSend(b *testing.B) {
	for _, added := range []bool{false, true} {
		b.Run(map[bool]string{false: "nothing to do", true: "a message added"}[added], func(b *testing.B) {
			c := longSession(b, 2000, 100)
			for b.Loop() {
				if added {
					c.record(history.HumanText("go on"))
				}
				if _, err := c.prepare(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStatus measures the fixed cost of an event. It must not grow with the session.
func BenchmarkStatus(b *testing.B) {
	for _, entries := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(entries, " entries"), func(b *testing.B) {
			c := longSession(b, entries, 20)
			for b.Loop() {
				c.emitStatus()
			}
		})
	}
}

// arrival is a network that records the arrival time of a request and refuses it.
type arrival struct{ at time.Time }

func (a *arrival) RoundTrip(r *http.Request) (*http.Response, error) {
	a.at = time.Now()
	_ = r.Body.Close()
	body := io.NopCloser(strings.NewReader(`{"error":{"message":"no key"}}`))
	return &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: r}, nil
}

// BenchmarkEnterToRequest measures the time from a message to its request on the network, with 200
// 000 tokens of context. It should be at most 15 ms.
func BenchmarkEnterToRequest(b *testing.B) {
	c := longSession(b, 1000, 500)
	network := &arrival{}
	client := openai.NewClient(openai.Config{BaseURL: "http://model.test/v1", Transport: network})
	c.at.provider = func() (llm.Provider, error) { return client, nil }
	var total time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := c.Prompt(context.Background(), "and what does this do?"); err == nil {
			b.Fatal("the network answered")
		}
		total += network.at.Sub(start)
	}
	b.ReportMetric(float64(total.Microseconds())/float64(b.N), "µs/request")
	b.ReportMetric(float64(c.window.Measure.Tokens()), "tokens")
}
