package cacheaware

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/llm/vendor"
)

// provider bills requests like a real provider with the given cache: from the requests alone.
type provider struct {
	cache vendor.Cache
	// sent are the pieces of the latest request. held are the prefixes that marks keep, with the
	// time of their latest use.
	sent []piece
	at   time.Time
	held map[uint64]time.Time
}

// piece is a unit as it is sent.
type piece struct {
	state        state
	number, fold int
	part         part
	marked       bool
	text         string
}

var hashSeed = maphash.MakeSeed()

// sentEntry is an entry as it is sent.
type sentEntry struct {
	pieces []piece
	tokens []int
	blocks int
	able   bool
}

// bodyOf returns the request that an engine would send.
func bodyOf(e *Engine) []sentEntry {
	body := make([]sentEntry, e.Len())
	for i := range body {
		entry := e.Entry(i)
		body[i] = sentEntry{blocks: len(entry.Blocks), able: entry.Speaker != history.AI && !entry.Empty()}
	}
	for i := range e.conversation.units {
		if u := &e.conversation.units[i]; u.state != gone {
			s := &body[u.entry]
			s.pieces, s.tokens = append(s.pieces, piece{u.state, i, u.foldedAt, u.part, u.marked, u.text}), append(s.tokens, u.tokens)
		}
	}
	return body
}

// found returns the number of tokens of a request that are in the cache.
func (p *provider) found(head int, body []sentEntry, mark int, at time.Time) int {
	var pieces []piece
	var tokens []int
	for _, s := range body {
		pieces, tokens = append(pieces, s.pieces...), append(tokens, s.tokens...)
	}
	warm := !p.at.IsZero() && p.cache.Alive(at.Sub(p.at))
	found := 0
	switch p.cache.Kind {
	case vendor.CacheNone:
	case vendor.CacheMarks:
		found = p.marked(head, body, mark, at, warm)
	default:
		if warm {
			found = head
			for i := range pieces {
				if i == len(p.sent) || p.sent[i] != pieces[i] {
					break
				}
				found += tokens[i]
			}
		}
	}
	p.sent, p.at = pieces, at
	return found - found%max(1, p.cache.StepTokens)
}

func (p *provider) marked(head int, body []sentEntry, mark int, at time.Time, warm bool) int {
	var marks []int
	most := markedLatest
	if p.cache.Ends {
		most = 1
	} else if mark > 0 {
		marks = append(marks, mark)
	}
	for i := len(body); i > 0 && most > 0; i-- {
		if body[i-1].able {
			marks = append(marks, i)
			most--
		}
	}
	// A prefix is identified by the hash of its pieces.
	ends, sizes := make([]uint64, len(body)+1), make([]int, len(body)+1)
	sizes[0] = head
	var prefix maphash.Hash
	prefix.SetSeed(hashSeed)
	for i, s := range body {
		for _, piece := range s.pieces {
			maphash.WriteComparable(&prefix, piece)
		}
		_ = prefix.WriteByte('|')
		ends[i+1] = prefix.Sum64()
		sizes[i+1] = sizes[i]
		for _, n := range s.tokens {
			sizes[i+1] += n
		}
	}
	best := 0
	for _, mark := range marks {
		for i, blocks := mark, 0; i > 0 && (i == mark || blocks < p.cache.Reach); i-- {
			if used, ok := p.held[ends[i]]; ok && p.cache.Alive(at.Sub(used)) {
				best = max(best, i)
			}
			blocks += body[i-1].blocks
		}
	}
	if best > 0 {
		p.held[ends[best]] = at
	}
	for _, mark := range marks {
		p.held[ends[mark]] = at
	}
	if !warm {
		return 0
	}
	return sizes[best]
}

// caches are the kinds of caches for which the guarantees hold.
func caches(life time.Duration) []vendor.Cache {
	return []vendor.Cache{
		{Life: life},
		{StepTokens: 64, Life: life},
		{StepTokens: 128, Life: life},
		{Kind: vendor.CacheMarks, Reach: 20, Life: life},
		{Kind: vendor.CacheMarks, Ends: true, Reach: 80, Life: life},
		{Kind: vendor.CacheNone, Life: life},
	}
}

var lives = []time.Duration{5 * time.Minute, 30 * time.Minute, time.Hour}

// TestNeverDearer checks that at every point of a session, pruning has cost no more than sending
// everything, except for the small debt that is needed to start. This is true for every kind,
// lifetime and price of a cache, and for any provider data. The account equals the bill for the
// sent requests. Requests are valid, and only answers, long arguments and images change.
func TestNeverDearer(t *testing.T) {
	t.Parallel()
	sessions, cheaper, tried := historyCount(t, 12), 0, 0
	for seed := range sessions {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		entries := randomTalk(r, 1+r.IntN(40))
		if seed%2 == 0 {
			entries = withAttachments(r, entries)
		}
		pauses := make([]time.Duration, len(entries)+1)
		for i := range pauses {
			pauses[i] = 20 * time.Second
			if r.IntN(12) == 0 {
				pauses[i] = time.Duration(1+r.IntN(80)) * time.Minute
			}
		}
		for _, cache := range caches(lives[seed/2%len(lives)]) {
			for _, price := range prices {
				tried++
				if billed(t, seed, entries, pauses, cache, price) {
					cheaper++
				}
			}
		}
	}
	if cheaper < tried/4 {
		t.Errorf("only %d of %d sessions are a tenth cheaper", cheaper, tried)
	}
}

