// Package cachemiss determines why a request read less from the provider's cache than it could have. It
// compares the parts of each request with those of the previous request.
package cachemiss

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
)

// Cause is the cause of the first byte that differs from the cached request.
type Cause string

// The causes.
const (
	// CauseModel means that the model or the endpoint changed.
	CauseModel Cause = "model"
	// CauseTools means that the list of tools or the definition of a tool changed.
	CauseTools Cause = "tools"
	// CauseInstructions is a changed instruction file in the system prompt. CauseClock is a changed date or
	// time in the system prompt. CausePrompt is any other change of the system prompt.
	CauseInstructions Cause = "instructions"
	CauseClock        Cause = "clock"
	CausePrompt       Cause = "prompt"
	// CausePruning and CauseCompression are changes that make the conversation smaller. CauseEdit is any
	// other change of the conversation.
	CausePruning     Cause = "pruning"
	CauseCompression Cause = "compression"
	CauseEdit        Cause = "edited"
	// CauseTTL means that more time has passed than the provider keeps a prefix.
	CauseTTL Cause = "life"
	// CauseProvider means that nothing changed, but the provider did not find the prefix.
	CauseProvider Cause = "provider"
)

// MetaMiss is the key of a reply's metadata with the Miss of its request.
const MetaMiss = "cacheBreak"

// A Miss is a cache miss: a request that read less from the provider's cache than it could have.
type Miss struct {
	Cause Cause `json:"cause"`
	// What describes the first change in words.
	What string `json:"what"`
	// Provider is the reason that the provider reported, or "".
	Provider string `json:"provider,omitempty"`
	// At is the time of the request.
	At time.Time `json:"at"`
	// Tokens is the number of tokens that the provider had to process again. Dollars is their cost
	// above the price of cached tokens, or 0 if the price is unknown.
	Tokens  int     `json:"tokens"`
	Dollars float64 `json:"dollars,omitempty"`
}

// String returns the cache miss in one line.
func (b Miss) String() string {
	if b.Provider != "" {
		return "cache: " + b.What + " (the provider: " + b.Provider + "); " + b.cost()
	}
	return "cache: " + b.What + "; " + b.cost()
}

func (b Miss) cost() string {
	cost := humanize.Tokens(b.Tokens) + " tokens read again"
	if b.Dollars > 0 {
		cost += ", " + humanize.Dollars(b.Dollars)
	}
	return cost
}

// Request describes a request of the model as far as the provider's cache depends on it.
type Request struct {
	At time.Time
	// Model and Host are the model and the host that receive the request.
	Model, Host string
	// Head is a digest of the system prompt and the tools. Parts describes them, or is nil if that is
	// unknown.
	Head    string
	Parts   *Head
	Entries []*history.Content
	// Mark is the number of entries before a cache mark in the middle of the request, or 0 if there is
	// none. Every request also has a mark at its end.
	Mark int
	// Prompt is the size of the request in tokens that the provider reported.
	Prompt int

	// marks contains the numbers of entries before the marks of this request, and before the marks of
	// earlier requests that are a prefix of it.
	marks []int
}

// begins returns the length of the common prefix of two requests in entries.
func (s *Request) begins(other *Request) (n int) {
	for n < min(len(s.Entries), len(other.Entries)) && s.Entries[n] == other.Entries[n] {
		n++
	}
	return n
}

func (s *Request) mark(before *Request) {
	s.marks = []int{s.Mark, len(s.Entries)}
	if before == nil || before.Model != s.Model || before.Head != s.Head {
		return
	}
	both := s.begins(before)
	for _, at := range before.marks {
		if at <= both && !slices.Contains(s.marks, at) {
			s.marks = append(s.marks, at)
		}
	}
}

// A Detector compares the requests of a conversation. The zero Detector has seen no request.
type Detector struct {
	before, now *Request
	// reads is set once the provider has read from its cache for the model of the latest request. short
	// is the smallest number of tokens missed without a change. Some providers never read the tokens
	// that they count besides the conversation.
	reads bool
	short int
	// elsewhere is set while the next request may differ from the previous one in any way.
	elsewhere bool
	// freed is the number of tokens removed since the previous request. changed is the kind of the
	// first change since then, with a description of the change.
	freed   int
	changed Cause
	what    string
}

