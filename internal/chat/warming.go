package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat/cachewarm"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
)

// String describes the refresh in a line.
func (w Warmed) String() string {
	waits := map[string]string{cachewarm.WaitForWork.String(): "during work", cachewarm.WaitForAnswer.String(): "during a question", cachewarm.WaitForMessage.String(): "between turns"}
	result := "no request has used it yet"
	switch {
	case w.Failed != "":
		result = "failed (" + w.Failed + "); no more refreshes in this session"
	case w.Prompt == 0 && w.Held:
		result = "stopped"
	case !w.Held:
		result = "the cache had already expired; no more refreshes in this session"
	case w.Saved > 0:
		result = "saved about " + humanize.Dollars(w.Saved)
	case w.Settled:
		result = "saved nothing"
	}
	return fmt.Sprintf("%s  refresh %s, %s tokens, %s: %s", w.At.Local().Format("15:04"), waits[w.Wait], humanize.Tokens(w.Prompt), humanize.Dollars(w.Cost), result)
}

// Warming sends the latest request again before it expires in the provider's cache. It does so if the
// setting cache-warming enables it and package cachewarm computes that it pays.
type Warming struct {
	line    *Handle
	config  *Config
	waiting *waiting
	window  *window.Window
	// flight is the refresh that is being sent, or nil.
	flight atomic.Pointer[flight]
	// shown reports whether a window shows the chat. It is nil while the chat has its own window.
	shown atomic.Pointer[func() bool]

	// Only the owner goroutine uses the remaining fields. base is the context of refreshes, canceled
	// when the chat ends. serving is set while the chat also waits between turns.
	base    context.Context
	serving bool
	account cachewarm.Account
	// latest is the latest request of the conversation, made from entries. provider received it.
	latest   llm.Request
	entries  []*history.Content
	provider llm.Provider
	// asked is the time at which the latest request began, and before the time of the previous one.
	// used is the start of the latest request that read the cache. prompt is the size of the cached
	// request in tokens, or 0 if the provider reports none.
	asked, before, used time.Time
	prompt              int
	// sent is the size of the previous request, in tokens. longer is the amount in USD that a cache
	// lifetime of an hour would have saved so far.
	sent   int
	longer float64
	// came is the time of the request after which the user's pause is already recorded.
	came  time.Time
	timer *time.Timer
	// made lists the refreshes of the session. The refreshes from index open wait for the next request.
	// The refreshes from index told are not reported yet.
	made       []Warmed
	open, told int
}

// A flight is a refresh that is being sent, and the wait that it covers.
type flight struct {
	cancel context.CancelFunc
	wait   cachewarm.Wait
}

// CancelRefresh stops a refresh at once, because the user is typing.
func (w *Warming) CancelRefresh() {
	if f := w.flight.Load(); f != nil {
		f.cancel()
	}
}

// Detach marks that the chat has no window of its own. While shown returns false, refreshes cover only
// running work.
func (w *Warming) Detach(shown func() bool) {
	w.shown.Store(&shown)
	w.StopIfUnseen()
}

// StopIfUnseen stops a refresh that waits for the user at once, unless a window shows the chat. It is
// called after a window was closed.
func (w *Warming) StopIfUnseen() {
	if f := w.flight.Load(); f != nil && f.wait != cachewarm.WaitForWork && !w.isShown() {
		f.cancel()
	}
}

// Lines describes the refreshes of the session, oldest first. If a cache lifetime of an hour would have
// cost less, the last line reports that.
func (w *Warming) Lines(ctx context.Context) ([]string, error) {
	return ask(ctx, w.line.inbox, func() (lines []string) {
		for _, one := range w.made {
			lines = append(lines, one.String())
		}
		if w.longer >= leastTold {
			lines = append(lines, "a cache lifetime of 1h would have saved about "+humanize.Dollars(w.longer)+" so far. To use it, run: /set prompt-cache 1h")
		}
		return lines
	})
}

// leastTold is the smallest saving that is reported, in USD.
const leastTold = 0.05

