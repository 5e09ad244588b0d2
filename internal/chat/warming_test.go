package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agent/internal/chat/cachewarm"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tools"
)

// warmBench is a running chat with a model that caches for five minutes. Its requests have 100k
// tokens at 5 dollars per million. So a refresh costs 5 cents and a miss costs 62.5 cents.
type warmBench struct {
	*bench
	pauses keptTurns
	// refreshes has the requests for the smallest possible reply. cached is the number of tokens
	// that the cache finds for them.
	refreshes []llm.Request
	cached    int
	// hang makes refreshes hang until they are stopped. fails is the error of refreshes, or nil.
	hang  bool
	fails error
	// works is the duration of the tool works.
	works time.Duration
}

// refreshed returns the refreshes of the session.
func (b *warmBench) refreshed(t *testing.T) ([]Warmed, error) {
	return ask(t.Context(), b.inbox, func() []Warmed { return slices.Clone(b.Warming.made) })
}

func warming(t *testing.T, play func(t *testing.T, b *warmBench), turns ...answerFunc) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &warmBench{bench: newBench(t), cached: 99_000}
		own := 0
		b.model.next = func(int) answerFunc {
			return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
				if req.MaxOutputTokens != 1 {
					own++
					turns[own-1](ctx, req, func(c llm.Chunk, err error) bool {
						if _, last := c.(llm.Finish); last && !yield(llm.Usage{PromptTokens: 100_000, CachedTokens: 99_000}, nil) {
							return false
						}
						return yield(c, err)
					})
					return
				}
				b.refreshes = append(b.refreshes, req)
				if b.hang {
					<-ctx.Done()
					yield(nil, ctx.Err())
					return
				}
				if b.fails != nil {
					yield(nil, b.fails)
					return
				}
				if !llm.IsWithoutUser(ctx) {
					t.Error("a refresh counts as asked for")
				}
				yield(llm.Text{Delta: "I"}, nil)
				yield(llm.Usage{PromptTokens: 100_000, CachedTokens: b.cached, CompletionTokens: 1}, nil)
				yield(llm.Finish{Reason: finishLength}, nil)
			}
		}
		b.at.prices = &settings.Prices{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}
		b.at.cache = vendor.MarkedCache
		b.config.Costs.Pauses = &b.pauses
		b.config.Tools = tools.NewRegistry(tools.Tool{
			Name: "works", Description: "works", Traits: tools.Traits{Reads: true}, Schema: []byte(`{"type":"object"}`),
			Plan: applied(func(ctx context.Context, _ *tools.Env) tools.Answer {
				select {
				case <-time.After(b.works):
				case <-ctx.Done():
				}
				return tools.Answer{Text: "worked"}
			}),
		})
		b.Chat = New(b.config)
		b.run()
		play(t, b)
		b.stop()
		b.valid()
	})
}

// While a call runs, the latest request is sent again before the cache expires, with the same bytes
// and for the smallest possible reply. The refresh has a cost, is reported at the end of the turn
// and listed, and changes nothing else.
func TestWarmDuringWork(t *testing.T) {
	t.Parallel()
	warming(t, func(t *testing.T, b *warmBench) {
		b.works = 10 * time.Minute
		b.Send("go")
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if len(b.refreshes) != 2 || len(b.model.requests) != 4 {
			t.Fatalf("%d refreshes of %d requests", len(b.refreshes), len(b.model.requests))
		}
		for _, refresh := range b.refreshes {
			if bytesOf(t, refresh) != bytesOf(t, b.model.requests[0]) {
				t.Error("a refresh has other bytes than the request")
			}
		}
		if got := notices(b.bench); !strings.Contains(got, "cache refreshed 2 times at $0.055 each: about $0.57 saved") {
			t.Errorf("told: %s", got)
		}
		stats, err := b.Stats(t.Context())
		if err != nil || stats.Requests != 4 || stats.Cost < 0.2 {
			t.Errorf("%+v, %v", stats, err)
		}
		listed, err := b.refreshed(t)
		if err != nil || len(listed) != 2 || listed[0].Wait != "work" || !strings.Contains(listed[1].String(), "saved about $0.57") || !strings.Contains(listed[0].String(), "saved nothing") {
			t.Errorf("%v, %v", listed, err)
		}
		if events := seen[Warmed](b.bench); len(events) != 2 || events[1].At.Sub(events[0].At) != 270*time.Second {
			t.Errorf("%+v", events)
		}
		if said := strings.Join(b.texts("ai"), "|"); said != "|done" {
			t.Errorf("the conversation has %q", said)
		}
	}, calls("works", `{}`), say("done"))
}

