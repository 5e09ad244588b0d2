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
	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/chat"
)

// maxWaitingShown limits the text of a waiting message in a notice, in characters.
const maxWaitingShown = 60

// askingFile returns the path of the file that contains the time since which a session has waited for an
// answer.
func (f Folders) askingFile(id string) string { return filepath.Join(f.State, "waiting", id) }

// WaitingSince returns the time since which a session has waited for a user's answer, or the zero time if it
// does not wait. For a session that is not running, the result is meaningless.
func (f Folders) WaitingSince(id string) time.Time {
	text, err := fsutil.ReadBeginning(f.askingFile(id), 64)
	if err != nil {
		return time.Time{}
	}
	since, _ := time.Parse(time.RFC3339, string(text)) // a damaged file results in the zero time
	return since
}

// keepAsking records on disk whether the session waits for an answer, so that lists of sessions can show
// it.
func (r *record) keepAsking(e chat.Event) {
	if r.log == nil {
		return
	}
	file := r.at.folders.askingFile(r.SessionID())
	switch e.(type) {
	case chat.ApprovalRequested:
		r.asking++
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = fsutil.Replace(file, []byte(r.at.process.Now().UTC().Format(time.RFC3339)), 0o600)
		}
		r.logged(err)
	case chat.ApprovalSettled:
		if r.asking--; r.asking > 0 {
			return // another question is still open
		}
		_ = os.Remove(file) // a leftover file means nothing once the session has ended
	}
}

// keepWaiting returns a function that records the waiting messages, or nil if nothing is recorded. In an
// unattended conversation no user sends the messages left from earlier. The function then records them
// again before the others.
func (r *record) keepWaiting() func([]atcmd.Message) {
	if r.log == nil {
		return nil
	}
	var left []json.RawMessage
	if r.at.options.Unattended {
		left = r.resumed.Waiting
	}
	return func(messages []atcmd.Message) {
		recorded := slices.Clone(left)
		for _, message := range messages {
			data, err := rawjson.Marshal(append(atcmd.Message{}, message...))
			if err != nil {
				r.logged(err)
				return
			}
			recorded = append(recorded, data)
		}
		r.logged(r.log.RecordWaiting(recorded))
	}
}

// waited returns the messages that were still waiting when the recording program ended. In an unattended
// conversation it returns a notice about them instead, and they keep waiting.
func (r *record) waited() (messages []atcmd.Message, notice string) {
	for _, data := range r.resumed.Waiting {
		var message atcmd.Message
		if json.Unmarshal(data, &message) == nil { // a damaged message is dropped; the others are complete
			messages = append(messages, message)
		}
	}
	if len(messages) == 0 || !r.at.options.Unattended {
		return messages, ""
	}
	var quoted []string
	for _, message := range messages {
		quoted = append(quoted, "“"+humanize.Line(message.Text(), maxWaitingShown)+"”")
	}
	return nil, fmt.Sprintf("The session ended with %s not sent: %s. To get them back into the prompt, run: agent -c",
		humanize.Count(len(messages), "message"), strings.Join(quoted, ", "))
}
