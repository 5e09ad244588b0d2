package window_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/toolspec"
)

// pricedBench is a bench with a clock, whose strategy compares the cost of pruning.
type pricedBench struct {
	*bench
	now time.Time
	// words is the length of each answer.
	words int
	// sent is the latest request, sentAt its time.
	sent   []string
	sentAt time.Time
}

func unitsOf(tool string) toolspec.Traits {
	units := map[string]toolspec.Traits{
		"read_file": {Reads: true, File: []string{"file_path"}},
		"replace":   {Edits: true, File: []string{"file_path"}, Density: toolspec.Density{Old: []string{"old"}, New: []string{"new"}}},
		"recall":    {NeedsRecord: true},
		"shell":     {Runs: true, Density: toolspec.Density{Command: []string{"file_path"}}},
	}
	known := units[tool]
	known.Key, known.Elsewhere = "file_path", true
	return known
}

func newPriced(t *testing.T, limit int, observer history.Observer) *pricedBench {
	p := &pricedBench{bench: newBench(t, limit), now: time.Unix(1_000_000, 0), words: 300}
	p.set(settings.CompressionStrategy, compression.CacheAwareName)
	p.models.cache = func(string) vendor.Cache { return vendor.Cache{Life: 5 * time.Minute} }
	p.config.Facts = unitsOf
	p.config.Now = func() time.Time { return p.now }
	p.observe(observer)
	return p
}

// request prepares the context, and has the model reply with a call.
func (p *pricedBench) request(n int) {
	p.t.Helper()
	p.now = p.now.Add(20 * time.Second)
	if err := p.tryFit(); err != nil {
		p.t.Fatal(err)
	}
	p.Observe("test-model", p.Measure.Estimate(), window.ProviderReport{Prompt: p.Measure.Estimate(), Cached: p.cached()})
	name, path := "shell", fmt.Sprintf("go test ./%d", n)
	if n%3 == 0 {
		name, path = "read_file", fmt.Sprintf("file%d.go", n%2)
	}
	id := fmt.Sprint("c", n)
	p.add(p.StampReply(history.New(history.AI, &history.ToolCall{ID: id, Name: name, Parameters: fmt.Appendf(nil, `{"file_path":%q}`, path)})))
	p.add(history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: name, Result: history.TextResult(strings.Repeat(fmt.Sprint("word", n, " "), p.words))}))
}

// cached returns the tokens that a provider finds in its cache, if it keeps a request for five
// minutes.
func (p *pricedBench) cached() int {
	entries, tokens := p.History.Curated()
	cached := p.Measure.Estimate() - p.History.TotalTokens()
	sent, same := make([]string, len(entries)), p.sent != nil
	for i, entry := range entries {
		blocks, err := json.Marshal(entry.Blocks)
		if err != nil {
			p.t.Fatal(err)
		}
		sent[i] = string(blocks)
		if same = same && i < len(p.sent) && p.sent[i] == sent[i]; same {
			cached += tokens[i]
		}
	}
	if p.sent == nil || p.now.Sub(p.sentAt) > 5*time.Minute {
		cached = 0
	}
	p.sent, p.sentAt = sent, p.now
	return cached
}

// cuts returns the pruning passes so far.
func (p *pricedBench) cuts() []window.Density {
	var cuts []window.Density
	for _, step := range p.steps {
		if d, ok := step.(window.Density); ok {
			cuts = append(cuts, d)
		}
	}
	return cuts
}

// A placeholder names the line of the ledger that lists its content. The model can recall it by
// this number.
func TestPointersNameTheirNumber(t *testing.T) {
	t.Parallel()
	for _, offered := range []bool{true, false} {
		p := newPriced(t, 128_000, nil)
		if offered {
			p.head.Tools = append(p.head.Tools, llm.ToolSpec{Name: "recall"})
		}
		p.add(history.New(history.Human, &history.Text{Text: "go"}))
		for n := range 60 {
			p.request(n)
		}
		titles, ledger, pointers := map[string]string{}, p.Ledger.Lines(), 0
		for _, entry := range p.History.RawHistory() {
			for _, block := range entry.Blocks {
				switch b := block.(type) {
				case *history.ToolCall:
					titles[b.ID] = unitsOf(b.Name).Describe(b.Name, b.Arguments()).Title()
				case *history.ToolResponse:
					_, number, numbered := strings.Cut(strings.TrimSuffix(b.Result.Text(), "]"), ", recall ")
					if !compression.IsPlaceholder(b.Result.Text()) {
						continue
					}
					pointers++
					n, _ := strconv.Atoi(number)
					if numbered != offered || offered && (n < 1 || n > len(ledger) || ledger[n-1].Call != titles[b.CallID]) {
						t.Errorf("offered %v: %s stands for %s", offered, b.Result.Text(), titles[b.CallID])
					}
				}
			}
		}
		if pointers == 0 {
			t.Errorf("offered %v: nothing was cut", offered)
		}
	}
}