// Forecast returns a line with the time left before the cache expires, and the cost of the next message
// before and after that. It returns "" if refreshes between turns are off or would save little, and while a
// session without a window works.
func (w *Warming) Forecast(ctx context.Context) (string, error) {
	return ask(ctx, w.line.inbox, func() string {
		p, known := w.prefix()
		left := w.used.Add(p.Life).Sub(w.config.Now())
		works := w.shown.Load() != nil && w.wait() == cachewarm.WaitForWork
		if works || settings.CacheWarming.Value(w.config.Settings) != settings.CacheWarmingIdle || !known || left < time.Minute || p.Write-p.Read < leastTold {
			return ""
		}
		return fmt.Sprintf("The next message costs %[2]s within %[1]s, later %[3]s.", humanize.Count(int(left.Minutes()), "minute"), humanize.Dollars(p.Read), humanize.Dollars(p.Write))
	})
}

// sending records a request of the conversation, and ends a refresh.
func (w *Warming) sending(entries []*history.Content, r llm.Request, p llm.Provider) {
	w.stop()
	w.before, w.asked, w.prompt = w.asked, w.config.Now(), 0
	w.entries, w.latest, w.provider = entries, r, p
}

// stop ends the refresh that is being sent, and prevents others until the next report.
func (w *Warming) stop() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.CancelRefresh()
}

// reported processes the provider's report of the latest request, and plans a refresh.
func (w *Warming) reported(u llm.Usage) {
	prices, ok := w.prices()
	if !ok || w.asked.IsZero() {
		return
	}
	if found := u.CachedTokens + u.CacheWriteTokens; 2*found >= u.PromptTokens {
		w.prompt = u.PromptTokens
	}
	w.compareLonger(u, prices)
	w.used = w.asked
	p, _ := w.prefix()
	if len(w.made) > w.open {
		last := &w.made[len(w.made)-1]
		if last.Held && w.asked.Sub(w.before) > p.Life && u.CachedTokens > 0 {
			last.Saved = (p.Write - p.Read) * float64(u.CachedTokens) / float64(max(1, u.PromptTokens))
			w.account.RecordSavings(last.Saved)
		}
		for i := range w.made[w.open:] {
			w.made[w.open+i].Settled = true
		}
		w.open = len(w.made)
	}
	w.account.RecordRequest(w.asked, prices.Cost(u.PromptTokens, u.CachedTokens, u.CacheWriteTokens, 0)+prices.CostOfHour(u.PromptTokens, u.LongWriteTokens))
	w.plan()
}

// compareLonger adds the amount that marks with a lifetime of an hour would have saved for the request,
// which may be negative. Each write would cost more. After a pause longer than the actual lifetime,
// only the new part would be written.
func (w *Warming) compareLonger(u llm.Usage, prices settings.Prices) {
	cache, gap := (models{w.config}).Cache(w.latest.Model), w.asked.Sub(w.before)
	before := w.sent
	w.sent = u.PromptTokens
	if cache.Kind != vendor.CacheMarks || cache.Life >= hourLife {
		return
	}
	found := 0
	if gap > cache.Life && gap <= hourLife {
		found = min(before, u.CacheWriteTokens)
	}
	w.longer += prices.Cost(u.PromptTokens, 0, found, 0) - prices.Cost(u.PromptTokens, found, 0, 0) - prices.CostOfHour(u.PromptTokens, u.CacheWriteTokens-found)
}

// prices returns the prices of the model in use. It returns false if they are unknown.
func (w *Warming) prices() (settings.Prices, bool) {
	c := w.config
	prices, ok := settings.InputPricesOf(c.Settings, c.Endpoint.Prices(w.latest.Model))
	return prices, ok && !prices.Free && !prices.Outdated
}

