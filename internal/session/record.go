package session

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agent/internal/history"
	"agent/internal/rawjson"
)

// version is that of the format. A line of a newer one is refused. A line says the
// oldest version that understands it: those before 2 know no rewind, and would go on
// with a context that was left.
const version = 2

// versionOf is the version that records of a type need.
func versionOf(t Type) int {
	if t == TypeRewind {
		return 2
	}
	return 1
}

// Type says what a record holds.
type Type string

// The types of record.
const (
	// TypeSession opens a log, and is written again whenever it is taken up.
	TypeSession Type = "session"
	// TypeEntry is an entry that was added to the history.
	TypeEntry Type = "entry"
	// TypeDensity is a density result that was applied.
	TypeDensity Type = "density"
	// TypeCompression is a history that took the place of the one before.
	TypeCompression Type = "compression"
	// TypeClear empties the history.
	TypeClear Type = "clear"
	// TypeRewind makes the context what it was before an earlier record.
	TypeRewind Type = "rewind"
	// TypePin is a file that pruning is to leave alone, or no longer.
	TypePin Type = "pin"
	// TypeTodo is the todo list after a change.
	TypeTodo Type = "todo"
	// TypeSetting is a setting changed in the session.
	TypeSetting Type = "setting"
	// TypeJob is the beginning or the end of a background command.
	TypeJob Type = "job"
	// TypeTitle is the title of the session from there on.
	TypeTitle Type = "title"
	// TypeWaiting is a change of the messages that wait for the end of a turn.
	TypeWaiting Type = "waiting"
	// TypeServers is what the model is offered of servers from there on.
	TypeServers Type = "servers"
	// TypeNotice is a message that was shown to the user.
	TypeNotice Type = "notice"
)

// Record is one line of a log.
type Record struct {
	// Seq numbers the records from 1.
	Seq     uint64
	Time    time.Time
	Type    Type
	Payload json.RawMessage
	// Counts are how much there is up to an entry; zero for other records, and for logs
	// of before there were such counts.
	Counts Counts
	// Tokens are the counts of an entry's blocks by vocabulary, or nothing. A reader
	// that does not know them counts by itself.
	Tokens json.RawMessage
}

// Counts are how much was recorded in a session. They are beside every entry, so that
// the end of a log has them.
type Counts struct {
	// Entries were ever added, and Messages of them are the user's.
	Entries, Messages int
}

func (c *Counts) add(entry *history.Content) {
	c.Entries++
	if entry.IsMessage() {
		c.Messages++
	}
}

// ref names an entry for good: the seq of the record that brought it, and its
// place in that record if it brought several. Edits do not change it.
type ref struct {
	seq  uint64
	item int
}

// MarshalText implements encoding.TextMarshaler: "12", or "40.3".
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
		return fmt.Errorf("%q names no entry", text)
	}
	*r = ref{n, i}
	return nil
}

type sessionPayload struct {
	ID        string `json:"id"`
	Workspace string `json:"workspace"`
	// PID is the process that writes from here on.
	PID     int  `json:"pid"`
	Resumed bool `json:"resumed,omitempty"`
	// Parent is the session from which this one was forked; all records before this one
	// are that session's.
	Parent string `json:"parent,omitempty"`
	// Branch is the one that was checked out in the workspace, empty for none.
	Branch string `json:"branch,omitempty"`
	// Unattended is set where nobody can answer, as in a script.
	Unattended bool `json:"unattended,omitempty"`
	// Format is the highest version of the lines from here on. One that is higher is no
	// newer one but damaged; logs of before there was Format have none above 2.
	Format int `json:"format,omitempty"`
}

type densityPayload struct {
	Removals     []ref                    `json:"removals"`
	Replacements map[ref]*history.Content `json:"replacements"`
	// Metadata is history.Counts, for people and programs that read the log; a replay
	// has no use for it.
	Metadata any            `json:"metadata"`
	Prunes   []prunePayload `json:"prunes"`
	// Cut says what the change costs and saves, if the strategy asked.
	Cut *history.Cut `json:"cut,omitempty"`
}

type prunePayload struct {
	history.Prune
	Entry ref `json:"entry"`
}

type compressionPayload struct {
	Cause   string        `json:"cause"`
	History []historyItem `json:"history"`
	// Dropped are the entries that left and that nothing represents.
	Dropped []ref `json:"dropped,omitempty"`
	// Prunes say, item by item, what left.
	Prunes []prunePayload `json:"prunes,omitempty"`
}

// historyItem is an entry of a rebuilt history: one that was there before, by its
// reference, or a new one.
type historyItem struct {
	Ref   *ref             `json:"ref,omitempty"`
	Entry *history.Content `json:"entry,omitempty"`
	// Of is the entry that a new one is a shorter form of, nil if there is none.
	Of *ref `json:"of,omitempty"`
	// From are the other entries that a new one represents.
	From []ref `json:"from,omitempty"`
}

// rewindPayload returns to the state before record To. What came since stays in
// the log, so that going to before the rewind itself leads forward again.
type rewindPayload struct {
	To uint64 `json:"to"`
}

// pinPayload names a file that pruning is to leave alone, or no longer, by its absolute
// path.
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

// serversPayload has what is offered as it was handed over.
type serversPayload struct {
	Offered json.RawMessage `json:"offered"`
}

type noticePayload struct {
	Text string `json:"text"`
}

// encode returns the line of a record, its line break included.
func encode(seq uint64, at time.Time, c change) ([]byte, error) {
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
	line = append(line, `,"payload":`...)
	return append(append(line, body...), "}\n"...), nil
}