// A pruning pass is reported with its price, is in the ledger, and saves more than it costs.
func TestPruningByPrice(t *testing.T) {
	t.Parallel()
	p := newPriced(t, 1_000_000, nil)
	p.words = 3000
	p.say("go")
	for n := range 60 {
		p.request(n)
	}
	cuts := p.cuts()
	if len(cuts) == 0 {
		t.Fatal("nothing was cut")
	}
	listed, freed := 0, 0
	for _, cut := range cuts {
		if cut.Cut == nil || cut.Cut.Saves <= 0 || cut.Cut.Paid > cut.Cut.Bank {
			t.Errorf("cut %+v", cut.Cut)
		}
		listed += len(cut.Prunes)
		for _, prune := range cut.Prunes {
			freed += prune.Tokens
			if prune.Cut != cut.Cut || prune.Subject == "" || prune.Reason == "" {
				t.Errorf("prune %+v", prune)
			}
		}
		if cut.TokensBefore-cut.TokensAfter <= 0 {
			t.Errorf("%d tokens became %d", cut.TokensBefore, cut.TokensAfter)
		}
	}
	if ledger := p.Ledger.Lines(); len(ledger) != listed || freed != p.Ledger.PrunedTokens() {
		t.Errorf("%d of %d prunes in the ledger, %d tokens freed, %d told", len(ledger), listed, p.Ledger.PrunedTokens(), freed)
	}
	if a := p.Costs.Savings(); a.Spent >= 0.9*a.None || a.Tokens <= 0 {
		t.Errorf("the account is %+v", a)
	}
}

// Near the limit, pruning comes first, whatever the price. Compression runs only if the context is
// still too large.
func TestPressurePrunesBeforeItCompresses(t *testing.T) {
	t.Parallel()
	p := newPriced(t, 6_000, nil)
	p.say("go")
	for n := range 40 {
		p.request(n)
	}
	if len(p.cuts()) == 0 {
		t.Fatal("nothing was cut")
	}
	for _, step := range p.steps {
		if c, ok := step.(window.Compression); ok && c.Applied {
			t.Errorf("compressed although there was enough to prune: %+v", c)
		}
	}
	small := newPriced(t, 900, nil)
	small.say("go")
	for n := range 40 {
		small.request(n)
	}
	if small.CompressionCount() == 0 {
		t.Error("a window that two answers fill was never compressed")
	}
}

// Near the limit, a pruning pass removes more than necessary, because the provider bills everything
// after its start again. A fifth of the available tokens is free after it.
func TestPressureMakesRoom(t *testing.T) {
	t.Parallel()
	p := newPriced(t, 12_000, nil)
	p.say(wordy(4000)) // after a longer message, a later pass would find only new content
	strategy, err := p.ActiveStrategy()
	if err != nil {
		t.Fatal(err)
	}
	pressed := 0
	for n := range 90 {
		due := p.Measure.ShouldCompress(strategy)
		if err := p.tryFit(); err != nil {
			t.Fatal(err)
		}
		if due {
			pressed++
			if most := p.Limits.CompressionThreshold(strategy)*4/5 + p.Measure.Estimate() - p.History.TotalTokens(); p.Measure.Tokens() > most {
				t.Errorf("%d tokens are left of at most %d", p.Measure.Tokens(), most)
			}
		}
		id, name := fmt.Sprint("c", n), []string{"read_file", "shell"}[n%2]
		p.add(p.StampReply(history.New(history.AI, &history.ToolCall{ID: id, Name: name, Parameters: fmt.Appendf(nil, `{"file_path":"%d.go"}`, n)})))
		p.add(history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: name, Result: history.TextResult(strings.Repeat(fmt.Sprint("word", n, " "), 100))}))
	}
	if pressed == 0 {
		t.Error("the window never filled up")
	}
}

// After a pause longer than the lifetime of the cache, all obsolete or unused content can be
// pruned, because no token is billed twice.
func TestIdleMakesCutsFree(t *testing.T) {
	t.Parallel()
	p := newPriced(t, 1_000_000, nil)
	p.say("go")
	for n := range 22 {
		p.request(n)
	}
	before := len(p.cuts())
	p.now = p.now.Add(5 * time.Minute)
	p.request(23)
	cuts := p.cuts()
	if len(cuts) == before || cuts[len(cuts)-1].Cut.Paid >= 0 {
		t.Errorf("nothing was cut for free after idling")
	}
}

