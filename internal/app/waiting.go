package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/disk"
	"agent/internal/rawjson"
	"agent/internal/words"
)

// keepWaiting returns a function that records the waiting messages, nil if nothing is recorded.
// In an unattended conversation nobody sends the messages left from before, so that they are
// recorded again in front.
func (c *ground) keepWaiting(left []json.RawMessage) func([]atcmd.Message) {
	if c.session == nil {
		return nil
	}
	if !c.options.Unattended {
		left = nil
	}
	return func(messages []atcmd.Message) {
		recorded := slices.Clone(left)
		for _, message := range messages {
			data, err := rawjson.Marshal(append(atcmd.Message{}, message...))
			if err != nil {
				c.logged(err)
				return
			}
			recorded = append(recorded, data)
		}
		c.logged(c.session.Waiting(recorded))
	}
}

// waited returns the messages that still waited when the recording program ended. In an
// unattended conversation it returns nil, adds a notice with the messages, and leaves them
// waiting.
func (c *ground) waited(recorded []json.RawMessage) []atcmd.Message {
	var messages []atcmd.Message
	for _, data := range recorded {
		var message atcmd.Message
		if json.Unmarshal(data, &message) == nil { // a damaged message is dropped; the others are whole
			messages = append(messages, message)
		}
	}
	if len(messages) == 0 || !c.options.Unattended {
		return messages
	}
	var quoted []string
	for _, message := range messages {
		quoted = append(quoted, "“"+words.Line(message.Text(), maxWaitingShown)+"”")
	}
	c.Notices = append(c.Notices, fmt.Sprintf("The session ended with %s waiting, not sent: %s (agent -c in a terminal has that in the prompt).",
		words.Count(len(messages), "message"), strings.Join(quoted, ", ")))
	return nil
}

// maxWaitingShown bounds the text of a waiting message in a notice, in characters.
const maxWaitingShown = 60

// askingFile returns the path of the file with the time since which a session has waited for an
// answer.
func (f Folders) askingFile(id string) string { return filepath.Join(f.State, "waiting", id) }

// WaitsSince returns the time since which a session has waited for a person's answer, or the zero
// time if it does not wait. The result means nothing for a session that is not running.
func (f Folders) WaitsSince(id string) time.Time {
	text, err := disk.Beginning(f.askingFile(id), 64)
	if err != nil {
		return time.Time{}
	}
	since, _ := time.Parse(time.RFC3339, string(text)) // a damaged file gives the zero time
	return since
}

// keepAsking keeps on disk whether the session waits for an answer, for a person with many
// sessions.
func (c *ground) keepAsking(e chat.Event) {
	if c.session == nil {
		return
	}
	file := c.folders.askingFile(c.SessionID())
	switch e.(type) {
	case chat.ApprovalRequested:
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = disk.Replace(file, []byte(c.process.Now().UTC().Format(time.RFC3339)), 0o600)
		}
		c.logged(err)
	case chat.ApprovalSettled:
		_ = os.Remove(file) // a leftover file means nothing once the session has ended
	}
}
