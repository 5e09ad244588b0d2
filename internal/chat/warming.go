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
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
)

// String describes the refresh in a line.
func (w Warmed) String() string {
	waits := map[string]string{cachewarm.Work.String(): "during work", cachewarm.Answer.String(): "during a question", cachewarm.Message.String(): "between turns"}
	result := "no request followed yet"
	switch {
	case w.Failed != "":
		result = "failed (" + w.Failed + "); no refresh follows in this session"
	case w.Prompt == 0 && w.Held:
		result = "stopped"
	case !w.Held:
		result = "the cache no longer held it; no refresh follows in this session"
	case w.Saved > 0:
		result = "saved about " + humanize.Dollars(w.Saved)
	case w.Settled:
		result = "saved nothing alone"
	}
	return fmt.Sprintf("%s  refresh %s, %s tokens, %s: %s", w.At.Local().Format("15:04"), waits[w.Wait], humanize.Tokens(w.Prompt), humanize.Dollars(w.Cost), result)
}

// Warming sends the latest request again before the provider's cache forgets it, where the setting
// cache-warming asks for it and package cachewarm finds that it pays.
type Warming struct {
	inbox inbox
	chat  *Chat
	// flight is the refresh that is being sent; nil if there is none.
	flight atomic.Pointer[flight]
	// shown reports whether a user sees the chat; nil while it has its own window.
	shown atomic.Pointer[func() bool]

	// The rest belongs to the owner. base is the context of refreshes; it ends with the chat. serving is
	// set while the chat also waits between turns.
	base    context.Context
	serving bool
	account cachewarm.Account
	// latest is the latest request of the conversation, over entries, and provider got it.
	latest   llm.Request
	entries  []*history.Content
	provider llm.Provider
	// asked is its start, before the start of the one before it. used is the start of the latest
	// request that read the cache, and prompt the size of the cached request in tokens, 0 if the
	// provider reports none.
	asked, before, used time.Time
	prompt              int
	// sent is the size of the request before, in tokens. longer is the saving by a cache life of an hour so
	// far, in USD, as far as it is known.
	sent   int
	longer float64
	// came is the request after which the user's pause is known.
	came  time.Time
	timer *time.Timer
	// made lists the refreshes of the session. Those from open on wait for the next request, those
	// from told on were not told yet.
	made       []Warmed
	open, told int
}

// A flight is a refresh that is being sent, and the wait that it covers.
type flight struct {
	cancel context.CancelFunc
	wait   cachewarm.Wait
}

// Pressed stops a refresh at once, because a user types.
func (w *Warming) Pressed() {
	if f := w.flight.Load(); f != nil {
		f.cancel()
	}
}

// Detach notes that the chat has no window of its own. While shown returns false, only work is covered.
func (w *Warming) Detach(shown func() bool) { w.shown.Store(&shown) }

// Unseen stops a refresh that waits for the user at once, because a window was closed. If another shows
// the chat, the refresh continues.
func (w *Warming) Unseen() {
	if f := w.flight.Load(); f != nil && f.wait != cachewarm.Work && !w.isShown() {
		f.cancel()
	}
}

// Lines describes the refreshes of the session, oldest first. The last line says whether a longer cache
// life would have cost less.
func (w *Warming) Lines(ctx context.Context) ([]string, error) {
	return ask(ctx, w.inbox, func() (lines []string) {
		for _, one := range w.made {
			lines = append(lines, one.String())
		}
		if w.longer >= leastTold {
			lines = append(lines, "a cache life of an hour would have saved about "+humanize.Dollars(w.longer)+" so far. Run: /set prompt-cache 1h")
		}
		return lines
	})
}

// leastTold is the least saving that a line is worth, in USD.
const leastTold = 0.05

// Outlook returns a line with the time for which the cache still holds the conversation, and the costs
// of the next message before and after it. It returns "" if refreshes between turns are off or little
// can be saved.
func (w *Warming) Outlook(ctx context.Context) (string, error) {
	return ask(ctx, w.inbox, func() string {
		p, known := w.prefix()
		left := w.used.Add(p.Life).Sub(w.chat.config.Now())
		if settings.CacheWarming.Of(w.chat.config.Settings) != settings.WarmIdle || !known || left < time.Minute || p.Write-p.Read < leastTold {
			return ""
		}
		return fmt.Sprintf("Back within %s costs %s, later %s.", humanize.Count(int(left.Minutes()), "minute"), humanize.Dollars(p.Read), humanize.Dollars(p.Write))
	})
}

