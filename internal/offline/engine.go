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

// Input is a history to process.
type Input struct {
	// Name is the file from which the history was read, for reports.
	Name          string
	WorkspaceRoot string
	// History is the present context.
	History []*history.Content
	// Said reads all entries as they were added, including the entries pruned or compressed since. A
	// log contains their times. Documents have times in the metadata of entries.
	Said func() (session.Originals, error)
	// Steps lists the changes of the context, and Prunes the content that they removed. Turn counts the
	// user's messages, Pins lists the pinned files, and Settings contains the settings of the session.
	// Only a log has these.
	Steps    iter.Seq2[history.Step, error]
	Prunes   []history.Prune
	Turn     int
	Pins     []string
	Settings map[string]string
	// Scales maps models to the scale between the provider's token count and ours, if the log contains
	// it.
	Scales map[string]float64
	// Document is the source of the history if it can contain configuration. Otherwise it is nil.
	Document *history.Document
	// Against is the reference for a replay.
	Against Reference
}

// A Reference is the form of a recording with which a replay compares costs.
type Reference string

// The references.
const (
	// AsRecorded sends the answers unchanged.
	AsRecorded Reference = "recorded"
	// AsSent sends the answers as this program would: without line numbers in views, and with answers
	// of commands and searches cut when they arrive. The other variants send no numbers either.
	AsSent Reference = "sent"
)

// An Engine processes one history with the user's settings. The configuration of a document changes the
// engine's settings.
type Engine struct {
	Settings *settings.Settings
	Counter  func(model string) history.Counter
	Tools    *tools.Registry
	// System renders the system prompt of the requests in a replay.
	System chat.SystemPrompt
	// Now returns the time. A replay uses it to measure the pre-send window.
	Now func() time.Time
}

// prepared is an input with everything needed to process it.
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
	noHead := func(bool, func(window.Head) bool) window.Head { return window.Head{} } // the document is not sent to a model
	w := e.newWindow(in, View{head: noHead})
	strategy, err := w.ActiveStrategy()
	if err != nil {
		return nil, err
	}
	return &prepared{in, strategy, w}, w.History.Restore(in.History)
}

// inSession applies the settings of a session, with lower precedence than the flags. It ignores
// settings that are no longer valid, as a resumed session does.
func (e *Engine) inSession(in Input) {
	for _, key := range slices.Sorted(maps.Keys(in.Settings)) {
		_ = e.Settings.Set(settings.LayerProfile, key, in.Settings[key])
	}
}

// View contains the parts of a window's configuration that do not come from the file.
type View struct {
	// OnStep receives the steps of the window. It may be nil.
	OnStep func(window.Step)
	// Now returns the time. If nil, the engine's clock is used. Price returns the token price and Cache
	// the properties of the provider's cache. They are nil if unknown. Limit returns the context window
	// of a model if no setting sets it. If nil, the default size is used.
	Now   func() time.Time
	Price func(model string) compression.Price
	Cache func(model string) vendor.Cache
	Limit func(model string) (int, bool)
	// FileTexts maps digests of files to their texts. Recorded returns the recorded form of the present
	// request. Both are for the replay of a log.
	FileTexts map[string]string
	Recorded  func() (compression.Request, bool)

	// Observe receives the changes of the history. It may be nil.
	Observe history.Observer

	// head builds the head of every request. If nil, the head of the engine is used.
	head window.HeadMaker
}

// Window returns the pre-send window for an empty history, with the settings of a document and of a
// session applied.
func (e *Engine) Window(in *Input, v View) (*window.Window, error) {
	if err := e.configure(in); err != nil {
		return nil, err
	}
	e.inSession(*in)
	return e.newWindow(*in, v), nil
}

// constant returns a function that returns one value for all models.
func constant[T any](value T) func(string) T { return func(string) T { return value } }

// newWindow returns the pre-send window for an empty history.
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
		History:   history.NewService(e.Counter(settings.Model.Value(e.Settings)), v.Observe),
		Settings:  e.Settings,
		MakeHead:  v.head,
		Facts:     e.ToolTraits(),
		Models:    models{e.Counter, v},
		Root:      in.WorkspaceRoot,
		FileTexts: v.FileTexts,
		Recorded:  v.Recorded,
		Now:       v.Now,
		OnStep:    v.OnStep,
	})
}

// head builds the system prompt and the tools of every request, for a model that edits by replacing
// text.
func (e *Engine) head() window.HeadMaker {
	return chat.NewHeadMaker(e.Tools, toolspec.EditReplace, settings.Tools.Value(e.Settings) == settings.AllTools, e.System)
}

// models describes models by a View, and saves nothing.
type models struct {
	counter func(model string) history.Counter
	view    View
}

func (m models) Counter(model string) history.Counter { return m.counter(model) }
func (m models) Limit(model string) (int, bool)       { return m.view.Limit(model) }
func (m models) Price(model string) compression.Price { return m.view.Price(model) }
func (m models) Cache(model string) vendor.Cache      { return m.view.Cache(model) }
func (m models) SaveCacheTTL(string, time.Duration)   {}
func (m models) MayTruncate() bool                    { return true }
func (m models) HeadKey() string                      { return "" }
