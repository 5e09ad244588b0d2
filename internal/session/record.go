package session

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/rawjson"
	"agent/internal/history"
)

// version is the newest format that this program reads and writes. It rejects lines of a newer version. A
// line contains the oldest version that supports it. For example, a program of version 1 does not support a
// rewind, and would continue with an abandoned context.
const version = 2

// versionOf returns the version that records of a type need.
func versionOf(t Type) int {
	if t == TypeRewind {
		return 2
	}
	return 1
}

// Type is the type of a record.
type Type string

// The types of record.
const (
	// TypeSession opens a log. It is written again whenever the session is resumed.
	TypeSession Type = "session"
	// TypeEntry is an entry that was added to the history.
	TypeEntry Type = "entry"
	// TypeDensity is a density result that was applied.
	TypeDensity Type = "density"
	// TypeCompression is a rebuilt history, which replaces the previous history.
	TypeCompression Type = "compression"
	// TypeClear empties the history.
	TypeClear Type = "clear"
	// TypeRewind returns to the context before an earlier record.
	TypeRewind Type = "rewind"
	// TypePin protects a file from pruning, or ends the protection.
	TypePin Type = "pin"
	// TypeTodo is the todo list after a change.
	TypeTodo Type = "todo"
	// TypeSetting is a setting changed in the session.
	TypeSetting Type = "setting"
	// TypeJob is the beginning or the end of a background command.
	TypeJob Type = "job"
	// TypeTitle is the title of the session from this record on.
	TypeTitle Type = "title"
	// TypeWaiting is a change of the messages that wait for the end of a turn.
	TypeWaiting Type = "waiting"
	// TypeServers has the tools of servers that are offered to the model from this record on.
	TypeServers Type = "servers"
	// TypeStart has the start of the session as the system prompt contains it.
	TypeStart Type = "start"
	// TypeGrants has the permissions of the session, after a change.
	TypeGrants Type = "grants"
	// TypeNote is a change of the notes for later sessions.
	TypeNote Type = "note"
	// TypeNotice is a message that was shown to the user.
	TypeNotice Type = "notice"
	// TypeAgent is the start or the end of a subagent.
	TypeAgent Type = "agent"
	// TypeCacheRefresh is a request that only kept the conversation in the provider's cache.
	TypeCacheRefresh Type = "warmed"
	// TypeAction is an action of the program that is not a call of the model.
	TypeAction Type = "act"
)

// Record is one line of a log.
type Record struct {
	// Seq numbers the records from 1.
	Seq     uint64
	Time    time.Time
	Type    Type
	Payload json.RawMessage
	// Counts covers the log up to an entry. It is zero for other records and in old logs.
	Counts Counts
	// Tokens has the token counts of an entry's blocks by vocabulary, if they are known. A reader that
	// cannot decode them counts again.
	Tokens json.RawMessage
	// Prev is the hash of the previous line, or "" in the first line. It is nil in a line of a program that
	// wrote no hashes.
	Prev *string
}

// Counts holds the size of a session. It is written with every entry, so that reading the end of a log is
// enough.
type Counts struct {
	// Entries is the number of entries that were ever added.
	Entries int
	// Messages is the number of these entries that are messages of the user.
	Messages int
}

func (c *Counts) add(entry *history.Content) {
	c.Entries++
	if entry.IsMessage() {
		c.Messages++
	}
}

// ref is the permanent name of an entry. It consists of the seq of the record that wrote the entry, and the
// index of the entry if the record wrote several. Edits of the entry do not change it.
type ref struct {
	seq  uint64
	item int
}

// MarshalText implements encoding.TextMarshaler. The text is "12" for the entry of record 12, or "40.3"
// for entry 3 of record 40.
func (r ref) MarshalText() ([]byte, error) {
	if r.item == 0 {
		return strconv.AppendUint(nil, r.seq, 10), nil
	}
	return fmt.Appendf(nil, "%d.%d", r.seq, r.item), nil
}

func (r ref) String() string {
	text, _ := r.MarshalText()
	return string(text)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *ref) UnmarshalText(text []byte) error {
	seq, item, several := strings.Cut(string(text), ".")
	n, err := strconv.ParseUint(seq, 10, 64)
	i := 0
	if err == nil && several {
		i, err = strconv.Atoi(item)
	}
	if err != nil || i < 0 {
		return fmt.Errorf("%q is not a reference to an entry", text)
	}
	*r = ref{n, i}
	return nil
}

