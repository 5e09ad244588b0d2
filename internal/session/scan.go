package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"agent/internal/base/fsutil"
	"agent/internal/history"
)

// ScannedRecord is a record with its position in the log.
type ScannedRecord struct {
	Record
	// At is the offset of the line. Length is its size without the line break. Both are in bytes.
	At     int64
	Length int
}

// A Line is a line of a log that is not parsed yet.
type Line struct {
	// At is the offset of the line in bytes.
	At int64
	// Text is the line without its line break. It is valid until the next line is read.
	Text []byte
}

// ReadLines returns the lines of the log at path, in order. It omits a last line without a line break, because
// another program may still be writing it.
func ReadLines(path string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		file, err := fsutil.Open(path)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer file.Close()
		lines := newLineReader(file, wholeLog)
		for {
			at := lines.at
			text, err := lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(Line{at, bytes.TrimSuffix(text, []byte("\n"))}, err) || err != nil {
				return
			}
		}
	}
}

// Payload returns the part of the line with the payload of a record of type t. ok is false if the record
// has another type. Payload does not parse the line.
func (l Line) Payload(t Type) (payload []byte, ok bool) {
	before, payload, ends := bytes.Cut(l.Text, []byte(`,"payload":`))
	if !ends {
		return l.Text, true // another program wrote the members in another order
	}
	return payload, bytes.Contains(before, []byte(`"type":"`+t+`"`))
}

// Parse returns the record in the line.
func (l Line) Parse() (Record, error) { return parse(l.Text) }

// ScanRecords returns the records of the log at path, in order. It omits lines that cannot be read.
func ScanRecords(path string) iter.Seq2[ScannedRecord, error] {
	return func(yield func(ScannedRecord, error) bool) {
		for line, err := range ReadLines(path) {
			if err != nil {
				yield(ScannedRecord{}, err)
				return
			}
			if r, wrong := line.Parse(); wrong == nil && !yield(ScannedRecord{r, line.At, len(line.Text)}, nil) {
				return
			}
		}
	}
}

// ReadAt returns the record that Scan found at a position. The error is errChanged if another record is now
// at that position.
func ReadAt(path string, at int64, length int) (Record, error) {
	file, err := fsutil.Open(path)
	if err != nil {
		return Record{}, err
	}
	defer file.Close()
	line := make([]byte, length)
	if _, err := file.ReadAt(line, at); err != nil {
		return Record{}, errChanged
	}
	r, err := parse(line)
	if err != nil {
		return r, errChanged
	}
	return r, nil
}

// Entry returns the entry that a record added. It returns nil if the record added none or is damaged.
func (r Record) Entry() *history.Content {
	if r.Type != TypeEntry {
		return nil
	}
	entry := new(history.Content)
	if entry.UnmarshalJSON(r.Payload) != nil {
		return nil
	}
	return entry
}

// OpenedWorkspace returns the workspace of the session if the record opens a log or a fork. Otherwise it
// returns "".
func (r Record) OpenedWorkspace() string {
	if opening, is := r.opening(); is && (!opening.Resumed || opening.Parent != "") {
		return opening.Workspace
	}
	return ""
}

// Agent returns the subagent whose start or end the record contains.
func (r Record) Agent() (a Agent, is bool) {
	is = r.Type == TypeAgent && json.Unmarshal(r.Payload, &a) == nil
	return a, is
}

// OwningAgent returns the subagent whose log the record opens, or nil for any other record.
func (r Record) OwningAgent() *Agent {
	opening, _ := r.opening()
	return opening.Agent
}

// StartsWithSetting reports whether the log at path has a value of a setting before its first entry. Logs of older
// programs lack settings that these programs did not record. For a file without an entry it returns true,
// because such a file is no evidence of an older program.
func StartsWithSetting(path, setting string) bool {
	for r, err := range ScanRecords(path) {
		switch {
		case err != nil:
			return true
		case r.Type == TypeEntry:
			return false
		case r.Type == TypeSetting:
			payload, err := decode(r.Record)
			if set, is := payload.(settingPayload); err == nil && is && set.Key == setting {
				return true
			}
		}
	}
	return true
}
