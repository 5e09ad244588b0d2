package chat

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/session"
	"agent/internal/testing/llmtest"
)

// onTheWire is a session that was sent to a server. It has the received requests, the strategy's
// account of them, and the reported pruning passes.
type onTheWire struct {
	sent    []*llmtest.Request
	account compression.Account
	head    int
	cuts    []string
}

// sendJob has a model make jobCalls read and write calls, with a user message between them. If
// killed is set, the session ends in the middle and resumes from its log. The server reports no
// usage, because a report of zero cached tokens would be believed.
func sendJob(t *testing.T, strategy string, killed bool, set ...string) onTheWire {
	t.Helper()
	var calls atomic.Int64
	srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
		n := calls.Add(1)
		if n > jobCalls {
			return llmtest.Say("all done").NoUsage()
		}
		if n%2 == 0 { // this call adds nothing new, so pruning saves tokens from the start
			return llmtest.Turn{}.CallID(fmt.Sprint("c", n), "read_file", `{"file_path":"seen.go"}`).NoUsage()
		}
		note := strings.Repeat(fmt.Sprint("word", n, " "), 300)
		return llmtest.Turn{}.CallID(fmt.Sprint("c", n), "write_file", fmt.Sprintf(`{"file_path":"part%d.go","note":%q}`, n%3, note)).NoUsage()
	})
	r := newRecorded(t, t.TempDir())
	client := openai.NewClient(openai.Config{BaseURL: "http://api.example.com/v1", Transport: srv.Transport()})
	r.at.provider = func() (llm.Provider, error) { return client, nil }
	r.set("compression.strategy", strategy)
	r.set("context-limit", "1000000")
	for _, pair := range set {
		key, value, _ := strings.Cut(pair, "=")
		r.set(key, value)
	}
	r.set("max-turns", fmt.Sprint(jobCalls/2))
	if _, err := r.Prompt(context.Background(), "go"); err != nil {
		t.Fatal(err)
	}
	if killed {
		r.killAndResume()
	}
	r.set("max-turns", "-1")
	if out, err := r.Prompt(context.Background(), "go on"); err != nil || out.Response != "all done" {
		t.Fatalf("ended with %q, %v", out.Response, err)
	}
	w := onTheWire{sent: srv.Requests(), account: r.window.Costs.Savings(), head: r.overhead()}
	for _, e := range seen[DensityApplied](r.bench) {
		if e.Cut != nil {
			w.cuts = append(w.cuts, fmt.Sprintf("%+v", *e.Cut))
		}
	}
	return w
}

// killAndResume resumes the session from its log, as another process would.
func (r *recorded) killAndResume() {
	r.t.Helper()
	if err := r.log.Close(); err != nil {
		r.t.Fatal(err)
	}
	log, state, err := session.Resume(r.log.Path(), session.Options{Workspace: "/w", Now: time.Now, Random: rand.Reader})
	if err != nil {
		r.t.Fatal(err)
	}
	r.log = log
	config := r.config
	config.History = history.NewService(wordCount{}, log.Observe)
	config.Session = log
	if r.Chat, err = Resume(config, state); err != nil {
		r.t.Fatal(err)
	}
}

// The strategy cache-aware must know the cached prefix of the real requests. The body of each
// request begins with the bytes of the one before, unless a pruning pass was reported before it.
// The account equals the cost of the requests, computed from their sizes and common prefixes. It
// also equals the cost of a session without pruning.
func TestPrefixOfTheRequestsSent(t *testing.T) {
	t.Parallel()
	pruned, whole := sendJob(t, "cache-aware", false), sendJob(t, "top-down-truncation", false)
	cut := 0
	for i, r := range pruned.sent[1:] {
		if !extends(t, pruned.sent[i], r) {
			cut++
		}
	}
	if cut == 0 || cut > len(pruned.cuts) {
		t.Errorf("%d of %d requests do not go on from the one before, %d cuts were told", cut, len(pruned.sent), len(pruned.cuts))
	}
	spent, tokens := pruned.price(t)
	none, all := whole.price(t)
	for what, c := range map[string]struct{ account, wire float64 }{
		"spent":               {pruned.account.Spent, spent},
		"spent without a cut": {pruned.account.None, none},
		"tokens saved":        {float64(pruned.account.Tokens), float64(all - tokens)},
	} {
		if c.wire <= 0 || math.Abs(c.account-c.wire) > 0.01*c.wire {
			t.Errorf("%s: the account says %.0f, the requests %.0f", what, c.account, c.wire)
		}
	}
}

