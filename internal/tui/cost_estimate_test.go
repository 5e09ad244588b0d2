package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// The estimated cost of a message is shown while the user types it. It is updated for new text and
// removed with the message. Commands have no cost.
func TestEstimateIsShownWhileTyping(t *testing.T) {
	t.Parallel()
	var asked []string
	on := true
	s := newScreenplayFor(t, 80, 24, func(o *Options) {
		o.Estimate = func() func(context.Context, string) string {
			if !on {
				return nil
			}
			return func(_ context.Context, typed string) string {
				asked = append(asked, typed)
				return "≈ $0.01 for the first request, $0.02 to $0.30 for the turn"
			}
		}
	})
	s.typed("hi")
	if view := s.model.estimate.view(80); len(view) != 1 || !slices.Contains(s.model.live, view[0]) || !slices.Equal(asked, []string{"h", "hi"}) {
		t.Errorf("shown %q, asked %q", view, asked)
	}
	if view := s.model.estimate.view(50); len(view) != 2 || !strings.Contains(view[1], "the turn") {
		t.Errorf("narrow: %q", view)
	}
	s.press("enter")
	if s.model.estimate.view(80) != nil {
		t.Error("it is shown after the message was sent")
	}
	s.typed("/model x")
	if s.press("ctrl+u"); len(asked) != 2 {
		t.Errorf("asked about a command: %q", asked)
	}
	if on = false; s.model.estimate.ask("more") != nil || s.model.estimate.view(80) != nil {
		t.Error("it is shown although it is off")
	}
}
