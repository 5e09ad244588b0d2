package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"agent/internal/base/rawjson"
	"agent/internal/history"
)

// Log is the open log of one session, and the only writer of the log. Its methods are safe for concurrent
// use.
type Log struct {
	now func() time.Time

	mu       sync.Mutex
	id, path string
	seq      uint64
	timeline timeline
	counts   Counts
	// rewinding is the latest state that Past.Before returned. The history can only be rewound to this
	// state.
	rewinding past
	secrets   [][]byte
	// title is the title that a user gave the session.
	title string
	// untitled is the number of bytes written since the title was recorded.
	untitled int
	// prev is the hash of the last line.
	prev string
	// waiting holds the queued messages as recorded in the log.
	waiting []json.RawMessage
	disk    writer
	// taken is the next result of TakenNotice, or "".
	taken string
}

// ID returns the session ID. Fork changes it.
func (l *Log) ID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.id
}

// Seq returns the number of the latest record.
func (l *Log) Seq() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}

// Path returns the path of the log. Fork changes it.
func (l *Log) Path() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}

// Hide removes secret from all later records, because a command may print it or a file may contain it.
// Short strings are ignored, because they occur everywhere.
func (l *Log) Hide(secret string) {
	const shortest = 8
	if len(secret) < shortest {
		return
	}
	quoted, err := rawjson.Marshal(secret)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if quoted = quoted[1 : len(quoted)-1]; !slices.ContainsFunc(l.secrets, func(known []byte) bool { return bytes.Equal(known, quoted) }) {
		l.secrets = append(l.secrets, quoted)
	}
}

// hide calls Hide for several texts.
func (l *Log) hide(texts []string) {
	for _, text := range texts {
		l.Hide(text)
	}
}

// Observe records a mutation of the history, as the history's observer (D-24). It returns when
// the record is on disk. If the record cannot be written, it waits in memory and the conversation
// continues; CheckSaved then returns an error.
func (l *Log) Observe(m history.Mutation) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	describe := l.timeline.describe
	if m.Kind == history.MutationRewound {
		describe = l.rewind
	}
	c, err := describe(l.seq+1, m)
	if err != nil {
		return err
	}
	if m.Kind == history.MutationAdded {
		l.disk.wanted = true
		l.counts.add(m.Entry)
		c.counts = l.counts
	}
	return l.append(c)
}

// RecordTodos records the todo list after a change.
func (l *Log) RecordTodos(todos json.RawMessage) error { return l.record(TypeTodo, todos) }

// RecordSetting records that a setting was changed in the session. An empty value unsets it.
func (l *Log) RecordSetting(key, value string) error {
	return l.record(TypeSetting, settingPayload{key, value})
}

// RecordJob records that a background command started, or that it ended.
func (l *Log) RecordJob(job Job, ended bool) error { return l.record(TypeJob, jobPayload{job, ended}) }

// RecordServers records, as JSON, the tools of servers that are offered to the model.
func (l *Log) RecordServers(offered json.RawMessage) error {
	return l.record(TypeServers, serversPayload{offered})
}

// RecordStart records, as JSON, the start of the session as the system prompt contains it.
func (l *Log) RecordStart(said json.RawMessage) error { return l.record(TypeStart, startPayload{said}) }

// RecordGrants records, as JSON, the permissions that a user has granted for the session.
func (l *Log) RecordGrants(grants json.RawMessage) error {
	return l.record(TypeGrants, grantsPayload{grants})
}

// RecordNote records a change of the notes for later sessions.
func (l *Log) RecordNote(change Note) error { return l.record(TypeNote, change) }

// RecordNotice records a message that was shown to the user.
func (l *Log) RecordNotice(text string) error { return l.record(TypeNotice, noticePayload{text}) }

// CheckSaved returns an *UnsavedError if records wait in memory, and nil if all records are on disk.
// A session without an entry has nothing to save.
func (l *Log) CheckSaved() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unsaved()
}

func (l *Log) unsaved() error {
	if l.disk.err == nil {
		return nil
	}
	return &UnsavedError{Path: l.path, Records: len(l.disk.waiting), Err: l.disk.err}
}

func (l *Log) record(kind Type, payload any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(change{kind: kind, payload: payload})
}

// append numbers a record and writes it after the waiting records.
func (l *Log) append(c change) error {
	l.seq++
	line, err := encode(l.seq, l.now(), c, l.prev)
	if err != nil {
		return err
	}
	for _, secret := range l.secrets {
		line = bytes.ReplaceAll(line, secret, []byte("[secret]"))
	}
	l.prev = hashOf(line)
	l.disk.append(line)
	return l.retitle(c.kind, len(line))
}

// Close writes the waiting records and unlocks the session. A session without an entry leaves no file.
// Close returns an *UnsavedError if records are lost.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.disk.flush()
	var err error
	if l.disk.wanted && l.disk.out != nil {
		err = l.keep()
	}
	return errors.Join(l.unsaved(), err, l.disk.close(l.path))
}
