package window

import (
	"context"
	"log/slog"
	"time"

	"agent/internal/compression"
	"agent/internal/compression/cacheaware"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/todo"
)

// Config is what a Window is made of. All of it is needed, but for
// what may be nil.
type Config struct {
	History *history.Service
	// Settings are read before each use, so that a change counts from the next
	// request on.
	Settings *settings.Settings
	// Strategy finds a strategy by its name; nil for those that there are.
	Strategy func(name string) (compression.Strategy, error)
	// MakeHead makes what every request begins with; it is asked once for a window of one
	// size and one HeadFor, until Reset (D-94).
	MakeHead HeadMaker
	// HeadFor names for whom the head is made: the model and its endpoint; nil for
	// anybody.
	HeadFor func() string
	// Facts knows what the tools do to files.
	Facts compression.Facts
	// Counter returns the token counter for a model.
	Counter func(model string) history.Counter
	// Limit returns what is known about a model's window, in tokens; it is asked when
	// the setting context-limit is unset.
	Limit func(model string) (int, bool)
	// Summarizer prepares to ask a model for summaries; the function it returns makes
	// the connection, off the owner's goroutine. Nil where there is no model.
	Summarizer func(Urgency) Connect
	// Beside runs work off the owner's goroutine and returns when it is done, while the
	// owner serves others. Nil runs it at once.
	Beside func(work func())
	// TranscriptPath returns the file that keeps the whole conversation, empty when none
	// does (REQ-HD-012.1). Nil is none.
	TranscriptPath func() string
	// Todos returns the todo list as it is; nil where there is none (REQ-HD-011.2).
	Todos func() todo.List
	// Root is the folder that relative paths in calls mean.
	Root string
	// Log gets what only a developer wants to know; nil where nothing keeps it.
	Log *slog.Logger
	// Now is the clock.
	Now func() time.Time
	// Price is what a token of input costs at a model, relative to one that is not
	// cached; nil for not known.
	Price func(model string) cacheaware.Price
	// Cache is what is known of the cache of a model's provider; nil for nothing.
	Cache func(model string) cacheaware.Cache
	// KeepLife is called with the life of a model's cache when a reply has taught it; nil
	// hears nothing.
	KeepLife func(model string, life time.Duration)
	// Cuts reports whether the server may be one that cuts prompts off without a word;
	// nil for yes.
	Cuts func() bool
	// Files returns the text of a file on disk, empty when it cannot be read; nil where
	// there is no disk.
	Files func(path string) string
	// Copies are texts of files by their digest, for a replay of a record that holds them;
	// nil for none.
	Copies map[string]string
	// Recorded is, for a replay, what the record says of the request that is made: its
	// head counts as it was. It is nil live, and returns false where the record says nothing.
	Recorded func() (cacheaware.Request, bool)
	// Compacting says why the history is not to be compressed now; empty lets it be, and so
	// does the hard limit. Compacted is called after each compression. Both may take long,
	// on the owner's goroutine, and may be nil.
	Compacting func(ctx context.Context, manual bool) (refused string)
	Compacted  func(ctx context.Context, manual bool)
	// Tell receives each step after it is done; nil hears nothing.
	Tell func(Step)
}

// Connect returns a model to ask, and what is to be called when it is not needed any
// more.
type Connect func() (model *compression.Summarizer, release func(), err error)

// Window keeps the next request within the model's window.
type Window struct {
	Config
	*measure
	*pruning
	ledger ledger
	// optimised is the generation of the history that density has seen (D-02).
	optimised uint64
	// noopReason is why the latest compression found nothing to do.
	noopReason   string
	compressions int
	latest       Reported
	// refused is set from a refusal to the end of the next pre-send window.
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

// Reset forgets what depends on a conversation that was cleared. What was learned
// about models stays.
func (w *Window) Reset() {
	w.ledger = ledger{turn: w.ledger.turn}
	w.noopReason, w.latest, w.vain = "", Reported{}, vain{}
	w.engine, w.request, w.observed = nil, nil, time.Time{}
	w.head.window = 0 // the next request begins a conversation
	clear(w.pins)
}

// Active is the strategy in force.
func (c *Config) Active() (compression.Strategy, error) {
	return c.Strategy(settings.CompressionStrategy.Of(c.Settings))
}

// pruner is the active strategy if that prunes by price.
func (c *Config) pruner() (compression.Pruner, bool) {
	strategy, err := c.Active()
	pruner, ok := strategy.(compression.Pruner)
	return pruner, err == nil && ok
}

// model names the model of the next request.
func (c *Config) model() string { return settings.Model.Of(c.Settings) }
