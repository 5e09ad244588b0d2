package chat

import (
	"context"
	"fmt"
	"slices"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/settings"
)

// planningKey marks the notes to the model about the mode.
const planningKey = "mode"

// ReviewKey marks the text of a message that asks for a review. The turn of such a message
// changes nothing.
const ReviewKey = "review"

// modes holds the approval mode and the consent that was given, and tells the model about the
// mode.
type modes struct {
	*Config
	consent *gate.Consent
}

// Mode returns the approval mode in force. It may be called from any goroutine.
func (m *modes) Mode() gate.Mode { return m.consent.Mode() }

// SetMode changes the approval mode for the rest of the session. It may be called
// from any goroutine.
func (m *modes) SetMode(mode gate.Mode) error {
	return m.Settings.Set(settings.Session, settings.ApprovalMode.Key(), string(mode))
}

// Consent returns the gate that decides which calls may run. A grant for a turn ends with the
// turn.
func (m *modes) Consent() *gate.Consent { return m.consent }

// Grants lists the grants of "always", first for the session and then for the project, each
// oldest first. It may be called from any goroutine.
func (m *modes) Grants(context.Context) ([]gate.Granted, error) { return m.consent.Grants(), nil }

// ForgetGrant takes back the grant with this number of the list, counted from 1, or all grants if
// number is 0. It returns the grants that it took back.
func (m *modes) ForgetGrant(_ context.Context, number int) ([]string, error) {
	return m.consent.Forget(number)
}

// narrow begins a review if a message asks for one.
func (m *modes) narrow(message *history.Content) {
	if _, review := message.Keyed(ReviewKey); review {
		m.consent.Review()
	}
}

// narrowAgain calls narrow for the latest message, which is answered once more.
func (m *modes) narrowAgain() {
	for _, entry := range slices.Backward(m.History.RawHistory()) {
		if entry.IsMessage() {
			m.narrow(entry)
			return
		}
	}
}

// aboutMode returns a note for the next message if the context does not say yet that the mode is
// plan, or that it no longer is. The system prompt cannot say so, because it must not change.
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

// saidOfMode returns the latest note about the mode in the context, or "".
func (m *modes) saidOfMode() string {
	for _, entry := range slices.Backward(m.History.RawHistory()) {
		if text, found := entry.Keyed(planningKey); found {
			return text
		}
	}
	return ""
}

// nextMode returns the mode after mode in the order of Shift+Tab.
func nextMode(mode gate.Mode) gate.Mode {
	modes := gate.Modes()
	return modes[(slices.Index(modes, mode)+1)%len(modes)]
}
