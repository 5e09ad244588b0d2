package offline

import (
	"time"

	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/tools"
)

// Input is a history to work on.
type Input struct {
	// Name is the file it came from, for reports.
	Name          string
	WorkspaceRoot string
	// History is the context as it is now.
	History []*history.Content
	// Recorded are all entries as they were added, those that were pruned or
	// compressed since included: one list for each stretch between clears.
	Recorded [][]*history.Content
	// Document is where it came from when that can carry configuration, else nil.
	Document *history.Document
}

// Engine works on one history with the user's settings, which the configuration
// of a document changes.
type Engine struct {
	Settings *settings.Settings
	Counter  func(model string) history.Counter
	Tools    *tools.Registry
	// System is the system prompt a replay heads its requests with.
	System string
	// Now is the clock by which a replay measures the pre-send window.
	Now func() time.Time
}

// prepared is an input with everything that working on it needs.
type prepared struct {
	Input
	strategy compression.Strategy
	service  *history.Service
}

// prepare configures the engine for the input and puts its entries into a live
// history.
func (e *Engine) prepare(in Input) (*prepared, error) {
	if err := e.configure(&in); err != nil {
		return nil, err
	}
	strategy, err := compression.Get(settings.CompressionStrategy.Of(e.Settings))
	if err != nil {
		return nil, err
	}
	service := history.NewService(e.Counter(settings.Model.Of(e.Settings)), nil)
	return &prepared{in, strategy, service}, service.Restore(in.History)
}

// densityConfig is the engine's view of the settings (REQ-HD-001.9).
func (e *Engine) densityConfig(workspaceRoot string) compression.DensityConfig {
	config := settings.Density(e.Settings)
	config.WorkspaceRoot, config.Facts = workspaceRoot, chat.ToolFacts(e.Tools)
	return config
}

// contextLimit is the window the user set, else the common one.
func (e *Engine) contextLimit() int {
	if limit, set := settings.ContextLimit.Get(e.Settings); set {
		return limit
	}
	return chat.DefaultContextLimit
}
