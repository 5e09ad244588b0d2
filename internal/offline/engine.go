package offline

import (
	"iter"
	"maps"
	"slices"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// Input is a history to work on.
type Input struct {
	// Name is the file from which the history was read, for reports.
	Name          string
	WorkspaceRoot string
	// History is the present context.
	History []*history.Content
	// Said reads all entries as they were added, including the entries pruned or compressed
	// since. A log has their times; documents have times in the metadata of entries.
	Said func() (session.Originals, error)
	// Steps lists the changes of the context, Prunes what left with them, Turn counts the user's
	// messages, Pins lists the files that pruning leaves alone, and Settings has the settings of
	// the session. Only a log has them.
	Steps    iter.Seq2[history.Step, error]
	Prunes   []history.Prune
	Turn     int
	Pins     []string
	Settings map[string]string
	// Scales maps models to the scale between the provider's count of tokens and ours, as far as
	// a log has it.
	Scales map[string]float64
	// Document is the source of the history if it can carry configuration, else nil.
	Document *history.Document
	// Against is the reference of a replay.
	Against Reference
}

// A Reference is the form of a recording to which a replay relates its costs.
type Reference string

// The references.
const (
	// AsRecorded sends the answers as the recording has them.
	AsRecorded Reference = "recorded"
	// AsSent sends the answers as this program does: no numbers before the lines of views, and answers
	// of commands and searches cut as they arrive. The other variants send no numbers either.
	AsSent Reference = "sent"
)

// An Engine works on one history with the user's settings. The configuration of a document
// changes its settings.
type Engine struct {
	Settings *settings.Settings
	Counter  func(model string) history.Counter
	Tools    *tools.Registry
	// System renders the system prompt of the requests in a replay.
	System chat.SystemPrompt
	// Now returns the time. A replay measures the pre-send window with it.
	Now func() time.Time
}

// prepared adds to an input everything needed to work on it.
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
	w := e.newWindow(in, View{head: noHead})
	strategy, err := w.Active()
	if err != nil {
		return nil, err
	}
	return &prepared{in, strategy, w}, w.History.Restore(in.History)
}

// inSession applies the settings of a session, below the flags. It ignores settings that are no
// longer valid, as a resumed session does.
func (e *Engine) inSession(in Input) {
	for _, key := range slices.Sorted(maps.Keys(in.Settings)) {
		_ = e.Settings.Set(settings.ProfileLayer, key, in.Settings[key])
	}
}

// noHead makes an empty head, for a document that no request sends to a model.
func noHead(bool, func(window.Head) bool) window.Head { return window.Head{} }

// View holds the parts of a window's configuration that do not come from the file.
type View struct {
	// OnStep receives the steps of the window; nil ignores them.
	OnStep func(window.Step)
	// Now returns the time, nil for the engine's clock. Price returns the price of a token and
	// Cache the properties of the provider's cache; nil if they are not known. Limit returns the
	// window of a model if no setting gives it, nil for the usual size.
	Now   func() time.Time
	Price func(model string) compression.Price
	Cache func(model string) vendor.Cache
	Limit func(model string) (int, bool)
	// FileTexts maps digests of files to their texts, and Recorded returns the recorded form of the
	// present request, both for replaying a record.
	FileTexts map[string]string
	Recorded  func() (compression.Request, bool)

	// Observe receives the changes of the history; nil if nobody does.
	Observe history.Observer

	// head makes the head of every request, nil for the head of the engine.
	head window.HeadMaker
}

// Window returns the pre-send window onto an empty history, with the settings of a document and of
// a session in effect.
func (e *Engine) Window(in *Input, v View) (*window.Window, error) {
	if err := e.configure(in); err != nil {
		return nil, err
	}
	e.inSession(*in)
	return e.newWindow(*in, v), nil
}

// constant returns a function with one value for all models.
func constant[T any](value T) func(string) T { return func(string) T { return value } }

// newWindow returns the pre-send window onto an empty history.
func (e *Engine) newWindow(in Input, v View) *window.Window {
	if v.Now == nil {
		v.Now = e.Now
	}
	if v.Limit == nil {
		v.Limit = func(string) (int, bool) { return 0, false }
	}
	if v.Price == nil {
		v.Price = constant(compression.SafePrice)
	}
	if v.Cache == nil {
		v.Cache = constant(vendor.Cache{})
	}
	if v.head == nil {
		v.head = e.head()
	}
	return window.New(window.Config{
		History:   history.NewService(e.Counter(settings.Model.Of(e.Settings)), v.Observe),
		Settings:  e.Settings,
		MakeHead:  v.head,
		Facts:     e.Facts(),
		Models:    models{e.Counter, v},
		Root:      in.WorkspaceRoot,
		FileTexts: v.FileTexts,
		Recorded:  v.Recorded,
		Now:       v.Now,
		OnStep:    v.OnStep,
	})
}

// head makes the system prompt and the tools of every request, for a model that edits by
// replacing text.
func (e *Engine) head() window.HeadMaker {
	return chat.Head(e.Tools, toolspec.Replace, settings.Tools.Of(e.Settings) == settings.AllTools, e.System)
}

// models knows of models what a view says, and keeps nothing.
type models struct {
	counter func(model string) history.Counter
	view    View
}

func (m models) Counter(model string) history.Counter { return m.counter(model) }
func (m models) Limit(model string) (int, bool)       { return m.view.Limit(model) }
func (m models) Price(model string) compression.Price { return m.view.Price(model) }
func (m models) Cache(model string) vendor.Cache      { return m.view.Cache(model) }
func (m models) KeepLife(string, time.Duration)       {}
func (m models) Cuts() bool                           { return true }
func (m models) HeadFor() string                      { return "" }