// No refresh is sent if it is disabled, impossible, or does not save cost.
func TestNotWarmed(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*warmBench){
		"off":            func(b *warmBench) { b.set("cache-warming", "off") },
		"a subscription": func(b *warmBench) { b.at.prices.Free = true },
		"old prices":     func(b *warmBench) { b.at.prices.Outdated = true },
		"no prices":      func(b *warmBench) { b.at.prices = nil },
		"a small saving": func(b *warmBench) {
			b.at.prices = &settings.Prices{Input: 0.3, Output: 1, CacheRead: 0.03, CacheWrite: 0.375}
		},
		"this machine":      func(b *warmBench) { b.at.local = true },
		"an unknown life":   func(b *warmBench) { b.at.cache = vendor.Cache{} },
		"no cache":          func(b *warmBench) { b.at.cache = vendor.Cache{Kind: vendor.CacheNone, Life: 5 * time.Minute} },
		"a thinking budget": func(b *warmBench) { b.set("model", "claude-sonnet-4-5") },
		"another model":     func(b *warmBench) { time.AfterFunc(time.Minute, func() { b.set("model", "other") }) },
		"quick work":        func(b *warmBench) { b.works = 4 * time.Minute },
		"max-cost":          func(b *warmBench) { b.set("max-cost", "0.01") },
	} {
		warming(t, func(t *testing.T, b *warmBench) {
			b.works = 10 * time.Minute
			change(b)
			b.Send("go")
			time.Sleep(9 * time.Minute)
			synctest.Wait()
			if len(b.refreshes) != 0 {
				t.Errorf("%s: %d refreshes", name, len(b.refreshes))
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
		}, calls("works", `{}`), say("done"))
	}
}

// Between turns, a refresh requires the setting idle, and a user who usually comes back.
func TestWarmBetweenTurns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode    string
		pause   time.Duration // earlier pauses of the user
		want    int
		outlook string
	}{
		{"working", 7 * time.Minute, 0, ""},
		{"idle", 7 * time.Minute, 1, "The next message costs $0.05 within 4 minutes, later $0.62."},
		{"idle", 2 * time.Hour, 0, ""},
	} {
		warming(t, func(t *testing.T, b *warmBench) {
			b.set("cache-warming", tt.mode)
			for range 20 {
				b.pauses = append(b.pauses, tt.pause.Seconds())
			}
			b.Send("go")
			synctest.Wait()
			_, _ = ask(t.Context(), b.inbox, func() bool { b.Warming.account.RecordSavings(1); return true }) // so that a loss is allowed
			time.Sleep(4*time.Minute + 31*time.Second)
			synctest.Wait()
			if len(b.refreshes) != tt.want {
				t.Errorf("%+v: %d refreshes", tt, len(b.refreshes))
			}
			if got, err := b.Warming.Forecast(t.Context()); err != nil || tt.want > 0 && got != tt.outlook || tt.mode != "idle" && got != "" {
				t.Errorf("%+v: %q, %v", tt, got, err)
			}
			time.Sleep(3 * time.Minute)
			b.Send("more")
			synctest.Wait()
			if told := strings.Contains(notices(b.bench), "cache refreshed 1 time at $0.055 each: about $0.57 saved"); told != (tt.want > 0) {
				t.Errorf("%+v: %s", tt, notices(b.bench))
			}
			if last := b.pauses[len(b.pauses)-1]; int(last) != 7*60+31 {
				t.Errorf("%+v: the pause is %f", tt, last)
			}
		}, say("one"), say("two"))
	}
}

