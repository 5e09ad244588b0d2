package chat

import (
	"fmt"
	"slices"

	"agent/internal/gate"
	"agent/internal/history"
)

// ReviewKey marks the text of a message that asks for a review. The turn of such a message
// changes nothing.
const ReviewKey = "review"

// modes adds notes about the approval mode for the model, and narrows the mode for a review.
type modes struct {
	history *history.Service
	consent *gate.Consent
}

// narrow begins a review if a message asks for one.
func (m *modes) narrow(message *history.Content) {
	if _, review := message.KeyedText(ReviewKey); review {
		m.consent.BeginReview()
	}
}

// narrowAgain calls narrow for the latest message when the model answers it again.
func (m *modes) narrowAgain() {
	for _, entry := range slices.Backward(m.history.RawHistory()) {
		if entry.IsMessage() {
			m.narrow(entry)
			return
		}
	}
}

// aboutMode returns a note for the next message if the mode changed to plan or from plan and the
// context has no note about that. The note is not in the system prompt, because the prompt must not
// change.
func (m *modes) aboutMode() []history.Block {
	text, before := m.consent.PlanNote(), m.saidOfMode()
	if text == "" && before != "" {
		text = fmt.Sprintf("[The approval mode is %s now.]", m.consent.Mode())
	}
	if text == before || m.consent.IsReview() {
		return nil
	}
	return []history.Block{&history.Text{Text: text, Source: history.SourceExtension, Key: history.KeyApprovalMode}}
}

// saidOfMode returns the latest note about the mode in the context, or "".
func (m *modes) saidOfMode() string {
	for _, entry := range slices.Backward(m.history.RawHistory()) {
		if text, found := entry.KeyedText(history.KeyApprovalMode); found {
			return text
		}
	}
	return ""
}

// nextMode returns the next approval mode in the order of Shift+Tab.
func nextMode(mode gate.Mode) gate.Mode {
	modes := gate.Modes()
	return modes[(slices.Index(modes, mode)+1)%len(modes)]
}
