package chat

import (
	"slices"

	"agent/internal/atcmd"
	"agent/internal/words"
)

// keepWaiting records what is not in the history yet.
func (c *Chat) keepWaiting() {
	if c.KeepWaiting != nil {
		c.KeepWaiting(slices.Concat(c.delivering, c.queue))
	}
}

// delivered notes that the message on its way is in the history, or is the user's again.
func (c *Chat) delivered() {
	c.delivering = nil
	c.keepWaiting()
}

// giveBackWaited hands over what waited when the program ended, as one message: nothing
// of it is sent before the user says so.
func (c *Chat) giveBackWaited() {
	if len(c.Waited) == 0 {
		return
	}
	var all atcmd.Message
	for i, message := range c.Waited {
		if i > 0 {
			all = append(all, atcmd.Part{Text: "\n\n"})
		}
		all = append(all, message...)
	}
	c.notice("the session ended with %s waiting; nothing of that is sent before you send it", words.Count(len(c.Waited), "message"))
	c.Emit(MessageReturned{Message: all})
	c.Waited = nil
}