// A session that no client shows has refreshes only during work, unless a user watches it through a
// client.
func TestWarmWithoutAWindow(t *testing.T) {
	t.Parallel()
	for _, shown := range []bool{false, true} {
		warming(t, func(t *testing.T, b *warmBench) {
			b.set("cache-warming", "idle")
			b.works = 6 * time.Minute
			for range 20 {
				b.pauses = append(b.pauses, (7 * time.Minute).Seconds())
			}
			b.Warming.Detach(func() bool { return shown })
			b.Send("go")
			time.Sleep(6*time.Minute + time.Second)
			synctest.Wait()
			if len(b.refreshes) != 1 {
				t.Errorf("shown %t: %d refreshes of work", shown, len(b.refreshes))
			}
			_, _ = ask(t.Context(), b.inbox, func() bool { b.Warming.account.RecordSavings(1); return true }) // so that a loss is allowed
			time.Sleep(time.Hour)
			synctest.Wait()
			if between := len(b.refreshes) - 1; between > 0 != shown {
				t.Errorf("shown %t: %d refreshes between turns", shown, between)
			}
		}, calls("works", `{}`), say("done"))
		warming(t, func(t *testing.T, b *warmBench) {
			for range 20 {
				b.pauses = append(b.pauses, (6 * time.Minute).Seconds())
			}
			b.Warming.Detach(func() bool { return shown })
			b.asker.show(gate.Question{Approval: Approval{Tool: "works"}})
			b.Send("go")
			synctest.Wait()
			_, _ = ask(t.Context(), b.inbox, func() bool { b.Warming.account.RecordSavings(1); return true })
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			if asked := len(b.refreshes); asked > 0 != shown {
				t.Errorf("shown %t: %d refreshes during a question", shown, asked)
			}
			b.Answer(1, Decision{Allow: true})
			synctest.Wait()
		}, say("one"))
	}
}

// If the cache was lost, it is not refreshed again, and the cost counts.
func TestAMissEndsWarming(t *testing.T) {
	t.Parallel()
	warming(t, func(t *testing.T, b *warmBench) {
		b.works, b.cached = 20*time.Minute, 0
		b.Send("go")
		time.Sleep(21 * time.Minute)
		b.Send("again")
		time.Sleep(21 * time.Minute)
		synctest.Wait()
		if len(b.refreshes) != 1 {
			t.Errorf("%d refreshes", len(b.refreshes))
		}
		if listed, _ := b.refreshed(t); len(listed) != 1 || listed[0].Held || !strings.Contains(listed[0].String(), "already expired") {
			t.Errorf("%v", listed)
		}
	}, calls("works", `{}`), say("done"), calls("works", `{}`), say("done"))
}

// A key stops a refresh at once, without a conclusion about the cache. After the end of the session
// no refresh is sent, and a refresh in progress is stopped.
func TestAKeyOrTheEndStopsARefresh(t *testing.T) {
	t.Parallel()
	for _, end := range []bool{false, true} {
		warming(t, func(t *testing.T, b *warmBench) {
			b.works, b.hang = 10*time.Minute, true
			b.Send("go")
			time.Sleep(4*time.Minute + 35*time.Second)
			synctest.Wait()
			if len(b.refreshes) != 1 || b.Warming.flight.Load() == nil {
				t.Fatalf("%d refreshes", len(b.refreshes))
			}
			if end {
				b.stop()
				CloseHandle(b.Handle)
				time.Sleep(time.Hour)
				synctest.Wait()
				if len(b.model.requests) != 2 {
					t.Errorf("%d requests", len(b.model.requests))
				}
				return
			}
			before := time.Now()
			b.Warming.CancelRefresh()
			synctest.Wait()
			events := seen[Warmed](b.bench)
			if len(events) != 1 || !events[0].Held || events[0].Prompt != 0 || !strings.Contains(events[0].String(), "stopped") {
				t.Fatalf("%+v", events)
			}
			if took := time.Since(before); took > 50*time.Millisecond {
				t.Errorf("it took %s", took)
			}
			time.Sleep(6 * time.Minute)
			synctest.Wait()
		}, calls("works", `{}`), say("done"))
	}
}

// When the last client leaves, a refresh that waits for the user is stopped. A refresh during work
// continues.
func TestTheLastWindowStopsARefresh(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ work, shown, stopped bool }{
		"between turns":        {stopped: true},
		"another window":       {shown: true},
		"work":                 {work: true},
		"work, another window": {work: true, shown: true},
	} {
		warming(t, func(t *testing.T, b *warmBench) {
			b.set("cache-warming", "idle")
			b.hang = true
			if c.work {
				b.works = 6 * time.Minute
			}
			for range 20 {
				b.pauses = append(b.pauses, (7 * time.Minute).Seconds())
			}
			var shown atomic.Bool
			shown.Store(true)
			b.Warming.Detach(shown.Load)
			b.Send("go")
			synctest.Wait()
			_, _ = ask(t.Context(), b.inbox, func() bool { b.Warming.account.RecordSavings(1); return true }) // so that a loss is allowed
			time.Sleep(4*time.Minute + 35*time.Second)
			synctest.Wait()
			if len(b.refreshes) != 1 || b.Warming.flight.Load() == nil {
				t.Fatalf("%s: %d refreshes", name, len(b.refreshes))
			}
			shown.Store(c.shown)
			b.Warming.StopIfUnseen()
			synctest.Wait()
			if stopped := b.Warming.flight.Load() == nil; stopped != c.stopped {
				t.Errorf("%s: stopped: %t", name, stopped)
			}
			b.Warming.CancelRefresh()
			time.Sleep(6 * time.Minute)
			synctest.Wait()
		}, calls("works", `{}`), say("done"))
	}
}