// TestKillAndResume checks that a session which is killed and resumed from its log makes the same
// decisions as an uninterrupted one, wherever the kill happens.
func TestKillAndResume(t *testing.T) {
	t.Parallel()
	whole, _ := killedSession(t, 0)
	if len(whole) < 5 {
		t.Fatalf("only %d cuts", len(whole))
	}
	for _, every := range []int{2, 7} {
		cuts, resumed := killedSession(t, every)
		if diff := cmp.Diff(whole, cuts); diff != "" || resumed == 0 {
			t.Errorf("killed every %d requests, taken up %d times: (-whole +killed)\n%s", every, resumed, diff)
		}
	}
}

// killedSession runs a session and kills it after every n-th request, or never if n is 0. The parameter
// every is n. killed returns each pruning pass with the account at that time.
func killedSession(t *testing.T, every int) (cuts []string, resumed int) {
	t.Helper()
	clock := time.Unix(1_000_000, 0)
	options := session.Options{Dir: t.TempDir(), Workspace: "/w", PID: 1, Random: strings.NewReader(strings.Repeat("random", 100)), Now: func() time.Time { return clock }}
	log, err := session.Create(options)
	if err != nil {
		t.Fatal(err)
	}
	p := newPriced(t, 9_000, log.Observe)
	p.say("go")
	for n := range 60 {
		if n == 25 {
			if file, err := p.Pins.Pin("file1.go", true); err != nil || file != "/w/file1.go" {
				t.Fatal(file, err)
			}
		}
		p.request(n)
		if n == 40 {
			if _, err := p.Compress(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, cut := range p.cuts() {
			cuts = append(cuts, fmt.Sprintf("request %d: %+v %d prunes, account %+v", n, *cut.Cut, len(cut.Prunes), p.Costs.Savings()))
		}
		p.steps = nil
		if every == 0 || n%every != 0 {
			continue
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		var state session.State
		if log, state, err = session.Resume(log.Path(), options); err != nil {
			t.Fatal(err)
		}
		again := newPriced(t, 9_000, log.Observe)
		again.now, again.sent, again.sentAt = p.now, p.sent, p.sentAt
		if err := again.History.Restore(state.Entries); err != nil {
			t.Fatal(err)
		}
		if err := again.Window.Resume(state.Pins, state.Steps()); err != nil {
			t.Fatal(err)
		}
		p = again
		resumed++
	}
	return cuts, resumed
}

// A file that is recalled soon after it was pruned as unused gets a pin, which is recorded. A later
// recall is a new need without a pin.
func TestRecalledSoonIsPinned(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]int{"at once": 0, "much later": 6} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var recorded []string
			p := newPriced(t, 1_200, func(m history.Mutation) error {
				if m.Kind == history.MutationPinned {
					recorded = append(recorded, fmt.Sprint(m.Path, m.Pinned))
				}
				return nil
			})
			p.say("go")
			number := 0
			for n := 0; n < 80 && number == 0; n++ {
				p.request(max(0, 3*n-2)) // one file, then commands
				if n == 2 {
					p.say("something else") // earlier reads are needed less after a new message
				}
				for i, pruned := range p.Ledger.Lines() {
					if strings.HasPrefix(pruned.Subject, "/w/file") && (pruned.Kind == "cold" || pruned.Kind == "soft") {
						number = i + 1
					}
				}
			}
			if number == 0 {
				t.Fatal("no file was pruned as cold")
			}
			for n := range wait {
				p.request(100 + 3*n + 1)
			}
			if err := p.Pins.MarkNeeded(number); err != nil {
				t.Fatal(err)
			}
			if pinned := wait == 0; pinned != (len(recorded) == 1) || pinned != (len(p.Pins.List()) == 1) {
				t.Errorf("recorded %v, pins %v", recorded, p.Pins.List())
			}
			if err := errors.Join(p.Pins.MarkNeeded(0), p.Pins.MarkNeeded(1_000_000)); err != nil {
				t.Error(err)
			}
		})
	}
}

