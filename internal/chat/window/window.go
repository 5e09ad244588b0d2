package window

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/todo"
)

// Config holds the dependencies of a Window. All fields are required, except those documented as
// optional.
type Config struct {
	History *history.Service
	// Settings are read before each use, so that a change applies from the next request.
	Settings *settings.Settings
	Models   Models
	// Strategy looks up a strategy by its name. If nil, compression.Get is used.
	Strategy func(name string) (compression.Strategy, error)
	// MakeHead builds the head of every request. Until Reset, it is called once for each context window
	// size and each result of Models.HeadKey (D-94).
	MakeHead HeadMaker
	// Facts returns the traits of tools, which describe their effects on files.
	Facts compression.TraitsLookup
	// Summarizer prepares to request summaries from a model. The function that it returns connects to
	// the model, off the owner's goroutine. Summarizer is nil if there is no model.
	Summarizer func(Urgency) OpenSummarizer
	// Beside runs work off the owner's goroutine while the owner serves its inbox, and returns when the
	// work is done. If Beside is nil, the work runs on the owner's goroutine.
	Beside func(work func())
	// Moments receives the start and the end of compressions. It may be nil.
	Moments CompressionHooks
	// TranscriptPath returns the file that contains the whole conversation, or "" if there is none
	// (REQ-HD-012.1). It may be nil.
	TranscriptPath func() string
	// Todos returns the present todo list. It may be nil (REQ-HD-011.2).
	Todos func() todo.List
	// Root is the folder of relative paths in calls.
	Root string
	// Log receives messages for developers. If nil, they are discarded.
	Log *slog.Logger
	// Now returns the current time.
	Now func() time.Time
	// Files returns the text of a file on disk, or "" if the file cannot be read. It is nil if no files
	// are available.
	Files func(path string) string
	// FileTexts maps digests of files to their texts, for the replay of a session log. It may be nil.
	FileTexts map[string]string
	// Recorded returns the recorded form of the present request during a replay, so that its head has
	// the recorded size. It returns false if the session log has no such request. Otherwise it is nil.
	Recorded func() (compression.Request, bool)
	// OnStep receives each step after it is done. It may be nil.
	OnStep func(Step)
}

// CompressionHooks receives the start and the end of compressions. Both methods may take long, on the
// owner's goroutine.
type CompressionHooks interface {
	// BeforeCompression returns the reason why the history must not be compressed now; "" permits it. The hard
	// limit overrides a refusal.
	BeforeCompression(ctx context.Context, manual bool) (refused string)
	// AfterCompression is called after each compression.
	AfterCompression(ctx context.Context, manual bool)
}

// unattended implements Moments for a window without hooks.
type unattended struct{}

func (unattended) BeforeCompression(context.Context, bool) string { return "" }
func (unattended) AfterCompression(context.Context, bool)         {}

// A OpenSummarizer returns a model for summaries, and a function to release it after use.
type OpenSummarizer func() (model *compression.Summarizer, release func(), err error)

// A Window keeps the next request within the model's context window. It is made of parts. Limits, heads
// and Measure compute the present and the permitted size of the next request. Pruning and summaries
// make it smaller. The others track its content.
type Window struct {
	History *history.Service
	Limits  *Limits
	Measure *RequestMeter
	Ledger  *Ledger
	Pins    *Pins
	Pruning *Pruning
	// Staleness contains the pruning rules of strategies that do not weigh prices.
	Staleness *StaleFinder
	Contents  *Contents
	Costs     *CostAccounting

	config     Config
	strategies *strategies
	heads      *HeadBuilder
	pricing    *pricing
	summaries  *summaries
	todos      *carriedTodos

	// noopReason is the reason why the latest compression did nothing.
	noopReason   string
	compressions int
	latest       ProviderReport
	// refused is set from a refusal until the end of the next pre-send window.
	refused bool
}

