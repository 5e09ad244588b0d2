package chat

import (
	"cmp"
	"context"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/llm"
	"agent/internal/settings"
	"agent/internal/tools"
)

// EnsureCompressionBeforeSend is the pre-send window (D-29): density, threshold
// check, compression, hard limit, in this order, before every request of a turn. It
// is the only place from which the history is made smaller.
func EnsureCompressionBeforeSend(ctx context.Context, w *window.Window) error {
	strategy, err := w.Active()
	if err != nil {
		return err
	}
	if err := w.EnsureDensityOptimized(strategy); err != nil {
		return err
	}
	var done compression.Result
	if w.ShouldCompress(strategy) {
		if done, err = w.PerformCompression(ctx, strategy); err != nil {
			return err
		}
	}
	return w.EnforceLimit(strategy, done)
}

// newWindow is the window onto the conversation of c, which tells what it does.
func newWindow(c *Config, tell func(window.Step)) *window.Window {
	return window.New(window.Config{
		History:  c.History,
		Settings: func() window.Settings { return WindowSettings(c.Settings) },
		Strategy: compression.Get,
		Head:     func() window.Head { return Head(c.System(), c.Tools) },
		Facts:    ToolFacts(c.Tools),
		Counter:  c.Counter,
		Limit:    c.ContextLimit,
		Root:     cmp.Or(c.SessionRoot, c.Root),
		Now:      c.Now,
		Tell:     tell,
	})
}

// Head is what every request begins with.
func Head(system string, registry *tools.Registry) window.Head {
	head := window.Head{System: system, Tools: []llm.ToolSpec{}}
	for _, t := range registry.All() {
		head.Tools = append(head.Tools, llm.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return head
}

// WindowSettings are the settings as the pre-send window takes them.
func WindowSettings(s *settings.Settings) window.Settings {
	return window.Settings{
		Model:             settings.Model.Of(s),
		ContextLimit:      settings.ContextLimit.Of(s),
		MaxOutputTokens:   settings.MaxOutputTokens.Of(s),
		OutputTokens:      settings.ToolOutputMaxTokens.Of(s),
		Strategy:          settings.CompressionStrategy.Of(s),
		Threshold:         settings.CompressionThreshold.Of(s),
		PreserveThreshold: settings.CompressionPreserveThreshold.Of(s),
		Density:           settings.Density(s),
	}
}