// Restore continues with the latest request of another process, or with an earlier one of this process.
// reads is set if the provider read from its cache for that model.
func (w *Detector) Restore(latest Request, reads bool) {
	if b := w.before; b != nil && b.Model == latest.Model && b.Head == latest.Head && b.At.After(latest.At) {
		latest.At = b.At // the later requests began with the same prefix
	}
	latest.mark(nil)
	*w = Detector{before: &latest, reads: reads, short: unknown}
}

// Reset clears the comparison, because the next request goes elsewhere and may differ in any way.
func (w *Detector) Reset() {
	*w = Detector{before: w.before, reads: w.reads, short: w.short, elsewhere: true}
}

// RecordChange records that the conversation was made smaller by freed tokens.
func (w *Detector) RecordChange(cause Cause, what string, freed int) {
	w.freed += freed
	if w.changed == "" {
		w.changed, w.what = cause, what
	}
}

// RecordRefresh records a request at a time that only refreshed the latest request in the cache.
func (w *Detector) RecordRefresh(at time.Time) {
	if w.before != nil {
		w.before.At = at
	}
}

// BeginRequest records a request that is being sent.
func (w *Detector) BeginRequest(s Request) { w.now = &s }

const (
	// least is the smallest number of missed tokens that counts, and share the smallest share of the
	// expected tokens. Providers find whole blocks, and do not find short prefixes.
	least = 1024
	share = 10
	// tail limits the tokens of a request that a provider counts after its last entry.
	tail = 64
	// unknown is the value of short until a report shows a shortfall.
	unknown = 1 << 40
)

// isRest reports whether the tokens that a request did not read may be an incomplete block, for
// providers with blocks of 1024 or 2048 tokens.
func isRest(lost, cached int) bool {
	for _, block := range []int{1024, 2048} {
		if cached > 0 && cached%block == 0 && lost < block+tail {
			return true
		}
	}
	return false
}

// CheckUsage compares the request that is being sent with the previous one, using the provider's report.
// It returns nil unless the request read less than it could have.
func (w *Detector) CheckUsage(u llm.Usage, cache vendor.Cache) *Miss {
	before, now := w.before, w.now
	if now == nil || u.PromptTokens <= 0 {
		return nil
	}
	now.Prompt = u.PromptTokens
	next := Detector{before: now, reads: u.CachedTokens > 0, short: unknown}
	now.mark(before)
	var found *Miss
	if before != nil {
		lost := cache.Whole(min(before.Prompt-w.freed, u.PromptTokens)) - u.CachedTokens
		cause, what := w.cause(cache, u.CachedTokens == 0)
		if cause != CauseModel {
			next.reads, next.short = next.reads || w.reads, w.short
		}
		if cause == CauseProvider && !w.elsewhere && u.CachedTokens > 0 {
			next.short = min(next.short, max(0, lost))
		}
		if next.short < unknown {
			lost -= next.short
		}
		if w.reads && !w.elsewhere && cache.Kind != vendor.CacheNone && lost >= max(least, before.Prompt/share) && !isRest(lost, u.CachedTokens) {
			found = &Miss{Cause: cause, What: what, Provider: humanize.Line(strings.ReplaceAll(u.CacheMiss, "_", " "), longestReason), At: now.At, Tokens: lost}
		}
	}
	*w = next
	return found
}

// longestReason limits the provider's reason, in characters.
const longestReason = 80

// usual is the expected lifetime of a prefix in a cache with unknown lifetime. Some providers keep an
// unused prefix for 5 minutes, others for less.
const usual = 4 * time.Minute