// prefix describes the cached part of the latest request. It returns false if a refresh cannot keep it
// in the cache.
func (w *Warming) prefix() (p cachewarm.Prefix, ok bool) {
	c := w.config
	prices, known := w.prices()
	cache := models{c}.Cache(w.latest.Model)
	p = cachewarm.Prefix{Life: cache.Life, Used: w.used}
	p.Read = prices.Cost(w.prompt, w.prompt, 0, 0)
	p.Write = max(prices.Cost(w.prompt, 0, w.prompt, 0), prices.Cost(w.prompt, 0, 0, 0))
	if w.latest.Cache.Policy == llm.Cache1h {
		p.Write += prices.CostOfHour(w.prompt, w.prompt)
	}
	// A model with a thinking budget has a separate cache for each reply limit.
	budget := vendor.ClaudeOf(w.latest.Model).Budget
	ok = known && w.prompt > 0 && w.base != nil && !budget && cache.Kind != vendor.CacheNone && c.AsSubagent == nil && !c.Endpoint.IsLocal() &&
		settings.CacheWarming.Value(c.Settings) != settings.CacheWarmingOff
	return p, ok
}

// plan starts a timer for the next refresh.
func (w *Warming) plan() {
	p, ok := w.prefix()
	if !ok || p.Life == 0 {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(max(0, p.RefreshTime().Sub(w.config.Now())), func() {
		w.line.inbox.post(func() {
			if w.timer == timer {
				w.timer = nil
				w.due()
			}
		})
	})
	w.timer = timer
}

func (w *Warming) wait() cachewarm.Wait {
	switch {
	case len(w.line.asker.open) > 0:
		return cachewarm.WaitForAnswer
	case w.waiting.working:
		return cachewarm.WaitForWork
	}
	return cachewarm.WaitForMessage
}

// due sends a refresh if it still pays.
func (w *Warming) due() {
	c, wait := w.config, w.wait()
	p, ok := w.prefix()
	switch {
	case !ok, w.base.Err() != nil, !c.Now().Before(p.Used.Add(p.Life)), w.line.stats.checkCost() != nil:
		return
	case wait == cachewarm.WaitForMessage && (!w.serving || settings.CacheWarming.Value(c.Settings) != settings.CacheWarmingIdle):
		return
	case settings.Model.Value(c.Settings) != w.latest.Model, !w.isCurrent():
		return
	}
	if _, pays := w.account.NextRefresh(p, wait, w.pauses()); pays {
		w.refresh(p, wait)
	}
}

// isShown reports whether a window shows the chat.
func (w *Warming) isShown() bool {
	shown := w.shown.Load()
	return shown == nil || (*shown)()
}

// isCurrent reports whether the next request will begin with the latest one. The last entry is not
// compared if it is a message for that request only.
func (w *Warming) isCurrent() bool {
	now, _ := w.config.History.Curated()
	n := len(w.entries) - 1
	return n >= 0 && n <= len(now) && slices.Equal(w.entries[:n], now[:n])
}

const refreshTime = 30 * time.Second

// refresh sends the latest request again, with the smallest reply limit.
func (w *Warming) refresh(p cachewarm.Prefix, wait cachewarm.Wait) {
	request, provider, asked := w.latest, w.provider, w.asked
	request.MaxOutputTokens, request.NoReply = 1, true
	request.Patience = &llm.Patience{First: refreshTime, Idle: refreshTime}
	ctx, cancel := context.WithTimeout(llm.WithoutUser(w.base), refreshTime)
	sent := &flight{cancel, wait}
	w.flight.Store(sent)
	if w.StopIfUnseen(); ctx.Err() != nil {
		w.flight.Store(nil)
		return
	}
	start := w.config.Now()
	go func() {
		used, err := usageOf(ctx, provider, request)
		cancel()
		w.line.inbox.post(func() {
			w.flight.CompareAndSwap(sent, nil)
			w.refreshed(Warmed{At: start, CacheRefresh: session.CacheRefresh{Model: request.Model, Host: hostOf(w.config.Settings), Wait: wait.String()}}, p, used, err, asked)
		})
	}()
}

// usageOf streams a reply, discards its text and returns the reported usage. It stops reading after 50
// chunks if the endpoint ignores the limit of the request.
func usageOf(ctx context.Context, provider llm.Provider, request llm.Request) (used llm.Usage, err error) {
	const most = 50 // chunks of a reply
	pieces := 0
	for chunk, err := range provider.Stream(ctx, request) {
		if err != nil {
			return used, err
		}
		switch chunk := chunk.(type) {
		case llm.Usage:
			used = chunk
		case llm.Text, llm.Reasoning:
			if pieces++; pieces > most {
				return used, nil
			}
		}
	}
	return used, nil
}

// refreshed processes the report of a refresh. asked is the request that it repeated. A stopped refresh
// is charged like a complete one, but does not show the state of the cache.
func (w *Warming) refreshed(done Warmed, p cachewarm.Prefix, used llm.Usage, err error, asked time.Time) {
	totals := w.line.stats
	stopped := errors.Is(err, context.Canceled) && used.PromptTokens == 0
	done.Prompt, done.Cached, done.Cost = used.PromptTokens, used.CachedTokens, p.Read
	done.Held = stopped || 2*used.CachedTokens >= max(1, w.prompt, used.PromptTokens)
	if used.PromptTokens == 0 && !stopped {
		done.Failed = whyFailed(err)
	}
	totals.Requests++
	if used.PromptTokens > 0 {
		before := totals.Cost
		totals.count(done.Model, used, w.config.Settings, w.config.Endpoint)
		done.Cost = totals.Cost - before
	} else {
		totals.spend(p.Read)
	}
	w.account.RecordRefresh(done.Cost, done.Held)
	w.made = append(w.made, done)
	if w.config.Session != nil {
		_ = w.config.Session.RecordCacheRefresh(done.CacheRefresh) // CheckSaved reports a failed write
	}
	w.line.emit(done)
	w.line.emitStatus()
	if asked == w.asked && used.PromptTokens > 0 && done.Held {
		w.used = done.At
		w.window.RecordRefresh(done.At)
		totals.cache.watch.RecordRefresh(done.At)
		w.plan()
	}
}

// whyFailed describes in a few words why a refresh failed. err is nil if its reply had no report.
func whyFailed(err error) string {
	const longest = 80
	var failure *llm.Error
	switch {
	case err == nil:
		return "the provider reported no usage"
	case errors.Is(err, context.DeadlineExceeded):
		return "no reply within " + refreshTime.String()
	case errors.As(err, &failure):
		return humanize.Line(failure.Message, longest)
	}
	return humanize.Line(err.Error(), longest)
}

// tell reports the refreshes since the last report that were followed by a request.
func (w *Warming) tell() {
	told := slices.DeleteFunc(slices.Clone(w.made[w.told:w.open]), func(one Warmed) bool { return one.Failed != "" })
	if w.told = w.open; len(told) == 0 {
		return
	}
	cost, saved := 0.0, 0.0
	for _, one := range told {
		cost, saved = cost+one.Cost, saved+one.Saved
	}
	result := "nothing saved"
	if saved > 0 {
		result = "about " + humanize.Dollars(saved) + " saved"
	}
	w.line.emit.notice("cache refreshed %s at %s each: %s", humanize.Count(len(told), "time"), humanize.Dollars(cost/float64(len(told))), result)
}

// leastKept is the shortest pause of a user that is stored. No cache expires sooner.
const leastKept = time.Minute

// userCame stores the end of a pause of the user. With never, it stores that the user did not return.
func (w *Warming) userCame(never bool) {
	pause, keep := w.config.Now().Sub(w.asked), w.config.Costs.Pauses
	if keep == nil || w.asked.IsZero() || w.came == w.asked || pause < leastKept || w.config.AsSubagent != nil {
		return
	}
	w.came = w.asked
	if never {
		pause = cachewarm.Never
	}
	keep.Add(pause.Seconds())
}

func (w *Warming) pauses() (all cachewarm.Pauses) {
	if w.config.Costs.Pauses == nil {
		return nil
	}
	for _, seconds := range w.config.Costs.Pauses.Latest() {
		all = append(all, time.Duration(min(seconds, cachewarm.Never.Seconds()/2)*float64(time.Second)))
	}
	return all
}

// begin enables refreshes until ctx ends. The returned function disables them.
func (w *Warming) begin(ctx context.Context, serving bool) (end func()) {
	if w.base != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	w.base, w.serving = ctx, serving
	return func() {
		if serving && w.wait() == cachewarm.WaitForMessage {
			w.userCame(true)
		}
		w.stop()
		cancel()
		w.base, w.serving = nil, false
	}
}