// billed runs a session with a provider, and reports whether pruning reduced the cost by at least a
// tenth.
func billed(t *testing.T, seed int, entries []*history.Content, pauses []time.Duration, cache vendor.Cache, price Price) bool {
	t.Helper()
	e, all := newEngine(), newEngine()
	to, toAll := &provider{cache: cache, held: map[uint64]time.Time{}}, &provider{cache: cache, held: map[uint64]time.Time{}}
	at := time.Unix(1_000_000, 0)
	spent, none := 0.0, 0.0
	for i, entry := range entries {
		if entry.Speaker == history.AI {
			cold := spent == 0 || !cache.Alive(pauses[i])
			at = at.Add(pauses[i])
			m := RequestFacts{Price: price, Head: 500, Cold: cold, Cache: cache, At: at}
			e.Apply(e.Plan(m))
			for _, x := range []struct {
				*Engine
				to  *provider
				sum *float64
			}{{e, to, &spent}, {all, toAll, &none}} {
				m.Mark = x.Mark(m)
				*x.sum += cost(m, x.to.found(m.Head, bodyOf(x.Engine), m.Mark, at), m.Head+x.conversation.total)
				x.Sent(m)
			}
			if spent > none*(1+debt)+1e-6 {
				t.Fatalf("seed %d, %+v, price %v, request %d: %.0f is billed, %.0f for everything", seed, cache, price, e.conversation.request, spent, none)
			}
			if a := e.Account(); math.Abs(a.Spent-spent) > 0.001*spent || math.Abs(a.None-none) > 0.001*none {
				t.Fatalf("seed %d, %+v, price %v, request %d: %.1f is accounted for, %.1f billed; for everything %.1f and %.1f", seed, cache, price, e.conversation.request, a.Spent, spent, a.None, none)
			}
		}
		e.Add(entry)
		all.Add(entry)
	}
	checkShape(t, seed, entries, e)
	return spent < 0.9*none
}

// Reports of a provider correct the assumed lifetime of its cache. After several shortfalls, the
// cache is treated as one with marks at the ends of requests.
func TestReportsCorrectTheCache(t *testing.T) {
	t.Parallel()
	e := newEngine()
	clock := time.Unix(1_000_000, 0)
	believed := vendor.Cache{Life: 5 * time.Minute}
	request := func(pause time.Duration, share float64) {
		clock = clock.Add(pause)
		r := Request{At: clock.UnixMilli(), Model: "m", Head: 3000, Read: 0.1, Write: 1.25, Cache: e.CorrectCache(believed), Prompt: 10_000, Cached: int(10_000 * share)}
		r.Cold = e.NothingSent() || !r.Cache.Alive(pause)
		e.Add(r.Stamp(history.New(history.AI, &history.Text{Text: "hm"})))
		e.Add(history.HumanText(strings.Repeat("word ", 4000)))
	}
	for range 4 {
		request(time.Second, 0.99)
	}
	request(40*time.Minute, 0.98)
	if got := e.CorrectCache(believed).Life; got != 40*time.Minute {
		t.Errorf("the cache is believed to live %v", got)
	}
	request(20*time.Minute, 0)
	if got := e.CorrectCache(vendor.Cache{}).Life; got >= 20*time.Minute || got < 19*time.Minute {
		t.Errorf("after nothing was found the cache is believed to live %v", got)
	}
	for range shortfalls {
		if e.HasShortfalls() {
			t.Fatal("too early")
		}
		request(time.Second, 0.5)
	}
	if got := e.CorrectCache(vendor.Cache{StepTokens: 64}); !e.HasShortfalls() || got.Kind != vendor.CacheMarks || !got.Ends || got.Reach != 0 {
		t.Errorf("%+v", got)
	}
}

// The account uses the numbers that a reply reports.
func TestReportsSettleTheAccount(t *testing.T) {
	t.Parallel()
	e := newEngine()
	e.Add(history.HumanText(strings.Repeat("word ", 8000)))
	for i, cached := range []int{0, 9000, 4000} {
		before := e.Account().Spent
		e.Add(Request{At: int64(1 + i*1000), Model: "m", Read: 0.1, Write: 1, Cold: i == 0, Prompt: 10_000, Cached: cached}.Stamp(history.New(history.AI, &history.Text{Text: "hm"})))
		share := float64(cached) / 10_000
		total := float64(e.conversation.total - e.conversation.units[len(e.conversation.units)-1].tokens)
		if got, want := e.Account().Spent-before, total*(share*0.1+(1-share)); math.Abs(got-want) > 2 {
			t.Errorf("request %d cost %.1f, want %.1f", i, got, want)
		}
	}
}