// sending notes a request of the conversation, and ends a refresh.
func (w *Warming) sending(entries []*history.Content, r llm.Request, p llm.Provider) {
	w.stop()
	w.before, w.asked, w.prompt = w.asked, w.chat.config.Now(), 0
	w.entries, w.latest, w.provider = entries, r, p
}

// stop ends the refresh that is being sent and sends no other until the next report.
func (w *Warming) stop() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.Pressed()
}

// reported takes the provider's report of the latest request, and plans a refresh.
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
			w.account.Paid(last.Saved)
		}
		for i := range w.made[w.open:] {
			w.made[w.open+i].Settled = true
		}
		w.open = len(w.made)
	}
	w.account.Sent(w.asked, prices.Cost(u.PromptTokens, u.CachedTokens, u.CacheWriteTokens, 0)+prices.CostOfHour(u.PromptTokens, u.LongWriteTokens))
	w.plan()
}

// compareLonger adds what the request would have saved or cost with marks that last an hour. Each write
// costs more then. After a longer pause than the cache lasts, only the new part is written.
func (w *Warming) compareLonger(u llm.Usage, prices settings.Prices) {
	cache, gap := (models{&w.chat.config}).Cache(w.latest.Model), w.asked.Sub(w.before)
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

// prices returns the prices of the model in use, false if none are known to decide by.
func (w *Warming) prices() (settings.Prices, bool) {
	c := &w.chat.config
	prices, ok := settings.InputPricesOf(c.Settings, c.Endpoint.Prices(w.latest.Model))
	return prices, ok && !prices.Free && !prices.Outdated
}

// prefix describes the latest request in the provider's cache, false if no refresh may keep it there.
func (w *Warming) prefix() (p cachewarm.Prefix, ok bool) {
	c := &w.chat.config
	prices, known := w.prices()
	cache := models{c}.Cache(w.latest.Model)
	p = cachewarm.Prefix{Life: cache.Life, Used: w.used}
	p.Read = prices.Cost(w.prompt, w.prompt, 0, 0)
	p.Write = max(prices.Cost(w.prompt, 0, w.prompt, 0), prices.Cost(w.prompt, 0, 0, 0))
	if w.latest.Cache.Policy == llm.Cache1h {
		p.Write += prices.CostOfHour(w.prompt, w.prompt)
	}
	// A model with a budget for its thinking keeps another cache for each limit of the reply.
	budget := vendor.ClaudeOf(w.latest.Model).Budget
	ok = known && w.prompt > 0 && w.base != nil && !budget && cache.Kind != vendor.CacheNone && c.Within == nil && !c.Endpoint.Local() &&
		settings.CacheWarming.Of(c.Settings) != settings.WarmOff
	return p, ok
}

// plan waits for the time of the next refresh.
func (w *Warming) plan() {
	p, ok := w.prefix()
	if !ok || p.Life == 0 {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(max(0, p.Due().Sub(w.chat.config.Now())), func() {
		w.inbox.post(func() {
			if w.timer == timer {
				w.timer = nil
				w.due()
			}
		})
	})
	w.timer = timer
}

// wait returns the reason that the conversation waits.
func (w *Warming) wait() cachewarm.Wait {
	switch {
	case len(w.chat.asker.open) > 0:
		return cachewarm.Answer
	case w.chat.waiting.working:
		return cachewarm.Work
	}
	return cachewarm.Message
}

// due sends a refresh if it still pays.
func (w *Warming) due() {
	c, wait := &w.chat.config, w.wait()
	p, ok := w.prefix()
	switch {
	case !ok, w.base.Err() != nil, !c.Now().Before(p.Used.Add(p.Life)), w.chat.stats.checkCost() != nil:
		return
	case wait == cachewarm.Message && (!w.serving || settings.CacheWarming.Of(c.Settings) != settings.WarmIdle):
		return
	case settings.Model.Of(c.Settings) != w.latest.Model, !w.isCurrent():
		return
	}
	if _, pays := w.account.Next(p, wait, w.pauses()); pays {
		w.refresh(p, wait)
	}
}

// isShown reports whether a user sees the chat.
func (w *Warming) isShown() bool {
	shown := w.shown.Load()
	return shown == nil || (*shown)()
}

// isCurrent reports whether the next request will begin as the latest one. Its last entry may stand
// for a message of the user in that request only.
func (w *Warming) isCurrent() bool {
	now, _ := w.chat.config.History.Curated()
	n := len(w.entries) - 1
	return n >= 0 && n <= len(now) && slices.Equal(w.entries[:n], now[:n])
}

// refreshTime limits the time of a refresh.
const refreshTime = 30 * time.Second

// refresh sends the latest request again, for the smallest reply.
func (w *Warming) refresh(p cachewarm.Prefix, wait cachewarm.Wait) {
	request, provider, asked := w.latest, w.provider, w.asked
	request.MaxOutputTokens, request.NoReply = 1, true
	request.Patience = &llm.Patience{First: refreshTime, Idle: refreshTime, Unattended: true}
	ctx, cancel := context.WithTimeout(llm.Unasked(w.base), refreshTime)
	sent := &flight{cancel, wait}
	w.flight.Store(sent)
	if w.Unseen(); ctx.Err() != nil {
		w.flight.Store(nil)
		return
	}
	start := w.chat.config.Now()
	go func() {
		used, err := usageOf(ctx, provider, request)
		cancel()
		w.inbox.post(func() {
			w.flight.CompareAndSwap(sent, nil)
			w.refreshed(Warmed{At: start, Warmed: session.Warmed{Model: request.Model, Host: hostOf(w.chat.config.Settings), Wait: wait.String()}}, p, used, err, asked)
		})
	}()
}

// usageOf streams a reply, discards it and returns its report. It leaves a reply that an endpoint does
// not limit.
func usageOf(ctx context.Context, provider llm.Provider, request llm.Request) (used llm.Usage, err error) {
	const most = 50 // pieces of a reply
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

// refreshed takes the report of a refresh. asked is the request that it repeated. A refresh that was
// stopped is charged as one that was not, and says nothing about the cache.
func (w *Warming) refreshed(done Warmed, p cachewarm.Prefix, used llm.Usage, err error, asked time.Time) {
	c := w.chat
	stopped := errors.Is(err, context.Canceled) && used.PromptTokens == 0
	done.Prompt, done.Cached, done.Cost = used.PromptTokens, used.CachedTokens, p.Read
	done.Held = stopped || 2*used.CachedTokens >= max(1, w.prompt, used.PromptTokens)
	if used.PromptTokens == 0 && !stopped {
		done.Failed = whyFailed(err)
	}
	c.stats.Requests++
	if used.PromptTokens > 0 {
		before := c.stats.Cost
		c.stats.count(done.Model, used, c.config.Settings, c.config.Endpoint)
		done.Cost = c.stats.Cost - before
	} else {
		c.stats.spend(p.Read)
	}
	w.account.Refreshed(done.Cost, done.Held)
	w.made = append(w.made, done)
	if c.config.Session != nil {
		_ = c.config.Session.Warmed(done.Warmed) // a record that fails is told of by Unsaved
	}
	c.emit(done)
	c.emitStatus()
	if asked == w.asked && used.PromptTokens > 0 && done.Held {
		w.used = done.At
		c.window.Warmed(done.At)
		c.stats.cache.watch.Warmed(done.At)
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

// tell reports the refreshes since the last report that a request followed.
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
	w.chat.emit.notice("cache kept warm: %d × %s, %s", len(told), humanize.Dollars(cost/float64(len(told))), result)
}

// leastKept is the shortest pause of a user that is kept: no cache forgets a prompt sooner.
const leastKept = time.Minute

// userCame notes the end of a pause of the user, or with Never that none came.
func (w *Warming) userCame(never bool) {
	pause, keep := w.chat.config.Now().Sub(w.asked), w.chat.config.Costs.Pauses
	if keep == nil || w.asked.IsZero() || w.came == w.asked || pause < leastKept || w.chat.config.Within != nil {
		return
	}
	w.came = w.asked
	if never {
		pause = cachewarm.Never
	}
	keep.Add(pause.Seconds())
}

// pauses returns the user's pauses.
func (w *Warming) pauses() (all cachewarm.Pauses) {
	if w.chat.config.Costs.Pauses == nil {
		return nil
	}
	for _, seconds := range w.chat.config.Costs.Pauses.Latest() {
		all = append(all, time.Duration(min(seconds, cachewarm.Never.Seconds()/2)*float64(time.Second)))
	}
	return all
}

// begin lets refreshes be sent until ctx ends. The result ends them.
func (w *Warming) begin(ctx context.Context, serving bool) (end func()) {
	if w.base != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	w.base, w.serving = ctx, serving
	return func() {
		if serving && w.wait() == cachewarm.Message {
			w.userCame(true)
		}
		w.stop()
		cancel()
		w.base, w.serving = nil, false
	}
}