// A failed refresh reports its error and draws no conclusion about the cache. No other refresh
// follows, and the end of the turn does not report that the cache was kept.
func TestAFailedRefresh(t *testing.T) {
	t.Parallel()
	const refused = "the provider is overloaded"
	warming(t, func(t *testing.T, b *warmBench) {
		b.works, b.fails = 20*time.Minute, &llm.Error{Kind: llm.Unavailable, Where: "api.example", Message: refused}
		b.Send("go")
		time.Sleep(21 * time.Minute)
		synctest.Wait()
		if len(b.refreshes) != 1 {
			t.Errorf("%d refreshes", len(b.refreshes))
		}
		listed, _ := b.refreshed(t)
		if len(listed) != 1 || listed[0].Held || listed[0].Failed != refused {
			t.Errorf("%v", listed)
		}
		if got := notices(b.bench); strings.Contains(got, "kept warm") {
			t.Errorf("told: %s", got)
		}
	}, calls("works", `{}`), say("done"))
}

// The line of a refresh states its outcome.
func TestWarmedString(t *testing.T) {
	t.Parallel()
	sent := session.CacheRefresh{Wait: "work", Prompt: 100_000, Cached: 99_000, Cost: 0.055, Held: true}
	change := func(change func(*Warmed)) Warmed {
		w := Warmed{CacheRefresh: sent}
		change(&w)
		return w
	}
	failed := func(err error) Warmed {
		return change(func(w *Warmed) { w.Prompt, w.Cached, w.Held, w.Failed = 0, 0, false, whyFailed(err) })
	}
	for want, w := range map[string]Warmed{
		"no request has used it yet": {CacheRefresh: sent},
		"stopped":                    change(func(w *Warmed) { w.Prompt, w.Cached = 0, 0 }),
		"saved about $0.57":          change(func(w *Warmed) { w.Settled, w.Saved = true, 0.57 }),
		"saved nothing":              change(func(w *Warmed) { w.Settled = true }),
		"the cache had already expired; no more refreshes in this session":           change(func(w *Warmed) { w.Cached, w.Held = 0, false }),
		"failed (no reply within 30s); no more refreshes in this session":            failed(fmt.Errorf("sent: %w", context.DeadlineExceeded)),
		"failed (the key was refused); no more refreshes in this session":            failed(&llm.Error{Kind: llm.Auth, Where: "api.example", Message: "the key was refused", Hint: "log in"}),
		"failed (the provider reported no usage); no more refreshes in this session": failed(nil),
		"failed (two lines); no more refreshes in this session":                      failed(errors.New("two\nlines")),
	} {
		if _, got, _ := strings.Cut(w.String(), "refresh during work, "); !strings.HasSuffix(got, "$0.055: "+want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if long := whyFailed(errors.New(strings.Repeat("long ", 100))); len(long) > 90 {
		t.Errorf("%q", long)
	}
}

// A cache lifetime of an hour makes each write more expensive, and saves one write after a pause.
func TestALongerLifeIsCompared(t *testing.T) {
	t.Parallel()
	const five, read = 5 * time.Minute, 99_000
	type request struct {
		gap          time.Duration
		found, wrote int
	}
	// After a pause, the earlier prompt costs 5.75 dollars per million tokens. A written token
	// costs 3.75 dollars per million more.
	for name, c := range map[string]struct {
		requests []request
		want     string
		change   func(*warmBench)
	}{
		"a pause":         {requests: []request{{0, 0, 1000}, {time.Minute, read, 1000}, {2 * five, 0, 100_000}}, want: "$0.57"},
		"two pauses":      {requests: []request{{0, 0, 1000}, {2 * five, 0, 100_000}, {2 * five, 0, 100_000}}, want: "$0.21"},
		"no pause":        {requests: []request{{0, 0, 100_000}, {time.Minute, read, 1000}}},
		"a long pause":    {requests: []request{{0, 0, 1000}, {2 * time.Hour, 0, 100_000}}},
		"an hour already": {requests: []request{{0, 0, 1000}, {2 * five, 0, 100_000}}, change: func(b *warmBench) { b.set("prompt-cache", "1h") }},
		"no marks":        {requests: []request{{0, 0, 1000}, {2 * five, 0, 100_000}}, change: func(b *warmBench) { b.at.cache = vendor.Cache{Kind: vendor.CachePrefix, Life: five} }},
	} {
		warming(t, func(t *testing.T, b *warmBench) {
			if c.change != nil {
				c.change(b)
			}
			lines, err := ask(t.Context(), b.inbox, func() string {
				for _, r := range c.requests {
					b.Warming.sending(nil, llm.Request{Model: settings.Model.Value(b.config.Settings)}, nil)
					b.Warming.before = b.Warming.asked.Add(-r.gap)
					b.Warming.reported(llm.Usage{PromptTokens: r.found + r.wrote, CachedTokens: r.found, CacheWriteTokens: r.wrote})
				}
				return ""
			})
			all, err2 := b.Warming.Lines(t.Context())
			got := strings.Join(all, "|")
			if err != nil || err2 != nil || lines != "" || (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("%s: %q, %v, %v", name, got, err, err2)
			}
		}, say("done"))
	}
}

// While a prompt is open, the user's earlier pauses decide about a refresh.
func TestWarmDuringAQuestion(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{6 * time.Minute, 3 * time.Hour} {
		warming(t, func(t *testing.T, b *warmBench) {
			b.works = time.Second
			for range 20 {
				b.pauses = append(b.pauses, pause.Seconds())
			}
			b.asker.show(gate.Question{Approval: Approval{Tool: "works"}})
			b.Send("go")
			synctest.Wait()
			_, _ = ask(t.Context(), b.inbox, func() bool { b.Warming.account.RecordSavings(1); return true })
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			if want := map[bool]int{true: 1}[pause < time.Hour]; len(b.refreshes) != want {
				t.Errorf("%s: %d refreshes", pause, len(b.refreshes))
			}
			b.Answer(1, Decision{Allow: true})
			synctest.Wait()
		}, say("one"))
	}
}

// A script makes no refresh after its end.
func TestPromptEndsWarming(t *testing.T) {
	t.Parallel()
	warming(t, func(t *testing.T, b *warmBench) {
		b.stop()
		b.stop = func() {}
		b.set("cache-warming", "idle")
		if _, err := b.prompt("go"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(b.refreshes) != 0 || b.Warming.base != nil {
			t.Errorf("%d refreshes", len(b.refreshes))
		}
	}, say("one"))
}

// For the strategy and the list of misses, a refresh is a use of the cache. It does not count as
// evidence of a longer lifetime.
func TestARefreshIsAUse(t *testing.T) {
	t.Parallel()
	warming(t, func(t *testing.T, b *warmBench) {
		b.set("compression-strategy", "cache-aware")
		b.works = 9 * time.Minute
		b.Send("go")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		request, ok := sentFor(b.config.History.RawHistory()[3])
		if !ok || request.Cold || request.Warmed == 0 || request.Time().Sub(time.UnixMilli(request.Warmed)) > 5*time.Minute {
			t.Errorf("%+v", request)
		}
		if len(b.at.lives) != 0 {
			t.Errorf("learned %v", b.at.lives)
		}
		if misses, err := CacheMisses(nil, b.config.History); err != nil || len(misses) > 0 {
			t.Errorf("%v, %v", misses, err)
		}
	}, calls("works", `{}`), say("done"))
}

// The record contains each refresh.
func TestWarmedIsRecorded(t *testing.T) {
	t.Parallel()
	log, err := session.Create(session.Options{Dir: t.TempDir(), ID: "s", Workspace: "/w", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	want := session.CacheRefresh{Model: "m", Host: "h", Wait: cachewarm.WaitForWork.String(), Prompt: 10, Cached: 9, Cost: 0.5, Held: true}
	if err := log.RecordCacheRefresh(want); err != nil {
		t.Fatal(err)
	}
	if err := log.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.HumanText("hi")}); err != nil {
		t.Fatal(err)
	}
	path := log.Path()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for record, err := range session.ScanRecords(path) {
		if err != nil {
			t.Fatal(err)
		}
		if got, is := record.CacheRefresh(); is && got == want {
			return
		}
	}
	t.Error("the record has no refresh")
}