// The free mark is before the first content that may be pruned. If there is none, it is at the end.
func TestFreeMark(t *testing.T) {
	t.Parallel()
	spoken := &talk{}
	spoken.human("go")
	for i := range 8 {
		spoken.call("grep", map[string]any{"pattern": fmt.Sprint(i)}, source("Found", 30), false)
	}
	e := newEngine()
	m := RequestFacts{Price: SafePrice, Pace: 7, Cache: vendor.Cache{Kind: vendor.CacheMarks, Reach: 20}}
	var marks []int
	for _, entry := range spoken.entries {
		if entry.Speaker == history.AI {
			m.Cold = e.NothingSent()
			m.Mark = e.Mark(m)
			marks = append(marks, m.Mark)
			e.Sent(m)
		}
		e.Add(entry)
	}
	if want := []int{1, 3, 5, 7, 9, 1, 1, 1}; !slices.Equal(marks, want) {
		t.Errorf("the mark stood at %v, want %v", marks, want)
	}
	m.Cache.Ends = true
	if e.Mark(m) != 0 {
		t.Error("a provider that marks by itself was sent a mark")
	}
}

// Decisions at the assumed price are safe at the price of every vendor. At no point is the bill
// more than 2.1 % above the bill for everything.
func TestSafePriceIsSafe(t *testing.T) {
	t.Parallel()
	cut := 0
	for seed := range historyCount(t, 40) {
		r := rand.New(rand.NewPCG(uint64(seed), 21))
		e, all := newEngine(), newEngine()
		cache := vendor.Cache{}
		to, toAll := &provider{cache: cache, held: map[uint64]time.Time{}}, &provider{cache: cache, held: map[uint64]time.Time{}}
		at := time.Unix(1_000_000, 0)
		reads := []float64{0.1, 0.05, 0.025}
		spent, none := make([]float64, len(reads)), make([]float64, len(reads))
		for _, entry := range randomTalk(r, 60) {
			if entry.Speaker == history.AI {
				m := RequestFacts{Price: SafePrice, Head: 500, Cold: e.NothingSent(), Cache: cache, At: at}
				plan := e.Plan(m)
				cut += len(plan.Changes)
				e.Apply(plan)
				found, foundAll := to.found(m.Head, bodyOf(e), 0, at), toAll.found(m.Head, bodyOf(all), 0, at)
				for i, read := range reads {
					m.Price = Price{Read: read, Write: SafePrice.Write}
					spent[i] += cost(m, found, m.Head+e.conversation.total)
					none[i] += cost(m, foundAll, m.Head+all.conversation.total)
					if spent[i] > 1.021*none[i] {
						t.Fatalf("seed %d, read %v, request %d: %.0f is billed, %.0f for everything", seed, read, e.conversation.request, spent[i], none[i])
					}
				}
				m.Price = SafePrice
				e.Sent(m)
				all.Sent(m)
			}
			e.Add(entry)
			all.Add(entry)
		}
	}
	if cut == 0 {
		t.Error("nothing was ever cut")
	}
}

// While nothing is pruned, the account shows no saving, whatever the provider reports.
func TestNoSavingWithoutCuts(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]func(prompt, held int) int{
		"everything":   func(_, held int) int { return held },
		"nothing":      func(int, int) int { return 0 },
		"steps of 64":  func(_, held int) int { return held - held%64 },
		"half of it":   func(_, held int) int { return held / 2 },
		"also the new": func(prompt, _ int) int { return prompt },
	} {
		for _, cache := range []vendor.Cache{{}, vendor.MarkedCache, {Kind: vendor.CacheMarks, Ends: true}} {
			e, held := newEngine(), 0
			for i, entry := range randomTalk(rand.New(rand.NewPCG(3, 7)), 60) {
				if entry.Speaker == history.AI {
					prompt := 500 + e.conversation.total
					entry = Request{
						At: int64(i+1) * 400_000, Model: "m", Head: 500, Read: 0.1, Write: 1.25, Cold: i%20 == 0, Cache: cache,
						Prompt: prompt, Cached: report(prompt, held),
					}.Stamp(entry)
					held = prompt
				}
				e.Add(entry)
			}
			if a := e.Account(); a.Spent != a.None || a.Spent == 0 {
				t.Errorf("%s, %+v: %.2f was spent, and %.2f without pruning", name, cache, a.Spent, a.None)
			}
		}
	}
}

// Part of the debt is never spent on text that an edit may quote. So the reserve for mistakes grows
// with the session.
func TestDebtIsKeptForFaults(t *testing.T) {
	t.Parallel()
	e, m := newEngine(), RequestFacts{Price: SafePrice, Head: 1000, Cold: true}
	before := e.account.faults(m, 1)
	e.account.None += 1e6
	if more := e.account.faults(m, 1) - before; more < unquoted*1e6-1 {
		t.Errorf("%.0f tokens more are kept after a session of a million", more)
	}
}