// New returns a Window for a history.
func New(config Config) *Window {
	if config.OnStep == nil {
		config.OnStep = func(Step) {}
	}
	if config.Strategy == nil {
		config.Strategy = compression.Get
	}
	if config.Beside == nil {
		config.Beside = func(work func()) { work() }
	}
	if config.Moments == nil {
		config.Moments = unattended{}
	}
	if config.TranscriptPath == nil {
		config.TranscriptPath = func() string { return "" }
	}
	if config.Todos == nil {
		config.Todos = func() todo.List { return nil }
	}
	h, pins := config.History, make(map[string]bool)
	limits := NewLimits(config.Settings, config.Models.Limit)
	heads := &HeadBuilder{make: config.MakeHead, limits: limits, models: config.Models, facts: config.Facts, history: h, recorded: config.Recorded}
	measure := &RequestMeter{history: h, limits: limits, heads: heads, models: config.Models, tell: config.OnStep, doubted: make(map[string]bool)}
	ledger := &Ledger{heads: heads, facts: config.Facts, now: config.Now}
	strategies := &strategies{config.Settings, config.Strategy}
	stale := &StaleFinder{strategies: strategies, history: h, facts: config.Facts, root: config.Root, pins: pins}
	pricing := newPricing(config, strategies, heads, pins)
	pruning := &Pruning{history: h, measure: measure, ledger: ledger, staleness: stale, pricing: pricing, tell: config.OnStep, log: config.Log}
	return &Window{
		History: h, Limits: limits, Measure: measure, Ledger: ledger, Pruning: pruning, Staleness: stale,
		Pins:     &Pins{paths: pins, history: h, staleness: stale, pricing: pricing, ledger: ledger},
		Contents: &Contents{history: h, measure: measure, staleness: stale, pricing: pricing, pruning: pruning, facts: config.Facts},
		Costs:    &CostAccounting{pricing, measure},

		config: config, strategies: strategies, heads: heads, pricing: pricing,
		summaries: &summaries{history: h, prepare: config.Summarizer, beside: config.Beside},
		todos:     &carriedTodos{list: config.Todos, history: h, measure: measure},
	}
}

// Reset clears the state of the conversation. Facts learned about models are kept.
func (w *Window) Reset() {
	w.Ledger.prunes = nil
	w.noopReason, w.latest, w.summaries.vain = "", ProviderReport{}, vain{}
	w.pricing.reset()
	w.heads.renew() // the next request begins a new conversation
}

// ActiveStrategy returns the strategy in use.
func (w *Window) ActiveStrategy() (compression.Strategy, error) { return w.strategies.active() }

// Head returns the head of every request.
func (w *Window) Head() Head { return w.heads.Head() }

// HeadDigest returns a digest of the head, by which another process identifies the same head.
func (w *Window) HeadDigest() string { return w.heads.Digest() }

// Mark returns the number of entries at the beginning of sent that the strategy plans to keep
// unchanged. It returns false for a strategy without marks.
func (w *Window) Mark(sent []*history.Content) (entries int, ok bool) { return w.pricing.mark(sent) }

// Observe processes a provider's report about a request to model. estimate is the size of the request
// by our own count (D-09).
func (w *Window) Observe(model string, estimate int, reported ProviderReport) {
	w.latest = reported
	w.pricing.observe(reported)
	w.Measure.observe(model, estimate, reported)
}

// RecordRefresh records a request that only refreshed the latest request in the provider's cache.
func (w *Window) RecordRefresh(at time.Time) { w.pricing.warmed = at }

// StampReply returns a reply with metadata about its request. The metadata contains the provider's token
// scale and the limit learned from refusals, so that a resumed session has the same sizes. For a
// strategy that weighs prices it also contains the request, so that the log shows the cost and the
// savings of pruning.
func (w *Window) StampReply(reply *history.Content) *history.Content {
	model, _ := reply.Metadata[history.MetaModel].(string)
	if ratio, observed := w.Measure.calibration.Ratio(model); observed {
		reply = reply.WithMeta(history.MetaScale, ratio)
	}
	if limit, learned := w.Limits.learned[model]; learned {
		reply = reply.WithMeta(history.MetaLimit, limit)
	}
	return w.pricing.stamp(reply)
}

// Resume restores a recorded conversation whose entries are already in the history. pins lists its
// pinned files. steps are the recorded changes that led to the history. Only a strategy that weighs
// prices uses them. Resume returns the first error of steps.
func (w *Window) Resume(pins []string, steps iter.Seq2[history.Step, error]) error {
	return w.pricing.resume(pins, steps)
}

// Copy returns a window for another history. It shares what w has learned about models and providers.
// It reports nothing, saves nothing and requests no summary, so that the next step can be tried on it.
func Copy(w *Window, h *history.Service) *Window {
	w.heads.prepare()
	config := w.config
	config.History, config.OnStep, config.Summarizer, config.Beside = h, nil, nil, nil
	config.Moments, config.Models = nil, unkept{config.Models}
	c := New(config)
	c.heads.head, c.heads.counter, c.pricing.observed = w.heads.head, w.heads.counter, w.pricing.observed
	// only reports of providers change these fields
	c.Measure.calibration, c.Limits.learned, c.Measure.doubted = w.Measure.calibration, w.Limits.learned, w.Measure.doubted
	h.SetCounter(c.heads.counter)
	return c
}
