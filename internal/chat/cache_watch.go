package chat

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat/cachemiss"
	"agent/internal/chat/calibrate"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/session"
	"agent/internal/settings"
)

// cacheWatch notices requests that read less from the provider's cache than they could have. Only the
// owner goroutine of the chat uses it.
type cacheWatch struct {
	emit     emitter
	now      func() time.Time
	history  *history.Service
	settings *settings.Settings
	endpoint Endpoint
	window   *window.Window
	watch    cachemiss.Detector
	// gauge estimates the sizes of the parts of the conversation. sent is the request that is being
	// sent.
	gauge calibrate.Calibration
	sent  calibrate.Request
	// answered describes the request whose reply is being received.
	answered compression.Request
	// head describes the system prompt and tools of the latest request, and headSum is its digest.
	// noted is the digest of the head that the session log describes.
	head           *cachemiss.Head
	headSum, noted string
	steps          cacheStep
	// found is the cache miss of the request whose reply is being received, or nil. told holds the
	// causes already reported to the user.
	found *cachemiss.Miss
	told  map[cachemiss.Cause]bool
	// waits is a notice that is shown after the reply, "" for none.
	waits string
}

// sending records a request that is being sent.
func (w *cacheWatch) sending(r llm.Request) {
	w.sent = w.measured(r.Model, w.window)
	w.answered = compression.Request{At: w.now().UnixMilli(), Model: r.Model, HeadSum: w.sent.Head, Head: w.sent.HeadTokens}
	mark, _ := w.window.Mark(w.sent.Entries)
	if w.head == nil || w.sent.Head != w.headSum {
		w.head, w.headSum = cachemiss.NewHead(r.System, r.Tools), w.sent.Head
	}
	w.watch.BeginRequest(cachemiss.Request{At: w.now(), Model: r.Model, Host: settings.BaseURL.Value(w.settings), Head: w.sent.Head, Parts: w.head, Entries: w.sent.Entries, Mark: mark})
}

// measured returns the request of a window, with sizes by our own count.
func (w *cacheWatch) measured(model string, of *window.Window) calibrate.Request {
	r := calibrate.Request{Model: w.at(model), Head: of.HeadDigest(), HeadTokens: of.Measure.Estimate() - of.History.TotalTokens()}
	r.Entries, r.Tokens = of.History.Curated()
	return r
}

// step records a change that made the conversation smaller.
func (w *cacheWatch) step(step window.Step) {
	switch step := step.(type) {
	case window.Density:
		what := "our pruning"
		if len(step.Prunes) > 0 {
			subject := step.Prunes[0].Subject
			if filepath.IsAbs(subject) {
				subject = filepath.Base(subject) // the path may be long
			}
			what += " took " + humanize.Line(subject, 40)
		}
		if more := len(step.Prunes) - 1; more > 0 {
			what += fmt.Sprintf(" and %d more", more)
		}
		w.watch.RecordChange(cachemiss.CausePruning, what, step.TokensBefore-step.TokensAfter)
	case window.Compression:
		if step.Applied {
			w.noted = "" // the compression may have removed the reply that describes the head
			w.watch.RecordChange(cachemiss.CauseCompression, "a compression rewrote the conversation", step.TokensBefore-step.TokensAfter)
		}
	}
}

// metaSent is the key of a reply's metadata with the request that it answers. It is for strategies that
// do not record compression.MetaRequest, without which no cost accounting includes the request.
const metaSent = "sent"

// sentFor returns the recorded request that an entry answers.
func sentFor(entry *history.Content) (r compression.Request, ok bool) {
	if r, ok = history.MetaOf[compression.Request](entry, compression.MetaRequest); !ok {
		r, ok = history.MetaOf[compression.Request](entry, metaSent)
	}
	return r, ok && r.Prompt > 0
}

// reported processes the provider's report of the request. It keeps a notice for tell about the first
// cache miss of each cause.
func (w *cacheWatch) reported(model string, u llm.Usage) {
	if w.sent.Entries != nil && u.PromptTokens > 0 {
		w.gauge.Observe(w.sent, u.PromptTokens)
		w.steps.saw(w.sent.Model, u.CachedTokens)
		w.sent = calibrate.Request{}
		w.answered.Prompt, w.answered.Cached = u.PromptTokens, u.CachedTokens
	}
	if w.found = w.watch.CheckUsage(u, cacheOf(w.settings, w.endpoint.Cache(model))); w.found == nil {
		return
	}
	if prices, ok := settings.InputPricesOf(w.settings, w.endpoint.Prices(model)); ok {
		const million = 1_000_000
		w.found.Dollars = float64(w.found.Tokens) * max(0, prices.Input-prices.CacheRead) / million
	}
	if !w.told[w.found.Cause] && settings.NoticeCache.Value(w.settings) == "on" {
		w.told[w.found.Cause] = true
		w.waits = w.found.String()
	}
}