type sessionPayload struct {
	ID        string `json:"id"`
	Workspace string `json:"workspace"`
	// PID is the ID of the process that writes the following records.
	PID     int  `json:"pid"`
	Resumed bool `json:"resumed,omitempty"`
	// Parent is the session from which this session was forked. The records before this one are copies of
	// the parent's records.
	Parent string `json:"parent,omitempty"`
	// Branch is the branch that was checked out in the workspace, or "" for none.
	Branch string `json:"branch,omitempty"`
	// Unattended is set if there is no user to answer questions, such as in a script.
	Unattended bool `json:"unattended,omitempty"`
	// Policy is the hash of the policy of the machine from this record on, or "" if there is none.
	Policy string `json:"policy,omitempty"`
	// Agent is set for the conversation of a subagent.
	Agent *Agent `json:"agent,omitempty"`
	// Format is the highest version of the lines from this record on. A line with a higher version is
	// damaged. Logs without Format have no version above 2.
	Format int `json:"format,omitempty"`
	// Acts is set if actions are recorded from this record on.
	Acts bool `json:"acts,omitempty"`
}

type densityPayload struct {
	Removals     []ref                    `json:"removals"`
	Replacements map[ref]*history.Content `json:"replacements"`
	// Metadata is history.PruneCounts, for readers of the log. A replay ignores it.
	Metadata any            `json:"metadata"`
	Prunes   []prunePayload `json:"prunes"`
	// Cut has the cost and the saving of the change, if the strategy knows them.
	Cut *history.PruningCost `json:"cut,omitempty"`
}

type prunePayload struct {
	history.Prune
	Entry ref `json:"entry"`
}

type compressionPayload struct {
	Cause   string        `json:"cause"`
	History []historyItem `json:"history"`
	// Dropped lists the removed entries that no new entry replaces.
	Dropped []ref `json:"dropped,omitempty"`
	// Prunes describes the removed content, item by item.
	Prunes []prunePayload `json:"prunes,omitempty"`
}

// historyItem is an entry of a rebuilt history: an earlier entry by its reference, or a new
// one.
type historyItem struct {
	Ref   *ref             `json:"ref,omitempty"`
	Entry *history.Content `json:"entry,omitempty"`
	// Of is the entry that the new entry shortens, or nil if there is none.
	Of *ref `json:"of,omitempty"`
	// From lists the other entries that the new entry replaces.
	From []ref `json:"from,omitempty"`
}

// rewindPayload returns to the state before record To. The records since then stay in the log. So a rewind
// to the state before this rewind restores them.
type rewindPayload struct {
	To uint64 `json:"to"`
}

// pinPayload protects a file from pruning, or ends the protection. Path is absolute.
type pinPayload struct {
	Path   string `json:"path"`
	Pinned bool   `json:"pinned"`
}

type clearPayload struct{}

// todoPayload is a todo list in the form in which it was recorded.
type todoPayload struct{ list json.RawMessage }

type settingPayload struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Job is a background command.
type Job struct {
	ID      int    `json:"id"`
	Command string `json:"command"`
}

type jobPayload struct {
	Job
	Ended bool `json:"ended,omitempty"`
}

// grantsPayload holds the argument of Log.RecordGrants.
type grantsPayload struct {
	Grants json.RawMessage `json:"grants"`
}

// serversPayload holds the argument of Log.RecordServers.
type serversPayload struct {
	Offered json.RawMessage `json:"offered"`
}

// startPayload holds the argument of Log.RecordStart.
type startPayload struct {
	Said json.RawMessage `json:"said"`
}

// Note is a change of the notes for later sessions.
type Note struct {
	// Did names the action: proposed, kept, agreed, edited or deleted.
	Did  string `json:"did"`
	ID   string `json:"id"`
	Text string `json:"text,omitempty"`
}

type noticePayload struct {
	Text string `json:"text"`
}

// encode returns the line of a record, with its line break. prev is the hash of the previous line.
func encode(seq uint64, at time.Time, c change, prev string) ([]byte, error) {
	body, err := rawjson.Marshal(c.payload)
	if err != nil {
		return nil, fmt.Errorf("a %s record cannot be written as JSON: %w", c.kind, err)
	}
	line := fmt.Appendf(nil, `{"v":%d,"seq":%d,"ts":"%s","type":"%s"`, versionOf(c.kind), seq, at.UTC().Format(time.RFC3339Nano), c.kind)
	if c.counts != (Counts{}) {
		line = fmt.Appendf(line, `,"n":[%d,%d]`, c.counts.Entries, c.counts.Messages)
	}
	if c.tokens.Vocabulary != "" {
		tokens, err := rawjson.Marshal(map[string][]int{c.tokens.Vocabulary: c.tokens.Blocks})
		if err != nil {
			return nil, err
		}
		line = append(append(line, `,"tokens":`...), tokens...)
	}
	line = fmt.Appendf(line, `,"prev":"%s","payload":`, prev)
	return append(append(line, body...), "}\n"...), nil
}
