package session

import (
	"encoding/json"
	"time"

	"agent/internal/history"
)

// State is what a log says.
type State struct {
	ID        string
	Workspace string
	Started   time.Time
	// Parent is the session from which this one was forked, empty for none.
	Parent string
	// Title is the name that a person gave it, empty for none.
	Title string
	// Counts are those of everything that was recorded.
	Counts Counts
	// PID and Since report which process took the log up last, and when.
	PID   int
	Since time.Time
	// Entries are the current context, the raw history.
	Entries []*history.Content
	// Turn is how many messages of the user led to Entries.
	Turn int
	// Pins are the files that pruning is to leave alone, by their absolute paths.
	Pins []string
	// Reply is what the model said last, also when that has left the context since; empty
	// after a clear.
	Reply string
	// Prunes are all that density and compressions took out of the context since it was
	// cleared last, in order.
	Prunes []history.Prune
	// Todos is the todo list in the form in which it was recorded, nil when there
	// was none.
	Todos json.RawMessage
	// Servers is what the model was offered of servers, as it was recorded; nil for nothing.
	Servers json.RawMessage
	// Settings are those changed in the session; a value that was unset is gone.
	Settings map[string]string
	// Scales are, by model, how many tokens the provider counted last for each of ours. That
	// is no part of the conversation: going back in it changes nothing about them.
	Scales map[string]float64
	// Jobs are the background commands that ran when the latest program to write the
	// log ended; none after an orderly end.
	Jobs []Job
	// Waiting are the messages that the user had queued and that were not in the
	// conversation yet, as they were recorded.
	Waiting []json.RawMessage
	// Notices report what is wrong with the log, for the user; empty for a sound one.
	Notices []string

	notices []notice
	// text is the log, and line what led in it to the live entries.
	text     text
	line     journal
	live     []slot
	timeline timeline
	seq      uint64
	// good is how many bytes of the input hold whole records, unended whether the
	// last of them lacks its line break.
	good       int64
	unended    bool
	hasEntries bool
}

// notice is what is wrong with a line of the log.
type notice struct {
	line int
	text string
}

func (s *State) notice(line int, text string) { s.notices = append(s.notices, notice{line, text}) }
