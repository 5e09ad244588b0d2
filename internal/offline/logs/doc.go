// Package logs reads the sessions that other coding agents record: Claude Code, codex,
// gemini-cli, pi and opencode. It turns each into stretches, which are what was said
// between two compactions, as entries of history with the time at which each was said.
//
// It only reads. A line that cannot be understood is counted and passed over; a file
// that holds no session of a known form is refused with ErrUnknown.
package logs

import (
	"errors"
	"time"

	"agent/internal/history"
)

// Stretch is what was said in a session up to a compaction, or to the end.
type Stretch struct {
	// Agent is the program that recorded it, as "claude" or "codex".
	Agent string
	// Project is the folder that the session worked in, empty where the log does not
	// say it.
	Project string
	// Model is the model that gave most replies, empty where the log does not say it.
	Model string
	// Latest is when the last entry was said, zero where the log has no times.
	Latest time.Time
	// Entries have the time in milliseconds since 1970 in their metadata as "ts".
	Entries []*history.Content
}

// Notes say what of a file was not used.
type Notes struct {
	// Lines counts the lines that were damaged, too long or of an unknown form.
	Lines int
}

// ErrUnknown means that a file holds no session of a known form.
var ErrUnknown = errors.New("no session of a known program")

// ErrTooLarge means that a session holds more text than is replayed at once.
var ErrTooLarge = errors.New("the session is larger than 512 MB")

// Bounds on what is held at once, in bytes.
const (
	maxLine    = 64 << 20
	maxStretch = 512 << 20
)