// For a provider that finds a prefix only at marks, the account equals the result of the marks in
// the bodies.
func TestMarksOfTheRequestsSent(t *testing.T) {
	t.Parallel()
	pruned := sendJob(t, "cache-aware", false, "prompt-cache=5m")
	spent, marked := pruned.priceByMarks(t)
	if len(pruned.cuts) == 0 || marked < 3*len(pruned.sent)/2 {
		t.Fatalf("%d cuts, %d marks in %d requests", len(pruned.cuts), marked, len(pruned.sent))
	}
	if account := pruned.account.Spent; math.Abs(account-spent) > 0.01*spent {
		t.Errorf("the account says %.0f, the requests %.0f", account, spent)
	}
	none, _ := sendJob(t, "top-down-truncation", false, "prompt-cache=5m").priceByMarks(t)
	if account := pruned.account.None; math.Abs(account-none) > 0.01*none || spent > none {
		t.Errorf("without a cut the account says %.0f, the requests %.0f, with cuts %.0f", account, none, spent)
	}
}

// priceByMarks returns the cost of the requests at the safe price, and the number of marks after
// the system prompt. A prefix is found only from marks, at most twenty messages back.
func (w onTheWire) priceByMarks(t *testing.T) (cost float64, marked int) {
	t.Helper()
	held := map[string]bool{}
	for i, r := range w.sent {
		total, found, prefix := w.head, 0, ""
		if i > 0 {
			found = w.head
		}
		var ends []string
		var sizes, marks []int
		for at, m := range r.Messages {
			if m.Role == "system" {
				continue // the system prompt
			}
			total += wireTokens(m)
			prefix += fmt.Sprintf("%s %q %v|", m.Role, m.Content, m.ToolCalls)
			ends, sizes = append(ends, prefix), append(sizes, total)
			if bytes.Contains(r.Messages[at].Fields["content"], []byte("cache_control")) {
				marks = append(marks, len(ends)-1)
			}
		}
		for _, mark := range marks {
			for back := mark; back >= 0 && mark-back < 20; back-- {
				if held[ends[back]] {
					found = max(found, sizes[back])
				}
			}
		}
		for _, mark := range marks {
			held[ends[mark]] = true
		}
		marked += len(marks)
		cost += compression.SafePrice.Read*float64(found) + compression.SafePrice.Write*float64(total-found)
	}
	return cost, marked
}

// A session that was killed and resumed sends the same bytes as an uninterrupted one.
func TestRequestsAfterAKill(t *testing.T) {
	t.Parallel()
	straight, killed := sendJob(t, "cache-aware", false), sendJob(t, "cache-aware", true)
	if diff := cmp.Diff(straight.cuts, killed.cuts); diff != "" || len(straight.cuts) < 2 {
		t.Errorf("%d cuts (-straight +killed):\n%s", len(straight.cuts), diff)
	}
	if straight.account != killed.account {
		t.Errorf("the account is %+v, after a kill %+v", straight.account, killed.account)
	}
	for i := range min(len(straight.sent), len(killed.sent)) {
		if !bytes.Equal(straight.sent[i].Body, killed.sent[i].Body) {
			t.Fatalf("request %d of %d is another one after a kill", i, len(straight.sent))
		}
	}
	if len(straight.sent) != len(killed.sent) {
		t.Errorf("%d requests, after a kill %d", len(straight.sent), len(killed.sent))
	}
}

// price returns the cost of the requests at the safe price, and their tokens. The common prefix
// with the previous request counts as cached.
func (w onTheWire) price(t *testing.T) (cost float64, tokens int) {
	t.Helper()
	for i, r := range w.sent {
		total, cached, common := w.head, w.head, i > 0
		for at, m := range r.Messages {
			if m.Role == "system" {
				continue // the system prompt
			}
			n := wireTokens(m)
			total += n
			common = common && at < len(w.sent[i-1].Messages) && sameFields(w.sent[i-1].Messages[at], m)
			if common {
				cached += n
			}
		}
		if i == 0 {
			cached = 0
		} else if !bytes.Equal(r.Fields["tools"], w.sent[0].Fields["tools"]) || !sameFields(r.Messages[0], w.sent[0].Messages[0]) {
			t.Fatalf("the head of request %d is not that of the first", i)
		}
		cost += compression.SafePrice.Read*float64(cached) + compression.SafePrice.Write*float64(total-cached)
		tokens += total
	}
	return cost, tokens
}

// sameFields reports whether two messages are identical, byte for byte.
func sameFields(a, b llmtest.Message) bool {
	return maps.EqualFunc(a.Fields, b.Fields, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// wireTokens returns the size of a message in words, with the tokens that a provider adds.
func wireTokens(m llmtest.Message) int {
	count := wordCount{}.Count
	n := 4 + count(m.Content)
	if m.Role == "tool" {
		n += 6
	}
	for _, call := range m.ToolCalls {
		n += 8 + count(call.Name) + count(call.Arguments)
	}
	return n
}

// extends reports whether the messages of a request begin with the messages of the one before.
func extends(t *testing.T, before, after *llmtest.Request) bool {
	t.Helper()
	messages := func(r *llmtest.Request) []json.RawMessage {
		var list []json.RawMessage
		if err := json.Unmarshal(r.Fields["messages"], &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	a, b := messages(before), messages(after)
	if len(b) < len(a) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
