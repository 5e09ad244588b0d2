package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// jobCalls is the number of calls in the job of these tests.
const jobCalls = 30

// job is the model's part of a job. It reads and writes files in turn, sometimes with two calls at
// once, so that density always finds stale reads.
type job struct {
	calls atomic.Int64
	// hang is the number of calls after which one reply stops arriving.
	hang    int64
	hanging chan struct{}
}

func (j *job) next(*llmtest.Request) llmtest.Turn {
	n := j.calls.Add(1)
	file := fmt.Sprintf(`{"file_path":"part%d.go"}`, n/2%5)
	id := func(suffix string) string { return fmt.Sprintf("job_%d%s", n, suffix) }
	switch {
	case n > jobCalls:
		return llmtest.Say("all done")
	case n == j.hang:
		return llmtest.Say("let me").CallID(id(""), "read_file", file).Reached(j.hanging).Hang()
	case n%7 == 0:
		j.calls.Add(1)
		return llmtest.Say("two").CallID(id(""), "read_file", file).CallID(id("b"), "read_file", `{"file_path":"other.go"}`)
	case n%2 == 0:
		return llmtest.Turn{}.CallID(id(""), "write_file", file)
	default:
		return llmtest.Turn{}.CallID(id(""), "read_file", file)
	}
}

// vendorBench returns a chat that uses the strict server of a vendor. If the model is "other", it
// uses a plain server.
func vendorBench(t *testing.T, vendor llmtest.Vendor, host string, j *job) (*bench, *llmtest.Server) {
	t.Helper()
	srv := llmtest.NewFunc(t, vendor.Strict(j.next))
	plain := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		if last := r.Last(); last.Role == "user" {
			return llmtest.Think("hm").CallID(fmt.Sprintf("other_%d", r.Number), "read_file", `{"file_path":"part1.go"}`)
		}
		return llmtest.Say("that was it")
	})
	own := openai.NewClient(openai.Config{BaseURL: "http://" + host + "/v1", Transport: srv.Transport()})
	other := openai.NewClient(openai.Config{BaseURL: "http://api.example.com/v1", Transport: plain.Transport()})
	b := newBench(t)
	b.at.provider = func() (llm.Provider, error) {
		if settings.Model.Value(b.config.Settings) == "other" {
			return other, nil
		}
		return own, nil
	}
	b.config.CacheKey = "KEY"
	b.renew()
	b.set("model", vendor.Model)
	return b, srv
}

// finishJob sends prompts until the job is done, and checks the result.
func (b *bench) finishJob(t *testing.T, prompt string) {
	t.Helper()
	out, err := b.Prompt(context.Background(), prompt)
	if err != nil || out.Response != "all done" {
		t.Fatalf("the job ended with %q, %v", out.Response, err)
	}
	b.valid()
	for _, e := range b.events {
		switch e := e.(type) {
		case DensityApplied:
			return
		case Compressed:
			if e.Applied {
				return
			}
		}
	}
	t.Error("neither density nor compression had anything to do")
}

// TestVendors checks that a job of thirty calls with density on finishes with every vendor, under
// its strict rules.
func TestVendors(t *testing.T) {
	t.Parallel()
	for _, vendor := range few(llmtest.Vendors()) {
		for name, run := range map[string]func(t *testing.T, vendor llmtest.Vendor){
			"straight":              func(t *testing.T, v llmtest.Vendor) { runStraight(t, v, v.Host) },
			"at an unknown gateway": runAtGateway,
			"in a small window":     runInSmallWindow("high-density"),
			"cache-aware":           runInSmallWindow("cache-aware"),
			"after a resume":        runResumed,
			"after a model switch":  runSwitched,
			"with an interrupt":     runInterrupted,
		} {
			t.Run(vendor.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				run(t, vendor)
			})
		}
	}
}

func runStraight(t *testing.T, vendor llmtest.Vendor, host string) {
	b, srv := vendorBench(t, vendor, host, &job{})
	b.finishJob(t, "do it")
	refusals := len(srv.Requests()) - b.stats.Requests
	if refusals > 0 {
		t.Errorf("%d requests were refused by a vendor whose rules are known", refusals)
	}
}

// runAtGateway checks that the program learns the rules from refusals, once each, if the host is
// unknown.
func runAtGateway(t *testing.T, vendor llmtest.Vendor) {
	if vendor.Name == "Claude through OpenRouter" {
		t.Skip("its attachments name themselves")
	}
	const mostLessons = 2
	b, srv := vendorBench(t, llmtest.Vendor{Name: vendor.Name, Model: "the-model", Strict: vendor.Strict}, "gateway.example.com", &job{})
	b.finishJob(t, "do it")
	if refusals := len(srv.Requests()) - b.stats.Requests; refusals > mostLessons {
		t.Errorf("%d requests were refused", refusals)
	}
}

