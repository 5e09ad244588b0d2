package chat

import (
	"context"
	"fmt"
	"slices"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/settings"
)

// planningKey marks what is said to the model of the mode.
const planningKey = "mode"

// ReviewKey marks the text by which a message asks for a review: its turn changes nothing.
const ReviewKey = "review"

// modes are what may be done: the approval mode, the consent that was given, and what the
// model knows of both.
type modes struct {
	*Config
	consent *gate.Consent
}

// Mode is the approval mode in force. It may be called from any goroutine.
func (m *modes) Mode() gate.Mode { return m.consent.Mode() }

// SetMode changes the approval mode for the rest of the session. It may be called
// from any goroutine.
func (m *modes) SetMode(mode gate.Mode) error {
	return m.Settings.Set(settings.Session, settings.ApprovalMode.Key(), string(mode))
}

// Consent decides which calls may run. What it allows for a turn ends with the turn.
func (m *modes) Consent() *gate.Consent { return m.consent }

// Grants lists what was allowed with "always", for the session and then for the project, each
// oldest first. It may be called from any goroutine.
func (m *modes) Grants(context.Context) ([]gate.Granted, error) { return m.consent.Grants(), nil }

// ForgetGrant takes back the grant with this number of the list, counted from 1, or all of
// them when it is 0. It returns what was forgotten.
func (m *modes) ForgetGrant(_ context.Context, number int) ([]string, error) {
	return m.consent.Forget(number)
}

// narrow begins a review if a message asks for one.
func (m *modes) narrow(message *history.Content) {
	if _, review := message.Keyed(ReviewKey); review {
		m.consent.Review()
	}
}

// narrowAgain is narrow for the message that is answered once more.
func (m *modes) narrowAgain() {
	for _, entry := range slices.Backward(m.History.RawHistory()) {
		if entry.IsMessage() {
			m.narrow(entry)
			return
		}
	}
}

// aboutMode is what the model has to know of the mode with a message, if the context does
// not say it: that it plans, and that it does not any more. The head cannot say it, since
// that stays the same.
func (m *modes) aboutMode() []history.Block {
	text, before := m.consent.Planning(), m.saidOfMode()
	if text == "" && before != "" {
		text = fmt.Sprintf("[The approval mode is %s now.]", m.Mode())
	}
	if text == before || m.consent.Reviewing() {
		return nil
	}
	return []history.Block{&history.Text{Text: text, Source: history.Brought, Key: planningKey}}
}

// saidOfMode is what was said of the mode last, as far as the context has it.
func (m *modes) saidOfMode() string {
	for _, entry := range slices.Backward(m.History.RawHistory()) {
		if text, found := entry.Keyed(planningKey); found {
			return text
		}
	}
	return ""
}

// nextMode returns the mode that Shift+Tab turns to.
func nextMode(mode gate.Mode) gate.Mode {
	modes := gate.Modes()
	return modes[(slices.Index(modes, mode)+1)%len(modes)]
}