// A cache lifetime that a reply reveals is stored once for later sessions. A later reply that
// contradicts it corrects it.
func TestLearnedLifeIsKept(t *testing.T) {
	t.Parallel()
	kept := map[string]time.Duration{}
	session := func() *pricedBench {
		p := newPriced(t, 1_000_000, nil)
		p.models.cache = func(model string) vendor.Cache {
			life := 5 * time.Minute
			if known, ok := kept[model]; ok {
				life = known
			}
			return vendor.Cache{Life: life}
		}
		p.models.keep = func(model string, life time.Duration) { kept[model] = life }
		p.words = 3000
		return p
	}
	reply := func(p *pricedBench, n int, pause time.Duration, share float64) {
		t.Helper()
		p.now = p.now.Add(pause)
		if err := p.tryFit(); err != nil {
			t.Fatal(err)
		}
		p.Observe("test-model", p.Measure.Estimate(), window.ProviderReport{Prompt: p.Measure.Estimate(), Cached: int(share * float64(p.Measure.Estimate()))})
		id := fmt.Sprint("c", n)
		p.add(p.StampReply(history.New(history.AI, &history.ToolCall{ID: id, Name: "read_file", Parameters: fmt.Appendf(nil, `{"file_path":"f%d"}`, n)})))
		p.add(history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: "read_file", Result: history.TextResult(strings.Repeat(fmt.Sprint("word", n, " "), p.words))}))
		p.Costs.Savings()
	}
	first := session()
	for n := range 4 {
		reply(first, n, 10*time.Second, 0.95)
	}
	if len(kept) > 0 {
		t.Fatalf("kept %v without a pause", kept)
	}
	reply(first, 4, 30*time.Minute, 0.9)
	model := "test-model"
	if kept[model] != 30*time.Minute {
		t.Fatalf("kept %v after a cache that was warm for half an hour", kept)
	}
	second := session()
	reply(second, 0, time.Second, 0)
	for n := range 3 {
		reply(second, n+1, 10*time.Second, 0.95)
	}
	second.now = second.now.Add(25 * time.Minute)
	if latest := second.requested(t); latest.Cold || latest.Cache.Life != 30*time.Minute {
		t.Errorf("the second session begins with %+v", latest)
	}
	reply(second, 5, 0, 0)
	if got := kept[model]; got >= 25*time.Minute || got < 24*time.Minute {
		t.Errorf("after a reply that found nothing %v is kept", got)
	}
}

// requested returns the inputs of the decision about the next request.
func (p *pricedBench) requested(t *testing.T) compression.Request {
	t.Helper()
	if err := p.tryFit(); err != nil {
		t.Fatal(err)
	}
	reply := p.StampReply(history.New(history.AI, &history.Text{Text: "hm"}))
	request, ok := reply.Metadata[compression.MetaRequest].(compression.Request)
	if !ok {
		t.Fatal("no request is noted")
	}
	return request
}

// The forecast of the next request is right, and making it changes nothing. A session without
// forecasts has the same requests.
func TestForecastIsRight(t *testing.T) {
	t.Parallel()
	asked, other := newPriced(t, 1_000_000, nil), newPriced(t, 1_000_000, nil)
	left := 0
	for _, p := range []*pricedBench{asked, other} {
		p.words = 3000
		p.say("go")
		for n := range 60 {
			if p == other {
				p.request(n)
				continue
			}
			p.now = p.now.Add(20 * time.Second)
			next, listed := p.NextRequest(), len(p.Ledger.Lines())
			p.now = p.now.Add(-20 * time.Second)
			p.request(n)
			came := p.Ledger.Lines()[listed:]
			left += len(came)
			if len(came) != len(next.Leaves) {
				t.Fatalf("request %d: %d units left, %d were named", n, len(came), len(next.Leaves))
			}
			for i := range came {
				if came[i].Subject != next.Leaves[i].Subject || came[i].Reason != next.Leaves[i].Reason || *came[i].Cut != *next.Cut {
					t.Errorf("request %d: %+v left, %+v was named at %+v", n, came[i], next.Leaves[i], next.Cut)
				}
			}
			bills, _ := p.Costs.RequestCosts()
			if bill := bills[len(bills)-1]; bill.Tokens != next.Cost.Tokens || math.Abs(bill.None-next.Cost.None) > bill.None/100 || math.Abs(bill.Spent-next.Cost.Spent) > 2.5 { // sizes of parts are inexact by a few tokens, and the report corrects both
				t.Errorf("request %d cost %+v, said was %+v", n, bill, next.Cost)
			}
			for _, h := range next.Held {
				if !h.Waiting {
					t.Errorf("request %d: held back %+v", n, h)
				}
			}
		}
	}
	if left == 0 {
		t.Error("nothing ever left")
	}
	if diff := cmp.Diff(other.Ledger.Lines(), asked.Ledger.Lines()); diff != "" {
		t.Errorf("(-nobody asked +asked)\n%s", diff)
	}
}

// For a strategy without an account, the forecast lists the content that density will prune.
func TestForecastWithoutPrices(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	b.pair("1", "read_file", "a", wordy(50))
	b.pair("2", "write_file", "a", "ok")
	next := b.NextRequest()
	if len(next.Leaves) != 1 || next.Leaves[0].Reason != "written later by write_file" || next.Leaves[0].Tokens < 50 || next.Cut != nil || next.Cost.None != 0 {
		t.Errorf("%+v", next)
	}
	if before := b.Measure.Tokens(); next.Cost.Tokens >= before || next.Cost.Tokens <= 0 {
		t.Errorf("%d tokens of %d", next.Cost.Tokens, before)
	}
}