// runInSmallWindow checks that compression removes whole turns with their attachments, even if the
// strategy considers the cache.
func runInSmallWindow(strategy string) func(*testing.T, llmtest.Vendor) {
	return func(t *testing.T, vendor llmtest.Vendor) {
		b, _ := vendorBench(t, vendor, vendor.Host, &job{})
		b.set("compression.strategy", strategy)
		b.set("context-limit", "2500")
		b.finishJob(t, "do it")
		if b.figures().Compressions == 0 {
			t.Error("the window was never too small")
		}
	}
}

// runResumed does half of the job, writes the history to JSON as in the session log, and finishes
// the job in a new chat.
func runResumed(t *testing.T, vendor llmtest.Vendor) {
	j := &job{}
	b, _ := vendorBench(t, vendor, vendor.Host, j)
	b.set("max-turns", "15")
	if _, err := b.Prompt(context.Background(), "do it"); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(b.config.History.RawHistory())
	if err != nil {
		t.Fatal(err)
	}
	b.keep(history.NewService(wordCount{}, nil))
	var entries []*history.Content
	if err := json.Unmarshal(raw, &entries); err != nil {
		t.Fatal(err)
	}
	if err := b.resume(entries, nil); err != nil {
		t.Fatal(err)
	}
	b.set("max-turns", "-1")
	b.finishJob(t, "go on")
}

// runSwitched changes to another model at another endpoint in the middle, and back.
func runSwitched(t *testing.T, vendor llmtest.Vendor) {
	b, _ := vendorBench(t, vendor, vendor.Host, &job{})
	b.set("max-turns", "15")
	if _, err := b.Prompt(context.Background(), "do it"); err != nil {
		t.Fatal(err)
	}
	b.set("max-turns", "-1")
	b.set("model", "other")
	if out, err := b.Prompt(context.Background(), "you, please"); err != nil || out.Response != "that was it" {
		t.Fatalf("the other model: %+v, %v", out, err)
	}
	b.set("model", vendor.Model)
	b.finishJob(t, "go on")
}

// TestVendorsTakeTurns moves one conversation from vendor to vendor, two times around. Each vendor
// receives its own attachments, and no attachment of another vendor.
func TestVendorsTakeTurns(t *testing.T) {
	t.Parallel()
	const calls = 4
	b := newBench(t)
	vendors := llmtest.Vendors()
	clients := map[string]llm.Provider{}
	for i, vendor := range vendors {
		script := func(r *llmtest.Request) llmtest.Turn {
			n := r.Number
			if n%(calls+1) == calls {
				return llmtest.Say(vendor.Name)
			}
			file := fmt.Sprintf(`{"file_path":"part%d.go"}`, n%3)
			// Some vendors make IDs of this form, and others refuse them.
			id := func(k int) string { return fmt.Sprintf("functions.read_file:%d-of-%032d", k, 100*n+10*i) }
			return llmtest.Say("both").CallID(id(1), "read_file", file).CallID(id(2), "write_file", file)
		}
		srv := llmtest.NewFunc(t, vendor.Strict(script))
		clients[vendor.Model] = openai.NewClient(openai.Config{BaseURL: "http://" + vendor.Host + "/v1", Transport: srv.Transport()})
	}
	b.at.provider = func() (llm.Provider, error) { return clients[settings.Model.Value(b.config.Settings)], nil }
	for range 2 {
		for _, vendor := range vendors {
			b.set("model", vendor.Model)
			out, err := b.Prompt(context.Background(), "your turn")
			if err != nil || out.Response != vendor.Name {
				t.Fatalf("%s: %+v, %v", vendor.Name, out, err)
			}
			b.valid()
		}
	}
	if told := notices(b); told != "" {
		t.Errorf("told: %s", told)
	}
}

func runInterrupted(t *testing.T, vendor llmtest.Vendor) {
	j := &job{hang: 13, hanging: make(chan struct{})}
	b, _ := vendorBench(t, vendor, vendor.Host, j)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-j.hanging
		cancel()
	}()
	if out, err := b.Prompt(ctx, "do it"); err != nil || out.Stop != StopInterrupted {
		t.Fatalf("got %+v, %v", out, err)
	}
	b.finishJob(t, "go on")
}