// CachedPart returns which part of a request is in the provider's cache from the previous request. entries
// is the number of entries at its beginning, and blocks the number of blocks of the following entry.
// head reports whether the system prompt and tools are cached.
func (w *Detector) CachedPart(next Request, cache vendor.Cache) (entries, blocks int, head bool) {
	before := w.before
	if before == nil || cache.Kind == vendor.CacheNone || before.Model != next.Model || before.Host != "" && before.Host != next.Host ||
		before.Head != next.Head || next.At.Sub(before.At) > cmp.Or(cache.Life, usual) {
		return 0, 0, false
	}
	entries = before.begins(&next)
	if cache.Kind == vendor.CacheMarks {
		found := 0
		for _, at := range before.marks {
			if at <= entries {
				found = max(found, at)
			}
		}
		return found, 0, true
	}
	if entries < min(len(before.Entries), len(next.Entries)) {
		was, is := before.Entries[entries].Blocks, next.Entries[entries].Blocks
		for blocks < min(len(was), len(is)) && was[blocks] == is[blocks] {
			blocks++
		}
	}
	return entries, blocks, true
}

// cause returns the first change. A changed model and an expired cache are checked before any
// comparison of bytes, because the cache then contains nothing of the request. nothing is set if the
// request read no cached tokens.
func (w *Detector) cause(cache vendor.Cache, nothing bool) (Cause, string) {
	before, now := w.before, w.now
	pause := now.At.Sub(before.At)
	heldNoLonger := "the provider had dropped the cache after " + humanize.Elapsed(pause)
	switch {
	case before.Model != now.Model:
		return CauseModel, fmt.Sprintf("the model changed from %s to %s", before.Model, now.Model)
	case before.Host != "" && before.Host != now.Host:
		return CauseModel, fmt.Sprintf("the endpoint changed from %s to %s", before.Host, now.Host)
	case cache.Life > 0 && pause > cache.Life:
		return CauseTTL, fmt.Sprintf("a pause of %s was longer than the cache lifetime of %s", humanize.Elapsed(pause), humanize.Elapsed(cache.Life))
	case before.Head != now.Head && w.changed == CauseCompression:
		return w.changed, w.what + ", and the prompt was rebuilt"
	case before.Head != now.Head:
		cause, what := headCause(before.Parts, now.Parts)
		if cause != CauseTools && cache.Life == 0 && pause >= usual && nothing {
			return CauseTTL, heldNoLonger // the tools, which precede the prompt, were not found either
		}
		return cause, what
	}
	for i, entry := range before.Entries {
		if i < len(now.Entries) && now.Entries[i] == entry {
			continue
		}
		if w.changed != "" {
			return w.changed, w.what
		}
		return CauseEdit, fmt.Sprintf("entry %d of the conversation changed", i+1)
	}
	if cache.Life == 0 && pause >= usual {
		return CauseTTL, heldNoLonger
	}
	return CauseProvider, "the provider did not use its cache, although nothing changed in the request"
}

// FirstChange describes the first change of the conversation since the previous request. It returns "" if no
// change is known.
func (w *Detector) FirstChange() string {
	if w.before == nil || w.now == nil { // no provider has reported usage yet
		return w.what
	}
	if cause, what := w.cause(vendor.Cache{}, false); cause != CauseTTL && cause != CauseProvider {
		return what
	}
	return ""
}

// MissesIn returns the cache misses stored in the replies among entries, in order.
func MissesIn(entries []*history.Content) (breaks []Miss) {
	for _, entry := range entries {
		if b, ok := history.MetaOf[Miss](entry, MetaMiss); ok {
			breaks = append(breaks, b)
		}
	}
	return breaks
}

// DescribeMisses returns cache misses as lines for a user, with their sum.
func DescribeMisses(breaks []Miss) []string {
	if len(breaks) == 0 {
		return []string{"No cache misses: each request read as much from the provider's cache as it could."}
	}
	var lines []string
	var sum Miss
	for _, b := range breaks {
		sum.Tokens, sum.Dollars = sum.Tokens+b.Tokens, sum.Dollars+b.Dollars
		layout := time.TimeOnly
		if !sameDay(b.At, breaks[0].At) || !sameDay(b.At, breaks[len(breaks)-1].At) {
			layout = time.DateTime
		}
		lines = append(lines, b.At.Format(layout)+"  "+b.cost(), "  "+b.What)
	}
	return append(lines, humanize.Count(len(breaks), "break")+": "+sum.cost())
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }
