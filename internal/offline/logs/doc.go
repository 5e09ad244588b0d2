// Package logs reads the sessions that other coding agents record: Claude Code, codex, gemini-cli, pi
// and opencode. It converts each session to spans, which are the parts between two compactions. A Span
// contains history entries with their times.
//
// The package only reads. A line that cannot be parsed is counted and skipped. A file without a session
// of a known form is refused with ErrUnknown. Find lists the sessions on this machine, and Read reads
// one.
//
// Each kind of log has a form (read.go), which detects the log and creates a reader for its lines. The
// readers fill a conversation (conversation.go), which pairs calls with answers and passes on the
// spans.
package logs

import (
	"errors"
	"time"

	"agent/internal/history"
)

// A Span is the part of a session up to a compaction, or to the end.
type Span struct {
	// Agent is the program that recorded the session, such as "claude" or "codex".
	Agent string
	// Project is the folder in which the session worked, or "" if the log does not contain it.
	Project string
	// Model is the model that wrote most replies, or "" if the log contains none.
	Model string
	// Of is the id of the session that started this one as a subagent. It is "" for a session of a
	// user.
	Of string
	// Latest is the time of the last entry, or zero if the log has no times.
	Latest time.Time
	// Entries contains the messages, calls and answers. Their metadata contains the time as "ts", in
	// milliseconds since 1970.
	Entries []*history.Content
}

// UnusedParts reports the parts of a file that were not used.
type UnusedParts struct {
	// Lines counts the lines that were damaged, too long or of an unknown form.
	Lines int
}

// ErrUnknown means that a file contains no session of a known form.
var ErrUnknown = errors.New("not a session of a known coding agent")

// ErrTooLarge means that a session contains more text than a replay can process.
var ErrTooLarge = errors.New("the session is larger than 512 MB")

// Limits of the text in memory at once, in bytes.
const (
	maxLine    = 64 << 20
	maxStretch = 512 << 20
)
