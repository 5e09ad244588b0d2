package offline

import (
	"iter"
	"maps"
	"slices"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/compression/cacheaware"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/traits"
)

// Input is a history to work on.
type Input struct {
	// Name is the file it came from, for reports.
	Name          string
	WorkspaceRoot string
	// History is the context as it is now.
	History []*history.Content
	// Said reads all entries as they were added, those that were pruned or compressed since
	// included. A log says when that was; documents say it by metadata.
	Said func() (session.Said, error)
	// Steps report how the context came about, Pins which files pruning leaves alone, and
	// Settings what was set in the session; a log says all of them.
	Steps    iter.Seq2[history.Step, error]
	Pins     []string
	Settings map[string]string
	// Scales say how providers count, by model, as far as a log says.
	Scales map[string]float64
	// Document is where it came from when that can carry configuration, else nil.
	Document *history.Document
}

// Engine works on one history with the user's settings, which the configuration
// of a document changes.
type Engine struct {
	Settings *settings.Settings
	Counter  func(model string) history.Counter
	Tools    *tools.Registry
	// System renders the system prompt a replay heads its requests with.
	System chat.SystemPrompt
	// Now is the clock by which a replay measures the pre-send window.
	Now func() time.Time
}

// prepared is an input with everything that working on it needs.
type prepared struct {
	Input
	strategy compression.Strategy
	window   *window.Window
}

// prepare configures the engine for the input and puts its entries into a live
// history.
func (e *Engine) prepare(in Input) (*prepared, error) {
	if err := e.configure(&in); err != nil {
		return nil, err
	}
	w := e.newWindow(in, view{head: noHead})
	strategy, err := w.Active()
	if err != nil {
		return nil, err
	}
	return &prepared{in, strategy, w}, w.History.Restore(in.History)
}

// inSession makes what was set in a session count, below the flags. What is not valid any
// more is as if it were not set, as when the session is resumed.
func (e *Engine) inSession(in Input) {
	for _, key := range slices.Sorted(maps.Keys(in.Settings)) {
		_ = e.Settings.Set(settings.ProfileLayer, key, in.Settings[key])
	}
}

// noHead is for a document, which no request brings to a model.
func noHead(bool, func(window.Head) bool) window.Head { return window.Head{} }

// view is what a window onto a file depends on besides the file.
type view struct {
	head window.HeadMaker
	tell func(window.Step)
	// now is the clock, nil for the engine's; price what a token costs and cache what is
	// known of the provider's, nil for not known; limit the window of a model nobody set,
	// nil for the common one.
	now   func() time.Time
	price func(model string) cacheaware.Price
	cache func(model string) cacheaware.Cache
	limit func(model string) (int, bool)
}

// always is for a window onto one model.
func always[T any](value T) func(string) T { return func(string) T { return value } }

// newWindow is the pre-send window onto an empty history.
func (e *Engine) newWindow(in Input, v view) *window.Window {
	if v.now == nil {
		v.now = e.Now
	}
	if v.limit == nil {
		v.limit = func(string) (int, bool) { return 0, false }
	}
	return window.New(window.Config{
		History:  history.NewService(e.Counter(settings.Model.Of(e.Settings)), nil),
		Settings: e.Settings,
		MakeHead: v.head,
		Facts:    e.facts(),
		Counter:  e.Counter,
		Limit:    v.limit,
		Price:    v.price,
		Cache:    v.cache,
		Root:     in.WorkspaceRoot,
		Now:      v.now,
		Tell:     v.tell,
	})
}

// head makes the beginning of every request, for a model that edits by replacing text.
func (e *Engine) head() window.HeadMaker {
	return chat.Head(e.Tools, traits.Replace, settings.Tools.Of(e.Settings) == settings.AllTools, e.System)
}
