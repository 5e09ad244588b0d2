package chat

import (
	"fmt"
	"slices"

	"agent/internal/history"
)

// planningKey marks what is said to the model of the mode.
const planningKey = "mode"

// ReviewKey marks the text by which a message asks for a review: its turn changes nothing.
const ReviewKey = "review"

// narrow begins a review if a message asks for one.
func (c *Chat) narrow(message *history.Content) {
	if _, review := message.Keyed(ReviewKey); review {
		c.consent.Review()
	}
}

// narrowAgain is narrow for the message that is answered once more.
func (c *Chat) narrowAgain() {
	for _, entry := range slices.Backward(c.History.RawHistory()) {
		if entry.IsMessage() {
			c.narrow(entry)
			return
		}
	}
}

// aboutMode is what the model has to know of the mode with a message, if the context does
// not say it: that it plans, and that it does not any more. The head cannot say it, since
// that stays the same.
func (c *Chat) aboutMode() []history.Block {
	text, before := c.consent.Planning(), c.saidOfMode()
	if text == "" && before != "" {
		text = fmt.Sprintf("[The approval mode is %s now.]", c.Mode())
	}
	if text == before || c.consent.Reviewing() {
		return nil
	}
	return []history.Block{&history.Text{Text: text, Source: history.Brought, Key: planningKey}}
}

// saidOfMode is what was said of the mode last, as far as the context has it.
func (c *Chat) saidOfMode() string {
	for _, entry := range slices.Backward(c.History.RawHistory()) {
		if text, found := entry.Keyed(planningKey); found {
			return text
		}
	}
	return ""
}
