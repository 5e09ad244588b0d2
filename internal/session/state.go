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
	// Parent is the session from which this session was forked, or "" for none.
	Parent string
	// Title is the title that a user gave the session, or "" for none.
	Title string
	// Counts covers everything that was recorded.
	Counts Counts
	// PID is the ID of the process that opened the log last.
	PID int
	// Since is the time at which that process opened it.
	Since time.Time
	// Entries are the current context, the raw history.
	Entries []*history.Content
	// Turn is the number of the user's messages that led to Entries.
	Turn int
	// Pins holds the absolute paths of the files that are protected from pruning.
	Pins []string
	// Reply is the model's last text, even if it was removed from the context. It is "" after a clear.
	Reply string
	// Prunes describes the content that pruning and compressions removed from the context since the last
	// clear, in order.
	Prunes []history.Prune
	// Todos is the todo list in its recorded form, or nil if there was none.
	Todos json.RawMessage
	// Servers is the argument of the latest call of Log.RecordServers, or nil if there was none.
	Servers json.RawMessage
	// Start is the argument of the latest call of Log.RecordStart, or nil if there was none.
	Start json.RawMessage
	// Grants is the argument of the latest call of Log.RecordGrants, or nil if there was none.
	Grants json.RawMessage
	// Settings holds the settings that were changed in the session and not unset since then.
	Settings map[string]string
	// Scales holds, by model, the ratio of the provider's last token count to the count of this program. It
	// is not part of the conversation, so a rewind does not change it.
	Scales map[string]float64
	// Limits holds, by model, the context window that a refusal of the provider revealed. A rewind does not
	// change it.
	Limits map[string]history.LearnedLimit
	// Jobs holds the background commands that were still running when the last program that wrote the log
	// was killed. It is empty after an orderly end.
	Jobs []Job
	// Agents holds the subagents of the session, in the order of their latest start or end.
	Agents []Agent
	// Waiting holds the messages that the user had queued for the end of a turn, in their recorded form.
	Waiting []json.RawMessage
	// Notices describes damage of the log, for the user. It is empty if the log is not damaged.
	Notices []string

	notices []notice
	// text is the log.
	text text
	// line holds the events that led to the live entries.
	line     journal
	live     []slot
	timeline timeline
	seq      uint64
	// good is the number of bytes up to the end of the last complete record.
	good int64
	// prev is the hash of the last complete line.
	prev string
	// unended is set if the last complete record has no line break after it.
	unended    bool
	hasEntries bool
}

// notice describes the damage of one line of the log.
type notice struct {
	line int
	text string
}

func (s *State) notice(line int, text string) { s.notices = append(s.notices, notice{line, text}) }
