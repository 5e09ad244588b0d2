package window

import (
	"context"
	"log/slog"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/todo"
)

// Config holds the dependencies of a Window. All fields are needed, except those documented as
// optional.
type Config struct {
	History *history.Service
	// Settings are read before each use, so that a change counts from the next
	// request on.
	Settings *settings.Settings
	// Strategy finds a strategy by its name; nil means compression.Get.
	Strategy func(name string) (compression.Strategy, error)
	// MakeHead makes the beginning of every request. It is called once for a window of one size
	// and one HeadFor, until Reset (D-94).
	MakeHead HeadMaker
	// HeadFor names the model and the endpoint for which the head is made. Nil means that the
	// head is the same for all.
	HeadFor func() string
	// Facts returns the traits of tools, which tell their effects on files.
	Facts compression.Facts
	// Counter returns the token counter for a model.
	Counter func(model string) history.Counter
	// Limit returns the known size of a model's window, in tokens. It is called if the setting
	// context-limit is unset.
	Limit func(model string) (int, bool)
	// Summarizer prepares to ask a model for summaries. The function it returns makes the
	// connection, off the owner's goroutine. Summarizer is nil if there is no model.
	Summarizer func(Urgency) Connect
	// Beside runs work off the owner's goroutine while the owner serves others, and returns when
	// it is done. If Beside is nil, the work runs on the owner's goroutine.
	Beside func(work func())
	// TranscriptPath returns the file that keeps the whole conversation, or "" if none does
	// (REQ-HD-012.1). Nil means none.
	TranscriptPath func() string
	// Todos returns the present todo list; nil means none (REQ-HD-011.2).
	Todos func() todo.List
	// Root is the folder of relative paths in calls.
	Root string
	// Log receives messages for developers only; nil discards them.
	Log *slog.Logger
	// Now returns the current time.
	Now func() time.Time
	// Price returns the price of cached input tokens of a model, relative to input that is not
	// cached; nil means unknown.
	Price func(model string) compression.Price
	// Cache returns the known facts about the cache of a model's provider; nil means none.
	Cache func(model string) vendor.Cache
	// KeepLife is called with the lifetime of a model's cache when a reply has taught a new one.
	// It may be nil.
	KeepLife func(model string, life time.Duration)
	// Cuts reports whether the server may cut prompts silently; nil means yes.
	Cuts func() bool
	// Files returns the text of a file on disk, or "" if the file cannot be read. Nil means that
	// there is no disk.
	Files func(path string) string
	// Copies maps digests of files to their texts, for replaying a record. It may be nil.
	Copies map[string]string
	// Recorded returns the recorded form of the present request during a replay, so that its head
	// has the recorded size. It returns false if the record has no such request. It is nil
	// outside of a replay.
	Recorded func() (compression.Request, bool)
	// Compacting returns the reason why the history must not be compressed now; "" permits it,
	// and the hard limit overrides a refusal. Compacted is called after each compression. Both
	// may take long, on the owner's goroutine, and may be nil.
	Compacting func(ctx context.Context, manual bool) (refused string)
	Compacted  func(ctx context.Context, manual bool)
	// Tell receives each step after it is done. It may be nil.
	Tell func(Step)
}

// A Connect returns a model to ask, and a function to call when the model is not needed any more.
type Connect func() (model *compression.Summarizer, release func(), err error)

// A Window keeps the next request within the model's window.
type Window struct {
	Config
	*measure
	*pruning
	ledger ledger
	// optimised is the generation of the history that density has seen (D-02).
	optimised uint64
	// noopReason is the reason why the latest compression did nothing.
	noopReason   string
	compressions int
	latest       Reported
	// refused is set after a refusal, until the end of the next pre-send window.
	refused bool
	vain    vain
}

// New returns a Window onto a history.
func New(config Config) *Window {
	if config.Tell == nil {
		config.Tell = func(Step) {}
	}
	if config.Strategy == nil {
		config.Strategy = compression.Get
	}
	if config.Beside == nil {
		config.Beside = func(work func()) { work() }
	}
	if config.TranscriptPath == nil {
		config.TranscriptPath = func() string { return "" }
	}
	if config.Todos == nil {
		config.Todos = func() todo.List { return nil }
	}
	w := &Window{Config: config}
	w.measure = &measure{Config: &w.Config, learned: make(map[string]learnedLimit), doubted: make(map[string]bool)}
	w.pruning = &pruning{measure: w.measure, ledger: &w.ledger, pins: make(map[string]bool)}
	return w
}

// Reset forgets the state of a conversation that was cleared. Facts learned about models stay.
func (w *Window) Reset() {
	w.ledger = ledger{turn: w.ledger.turn}
	w.noopReason, w.latest, w.vain = "", Reported{}, vain{}
	w.engine, w.request, w.observed = nil, nil, time.Time{}
	w.head.window = 0 // the next request begins a conversation
	clear(w.pins)
}

// Active returns the strategy in use.
func (c *Config) Active() (compression.Strategy, error) {
	return c.Strategy(settings.CompressionStrategy.Of(c.Settings))
}

// pruner returns the active strategy if it prunes by price.
func (c *Config) pruner() (compression.Pruner, bool) {
	strategy, err := c.Active()
	pruner, ok := strategy.(compression.Pruner)
	return pruner, err == nil && ok
}

// model returns the name of the model of the next request.
func (c *Config) model() string { return settings.Model.Of(c.Settings) }

// Copy returns a window onto another history, which knows of models and providers what w knows. It
// reports nothing, keeps nothing and asks no model, so that what comes next can be tried.
func Copy(w *Window, h *history.Service) *Window {
	w.prepare()
	config := w.Config
	config.History, config.Tell, config.Summarizer, config.Beside = h, nil, nil, nil
	config.Compacting, config.Compacted, config.KeepLife = nil, nil, nil
	c := New(config)
	c.head, c.counter, c.observed = w.head, w.counter, w.observed
	c.calibration, c.learned, c.doubted = w.calibration, w.learned, w.doubted // only reports of providers change them
	h.SetCounter(c.counter)
	return c
}
