package chat

import (
	"context"

	"agent/internal/chat/why"
	"agent/internal/history"
	"agent/internal/settings"
)

// Why says what became of a text or a file: whether the next request holds it, and if not, why.
func (v *views) Why(ctx context.Context, question string) (*why.Answer, error) {
	return try(ctx, v.inbox, func() (*why.Answer, error) {
		next := &why.Next{Before: EnsureCompressionBeforeSend}
		next.Window = v.window.Copy(history.NewService(v.Counter(settings.Model.Of(v.Settings)), next.Observe))
		if v.Session == nil {
			if err := next.Window.History.Restore(v.History.RawHistory()); err != nil {
				return nil, err
			}
			next.Unrecorded()
			return next.Ask(ctx, question)
		}
		state, err := v.Session.State()
		if err != nil {
			return nil, err
		}
		next.Steps = state.Steps()
		if err := next.Window.History.Restore(state.Entries); err != nil {
			return nil, err
		}
		next.Window.Restore(state.Prunes, state.Turn)
		if err := next.Window.Resume(state.Pins, state.Steps()); err != nil {
			return nil, err
		}
		return next.Ask(ctx, question)
	})
}