// tell shows the notice about the latest reply. It runs after the reply, because the notice would
// otherwise interrupt its text.
func (w *cacheWatch) tell() {
	if w.waits != "" {
		w.emit.notice("%s", w.waits)
		w.waits = ""
	}
}

// stamp adds metadata to a reply: its request, the head of the request if that is new, and the cache
// miss if there was one.
func (w *cacheWatch) stamp(reply *history.Content) *history.Content {
	if sent := w.answered; sent.Prompt > 0 {
		if _, noted := reply.Metadata[compression.MetaRequest]; !noted {
			reply = reply.WithMeta(metaSent, sent)
		}
		if w.noted != sent.HeadSum {
			reply, w.noted = reply.WithMeta(cachemiss.MetaHead, *w.head), sent.HeadSum
		}
	}
	w.answered = compression.Request{}
	if w.found != nil {
		reply, w.found = reply.WithMeta(cachemiss.MetaMiss, *w.found), nil
	}
	return reply
}

// resume continues after the latest request in the session log.
func (w *cacheWatch) resume(restored session.State) {
	var latest *cachemiss.Request
	head, reads, heads := 0, map[string]bool{}, map[string]*cachemiss.Head{}
	for i, entry := range restored.Entries {
		r, ok := sentFor(entry)
		if !ok {
			continue
		}
		if h, described := history.MetaOf[cachemiss.Head](entry, cachemiss.MetaHead); described {
			heads[r.HeadSum] = &h
		}
		host, _ := entry.Metadata[history.MetaHost].(string)
		if host == hostOf(w.settings) {
			host = settings.BaseURL.Value(w.settings)
		}
		head, reads[r.Model] = r.Head, reads[r.Model] || r.Cached > 0
		latest = &cachemiss.Request{At: r.Time(), Model: r.Model, Host: host, Head: r.HeadSum, Parts: heads[r.HeadSum], Entries: restored.Entries[:i], Prompt: r.Prompt}
	}
	if latest == nil {
		return
	}
	for _, miss := range cachemiss.MissesIn(restored.Entries) {
		w.told[miss.Cause] = true
	}
	w.watch.Restore(*latest, reads[latest.Model])
	w.noted = ""
	if latest.Parts != nil {
		w.noted = latest.Head
	}
	entries, tokens := w.history.Curated()
	if n := len(latest.Entries); n <= len(entries) && slices.Equal(entries[:n], latest.Entries) {
		w.gauge.Observe(calibrate.Request{Model: w.at(latest.Model), Head: latest.Head, HeadTokens: head, Entries: entries[:n], Tokens: tokens[:n]}, latest.Prompt)
	}
}

// forget clears the state, because the conversation begins again: the next request may miss the cache.
func (w *cacheWatch) forget() {
	w.watch.Reset()
	w.noted = ""
}

// let records that the user pruned an item from the context.
func (w *cacheWatch) let(item Item, tokens int) {
	w.watch.RecordChange(cachemiss.CauseEdit, "you let "+humanize.Line(item.Subject, 40)+" go", tokens)
}

// at returns a model together with the endpoint in use.
func (w *cacheWatch) at(model string) string { return model + " " + settings.BaseURL.Value(w.settings) }

// CacheMisses lists the requests of the session with a cache miss. Without a session log it lists only
// the misses whose replies are in the context.
func CacheMisses(log *session.Log, h *history.Service) ([]cachemiss.Miss, error) {
	if log == nil {
		return cachemiss.MissesIn(h.RawHistory()), nil
	}
	state, err := log.State()
	if err != nil {
		return nil, err
	}
	return CacheMissesIn(state)
}

// CacheMissesIn lists the cache misses in the log of a session.
func CacheMissesIn(state session.State) (misses []cachemiss.Miss, err error) {
	said, err := state.Originals()
	for _, entries := range said.Stretches {
		misses = append(misses, cachemiss.MissesIn(entries)...)
	}
	return misses, err
}
