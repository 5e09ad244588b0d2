package session

import (
	"encoding/json"
	"time"

	"agent/internal/history"
)

// State is the result of replaying a log.
type State struct {
	ID        string
	Workspace string
	Started   time.Time
	// Parent is the session from which this one was forked, empty for none.
	Parent string
	// Title is the name that a user gave the session, empty for none.
	Title string
	// Counts covers everything that was recorded.
	Counts Counts
	// PID is the process that opened the log last.
	PID int
	// Since is the time at which that process opened it.
	Since time.Time
	// Entries are the current context, the raw history.
	Entries []*history.Content
	// Turn is the number of the user's messages that led to Entries.
	Turn int
	// Pins has the absolute paths of the files that are protected from pruning.
	Pins []string
	// Reply is the model's last text, even if that has left the context; empty after a clear.
	Reply string
	// Prunes describes the content that density and compressions took out of the context
	// since the last clear, in order.
	Prunes []history.Prune
	// Todos is the todo list in the form in which it was recorded, nil when there
	// was none.
	Todos json.RawMessage
	// Servers is the last argument of Log.Servers; nil for none.
	Servers json.RawMessage
	// Start is the last argument of Log.Start; nil for none.
	Start json.RawMessage
	// Grants is the last argument of Log.Grants; nil for none.
	Grants json.RawMessage
	// Settings has the settings that were changed in the session and not unset since.
	Settings map[string]string
	// Scales has, by model, the ratio of the provider's last token count to ours. It is no part
	// of the conversation, so a rewind does not change it.
	Scales map[string]float64
	// Limits has, by model, the window that a refusal taught. A rewind does not change it.
	Limits map[string]history.LearnedLimit
	// Jobs has the background commands that still ran when the last program that wrote the log
	// was killed; none after an orderly end.
	Jobs []Job
	// Agents has the agents of the session, in the order of their latest start or end.
	Agents []Agent
	// Waiting has the messages that the user had queued for the end of a turn, as recorded.
	Waiting []json.RawMessage
	// Notices describes damage of the log, for the user; empty for a sound one.
	Notices []string

	notices []notice
	// text is the log.
	text text
	// line has the events that led to the live entries.
	line     journal
	live     []slot
	timeline timeline
	seq      uint64
	// good is the number of bytes up to the end of the last complete record.
	good int64
	// prev is the hash of the last complete line.
	prev string
	// unended is set when that record lacks its line break.
	unended    bool
	hasEntries bool
}

// notice describes the damage of one line of the log.
type notice struct {
	line int
	text string
}

func (s *State) notice(line int, text string) { s.notices = append(s.notices, notice{line, text}) }
