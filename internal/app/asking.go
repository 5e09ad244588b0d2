package app

import (
	"os"
	"path/filepath"
	"time"

	"agent/internal/chat"
	"agent/internal/disk"
)

// askingFile is where it is kept since when a session waits for an answer.
func (f Folders) askingFile(id string) string { return filepath.Join(f.State, "waiting", id) }

// WaitsSince is since when a session waits for an answer of a person, the zero time when it
// does not. Of a session that does not run it says nothing.
func (f Folders) WaitsSince(id string) time.Time {
	text, err := disk.Beginning(f.askingFile(id), 64)
	if err != nil {
		return time.Time{}
	}
	since, _ := time.Parse(time.RFC3339, string(text)) // else it is not known
	return since
}

// keepAsking keeps on disk whether the session waits for an answer, for people who run many.
func (c *Conversation) keepAsking(e chat.Event) {
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
		_ = os.Remove(file) // a session that does not run does not wait
	}
}
