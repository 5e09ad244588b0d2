package chat

import (
	"context"

	"agent/internal/chat/provenance"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/settings"
)

// TraceText traces a text or a file: whether the next request contains it, and if not, why.
func TraceText(ctx context.Context, c *Chat, question string) (*provenance.Answer, error) {
	return try(ctx, c.inbox, func() (*provenance.Answer, error) {
		model := settings.Model.Value(c.config.Settings)
		counter := c.config.Counter(model)
		next := &provenance.NextRequest{Before: EnsureCompressionBeforeSend, Model: model, Count: counter.Count, Facts: c.config.Tools.Traits, Root: c.config.windowRoot()}
		next.Window = window.Copy(c.window, history.NewService(counter, next.Observe))
		if c.config.Session == nil {
			if err := next.Window.History.Restore(c.config.History.RawHistory()); err != nil {
				return nil, err
			}
			next.MarkUnrecorded()
			return next.Ask(ctx, question)
		}
		state, err := c.config.Session.State()
		if err != nil {
			return nil, err
		}
		next.Steps = provenance.CacheSteps(state.Steps())
		if err := next.Window.History.Restore(state.Entries); err != nil {
			return nil, err
		}
		next.Window.Ledger.Restore(state.Prunes, state.Turn)
		if err := next.Window.Resume(state.Pins, next.Steps); err != nil {
			return nil, err
		}
		return next.Ask(ctx, question)
	})
}
