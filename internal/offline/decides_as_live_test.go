package offline_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/offline"
	"agent/internal/offline/logs"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
	"agent/internal/tokens"
	"agent/internal/tools"

	"github.com/google/go-cmp/cmp"
)

// clock is the time of a test. Each reading advances it by a millisecond.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time { return c.pass(time.Millisecond) }

func (c *clock) pass(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// lived is a recorded session with a scripted model.
type lived struct {
	bills []chat.RequestCost
	sent  []*llmtest.Request
	times []time.Time
	// left has the content that was pruned before each request.
	left [][]string
	log  []byte
}

// linesOf returns a file of n lines. All lines differ.
func linesOf(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", name)
	for i := range n {
		fmt.Fprintf(&b, "func %s%d(a int) int { return a*%d + %d } // part %d of %s\n", name, i, i*7, i*13, i, name)
	}
	return b.String()
}

// job returns the replies of the model in each turn of the user, call by call.
func job() [][]llmtest.Turn {
	call := func(name, format string, a ...any) llmtest.Turn { return llmtest.Call(name, fmt.Sprintf(format, a...)) }
	read := func(file string) llmtest.Turn { return call("read_file", `{"file_path":%q}`, file) }
	lines := func(file string, from, n int) llmtest.Turn {
		return call("read_file", `{"file_path":%q,"offset":%d,"limit":%d}`, file, from, n)
	}
	edit := func(file, name string, i int) llmtest.Turn {
		return call("replace", `{"file_path":%q,"old_string":"func %s%d(a int)","new_string":"func %[2]s%[3]d(a, b int)"}`, file, name, i)
	}
	run := func(command string) llmtest.Turn { return call("run_shell_command", `{"command":%q}`, command) }
	write := func(file, text string) llmtest.Turn {
		return call("write_file", `{"file_path":%q,"content":%q}`, file, text)
	}
	search := func(pattern string) llmtest.Turn { return call("search_file_content", `{"pattern":%q}`, pattern) }
	return [][]llmtest.Turn{
		{read("alpha.go"), edit("alpha.go", "alpha", 3), run("seq 1 400"), edit("alpha.go", "alpha", 9), run("seq 2 500"), edit("alpha.go", "alpha", 12)},
		{search("part 1. of"), lines("beta.go", 20, 60), edit("beta.go", "beta", 30), run("seq 3 300"), edit("beta.go", "beta", 40), lines("beta.go", 60, 90)},
		{read("gamma.go"), write("delta.go", linesOf("delta", 60)), edit("delta.go", "delta", 5), edit("delta.go", "delta", 6), edit("delta.go", "delta", 7), run("wc -l *.go")},
		{call("list_directory", `{"path":"."}`), edit("beta.go", "beta", 41), edit("beta.go", "beta", 42), edit("beta.go", "nothing", 1), run("seq 5 900"), read("alpha.go")},
		{search("part 2. of"), edit("alpha.go", "alpha", 20), edit("alpha.go", "alpha", 21), run("seq 6 300"), read("gamma.go"), edit("gamma.go", "gamma", 2), read("shot.png")},
		{run("seq 7 700"), run("seq 8 800"), run("seq 9 300"), edit("gamma.go", "gamma", 8), run("cat beta.go"), edit("beta.go", "beta", 70), edit("delta.go", "delta", 9)},
	}
}

// pauses are the waits of the user before each turn.
var pauses = []time.Duration{0, time.Minute, 20 * time.Minute, 2 * time.Minute, 40 * time.Minute, 4 * time.Minute}

// playSession runs the session at a provider with a given kind of cache. If reports is set, the provider
// reports the cached tokens, computed from the request bodies.
func playSession(t *testing.T, reports bool, set ...string) lived {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	p := &app.Process{Environ: []string{"PATH=" + os.Getenv("PATH")}, Home: t.TempDir(), Dir: t.TempDir(), Version: "test", Now: c.read}
	t.Cleanup(func() { _ = p.Close() })
	workspace := t.TempDir()
	for name, n := range map[string]int{"alpha": 90, "beta": 160, "gamma": 120} {
		if err := os.WriteFile(filepath.Join(workspace, name+".go"), []byte(linesOf(name, n)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var l lived
	var left []string // the goroutine of the turn sets it before the request
	turns, turn, next := job(), 0, 0
	server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		l.times, l.left, l.sent, left = append(l.times, c.pass(10*time.Second)), append(l.left, left), append(l.sent, r), nil
		reply := llmtest.Say("Done with that, go on.")
		if next < len(turns[turn]) {
			reply = turns[turn][next]
			next++
		}
		if !reports {
			return reply.NoUsage()
		}
		// The provider's own tokens: a quarter of the bytes.
		latest, found := len(l.sent)-1, 0
		if latest > 0 && l.times[latest].Sub(l.times[latest-1]) <= life {
			found = commonPrefix(l.sent[latest-1].Body, r.Body)
		}
		return reply.Usage(len(r.Body)/4, 10, found/4)
	})
	base, err := p.Settings(app.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range append([]string{"base-url=" + server.URL, "model=test-model", "approval-mode=full-auto", "compression.strategy=cache-aware", "sandbox=off", "price.input=10", "price.cache-read=1", "price.cache-write=12.5"}, set...) {
		key, value, _ := strings.Cut(pair, "=")
		if err := base.Set(settings.LayerFlags, key, value); err != nil {
			t.Fatal(err)
		}
	}
	conversation, err := app.New(t.Context(), p, app.Options{Workspace: workspace, Settings: base, Events: func(e chat.Event) {
		if cut, ok := e.(chat.DensityApplied); ok {
			for _, p := range cut.Prunes {
				left = append(left, fmt.Sprint(p.Kind, " ", p.Subject, " ", p.Tokens))
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for turn = range turns {
		next = 0
		c.pass(pauses[turn])
		if _, err := conversation.Chat.Prompt(t.Context(), atcmd.TypedMessage(fmt.Sprint("now the part ", turn))); err != nil {
			t.Fatal(err)
		}
	}
	running, stop := context.WithCancel(t.Context())
	var idle sync.WaitGroup
	idle.Go(func() { _ = conversation.Run(running) })
	story, err := conversation.Chat.Views.CostComparison(t.Context())
	stop()
	idle.Wait()
	if err != nil {
		t.Fatal(err)
	}
	conversation.Close()
	l.bills = story.Bills
	logs, err := filepath.Glob(filepath.Join(p.Home, ".local", "share", "agent", "sessions", "*", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	if l.log, err = os.ReadFile(logs[0]); err != nil {
		t.Fatal(err)
	}
	return l
}

// fresh returns an engine like the one of the command.
func fresh(t *testing.T, set ...string) *offline.Engine {
	t.Helper()
	p := &app.Process{Home: t.TempDir(), Dir: t.TempDir(), Now: time.Now}
	s, err := p.Settings(app.Sources{Isolated: true, Set: append([]string{"compression.strategy=cache-aware"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	return &offline.Engine{
		Settings: s, Counter: func(model string) history.Counter { return tokens.NewCounter(tokens.EncodingFor(model)) },
		Tools:  tools.NewRegistry(tools.Default()...),
		System: func(bool, []string, func(string) bool) (string, bool) { return "another prompt", false },
		Now:    time.Now,
	}
}

const life = 5 * time.Minute

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// cacheKinds are the kinds of caches, and whether the provider reports cached tokens.
var cacheKinds = map[string]struct {
	reports bool
	set     []string
}{
	"prefix":           {set: []string{"cache-life=5m"}},
	"prefix, reported": {reports: true, set: []string{"cache-life=5m"}},
	"a small window":   {set: []string{"cache-life=5m", "context-limit=16000"}},
	"marks":            {set: []string{"prompt-cache=5m"}},
	"none":             {set: []string{"cache-kind=none"}},
}

// A replay of a session makes the same decisions as the session, for each request: pruned content,
// size and cost. The recorded numbers match the request bodies.
func TestOneByOneDecidesAsLive(t *testing.T) {
	t.Parallel()
	for name, way := range cacheKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := playSession(t, way.reports, way.set...)
			in, notices, err := offline.Parse("log", l.log)
			if err != nil || len(notices) > 0 {
				t.Fatal(err, notices)
			}
			replayed, err := oneByOne(t.Context(), in, func() (*offline.Engine, error) { return fresh(t), nil })
			if err != nil {
				t.Fatal(err)
			}
			if n := len(replayed.Requests); n != len(l.sent) || n != len(l.bills) {
				t.Fatalf("%d requests were sent, %d billed, %d replayed", len(l.sent), len(l.bills), n)
			}
			cuts := 0
			for i, r := range replayed.Requests {
				b := l.bills[i]
				if r.Tokens != b.Tokens || r.All != b.All || r.Cost != b.Spent || r.Without != b.None || r.Cold != b.Cold || r.Differs {
					t.Errorf("request %d: %+v, live %+v", i+1, r, b)
				}
				var left []string
				for _, leaving := range r.Leaves {
					left = append(left, fmt.Sprint(leaving.Kind, " ", leaving.Subject, " ", leaving.Tokens))
				}
				if diff := cmp.Diff(l.left[i], left); diff != "" {
					t.Errorf("before request %d left (-live +replayed):\n%s", i+1, diff)
				}
				cuts += min(1, len(left))
			}
			if cuts < 3 || len(l.sent) < 40 {
				t.Errorf("only %d cuts in %d requests", cuts, len(l.sent))
			}
			savingsOfTheLog(t, l, way.reports)
			if !way.reports { // with reports, the provider counts the sizes
				accountOfTheBodies(t, name, l)
			}
		})
	}
}

// savingsOfTheLog checks that agent savings reports the tokens and the cost of the log, and the
// cost without pruning.
func savingsOfTheLog(t *testing.T, l lived, reports bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, l.log, 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := offline.FindSavings(t.Context(), []logs.File{{Path: path}}, offline.SavingsOptions{}, func() (*offline.Engine, error) { return fresh(t), nil })
	if err != nil || len(found.Skipped) > 0 {
		t.Fatal(err, found.Skipped)
	}
	sent, all, spent, none := 0, 0, 0.0, 0.0
	for _, b := range l.bills {
		sent, all, spent, none = sent+b.Tokens, all+b.All, spent+b.Spent, none+b.None
	}
	got := found.Total
	p := got.Pruned
	if got.Requests != len(l.bills) || got.With != got.Sent || p.Sent != got.Sent || p.Sessions != 1 || math.Abs(p.Units/p.WithoutUnits-spent/none) > 0.001 {
		t.Errorf("savings are %+v; %d requests cost %.3f of everything", got, len(l.bills), spent/none)
	}
	if !reports && (p.Sent != sent || p.Without != all) { // with reports, the provider counts the sizes
		t.Errorf("savings say that %d of %d tokens were sent, the bills %d of %d", p.Sent, p.Without, sent, all)
	}
}

// accountOfTheBodies checks that the recorded size and cost of each request match its body and the
// cache of its provider.
func accountOfTheBodies(t *testing.T, name string, l lived) {
	t.Helper()
	wire := newWire(l)
	for i, b := range l.bills {
		most, least := wire.cost(t, i, name)
		if n := wire.sizes[i]; math.Abs(float64(n-b.Tokens)) > 1 || b.Spent > most+1 || b.Spent < least-1 {
			t.Errorf("request %d has %d tokens and costs %.0f to %.0f, by the account %d and %.0f", i+1, n, least, most, b.Tokens, b.Spent)
		}
	}
}

// wire has the requests of a session, in tokens.
type wire struct {
	lived
	head  int
	sizes []int
	// messages are the sizes of the messages after the system prompt and the tools, texts their
	// content.
	messages [][]int
	texts    [][]string
	marked   [][]bool
	// held is the time of the latest use of each prefix that ends at a mark.
	held map[string]time.Time
}

func newWire(l lived) *wire {
	count := tokens.NewCounter(tokens.O200K).Count
	w := &wire{lived: l, held: map[string]time.Time{}}
	for i, r := range l.sent {
		var sizes []int
		var texts []string
		var marked []bool
		total := 0
		for _, m := range r.Messages {
			if m.Role == "system" {
				continue
			}
			// The format adds "Error: ", as it does the roles.
			n := history.EntryTokens + count(strings.TrimPrefix(m.Content, "Error: "))
			if m.Role == "tool" {
				n += 6
			}
			for _, call := range m.ToolCalls {
				n += 8 + count(call.Name) + count(call.Arguments)
			}
			sizes, texts, total = append(sizes, n), append(texts, fmt.Sprintf("%s %q %v", m.Role, m.Content, m.ToolCalls)), total+n
			marked = append(marked, bytes.Contains(m.Fields["content"], []byte("cache_control")))
		}
		if i == 0 {
			w.head = l.bills[0].Tokens - total
		}
		w.sizes, w.messages, w.texts, w.marked = append(w.sizes, w.head+total), append(w.messages, sizes), append(w.texts, texts), append(w.marked, marked)
	}
	return w
}

// cost returns the most and the least that a request can cost. The provider may or may not find the
// beginning of the first changed message.
func (w *wire) cost(t *testing.T, i int, kind string) (most, least float64) {
	t.Helper()
	found, part := 0, 0
	switch {
	case kind == "none":
	case kind == "marks":
		found = w.atMarks(i)
	case i > 0 && w.times[i].Sub(w.times[i-1]) <= life:
		found = w.head
		for at, text := range w.texts[i] {
			if at == len(w.texts[i-1]) {
				break
			}
			if text != w.texts[i-1][at] {
				part = w.messages[i][at]
				break
			}
			found += w.messages[i][at]
		}
	}
	price := func(found int) float64 { return 0.1*float64(found) + 1.25*float64(w.sizes[i]-found) }
	return price(found), price(found + part)
}

// atMarks returns the number of tokens that the marks of a request find. Each mark finds up to
// twenty messages back. Every request marks the system prompt.
func (w *wire) atMarks(i int) (found int) {
	var ends []string
	var sizes []int
	prefix, size := "", w.head
	for at, text := range w.texts[i] {
		prefix, size = prefix+"|"+text, size+w.messages[i][at]
		ends, sizes = append(ends, prefix), append(sizes, size)
	}
	alive := func(end string) bool {
		used, ok := w.held[end]
		return ok && w.times[i].Sub(used) <= life
	}
	if alive("") {
		found = w.head
	}
	best := ""
	for at, marked := range w.marked[i] {
		for back := at; marked && back >= 0 && at-back < 20; back-- {
			if alive(ends[back]) && sizes[back] > found {
				found, best = sizes[back], ends[back]
			}
		}
	}
	w.held[""], w.held[best] = w.times[i], w.times[i]
	for at, marked := range w.marked[i] {
		if marked {
			w.held[ends[at]] = w.times[i]
		}
	}
	return found
}
