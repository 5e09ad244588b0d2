package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/history"
)

// longestPrompt limits a prompt in a list, in characters.
const longestPrompt = 200

// A list reads the beginning and the end of each log, in steps of these sizes in bytes, until it has all
// displayed facts. The last entries contain the counts of the whole log, so that a long log costs no more
// than a short one.
const (
	headStep = 16 << 10
	tailStep = 64 << 10
	// largestTail limits the end of a log that is read into memory. Beyond it, the list scans the whole
	// log.
	largestTail = 32 << 20
)

// maxSearchedEntries is the number of entries, from the end of a log, that are searched for the name of
// the model.
const maxSearchedEntries = 100

// Inspect returns the facts about the log at path that a list shows.
func Inspect(path string) (Info, error) {
	f, err := fsutil.Open(path)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	info := Info{ID: idOf(path), Path: path, Bytes: stat.Size()}
	if err := info.head(f); err != nil {
		return Info{}, err
	}
	for step := int64(tailStep); ; step *= 8 {
		start := max(0, info.Bytes-step)
		told, err := info.tail(f, start)
		if err == nil && !told && (start == 0 || step >= largestTail) {
			told, err = true, info.scan(f)
		}
		if err != nil || told {
			info.Title = cmp.Or(info.Title, info.task, titleOf(info.FirstPrompt))
			return info, err
		}
	}
}

// head reads the log up to the first message.
func (i *Info) head(f io.ReaderAt) error {
	lines := newLineReader(io.NewSectionReader(f, 0, i.Bytes), headStep)
	for i.FirstPrompt == "" {
		line, err := lines.next()
		if r, wrong := parse(bytes.TrimSpace(line)); wrong == nil {
			i.first(r)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// first reads the facts in a record at the beginning of the log.
func (i *Info) first(r Record) {
	if i.Started.IsZero() {
		i.Started = r.Time
	}
	switch r.Type {
	case TypeSession:
		var payload sessionPayload
		if json.Unmarshal(r.Payload, &payload) == nil {
			i.Workspace, i.Branch, i.Parent = cmp.Or(i.Workspace, payload.Workspace), payload.Branch, payload.Parent
			i.Unattended = payload.Unattended
			if payload.Agent != nil {
				i.task = secret.Redact(payload.Agent.Title)
			}
		}
	case TypeEntry:
		var entry history.Content
		if entry.UnmarshalJSON(r.Payload) == nil && entry.IsMessage() {
			i.FirstPrompt = firstWords(&entry)
		}
	}
}

// firstWords returns the first line of a message, without API keys, because lists, searches, audits and
// window titles show it.
func firstWords(entry *history.Content) string {
	return humanize.Line(secret.Redact(humanize.FirstLine(cmp.Or(strings.TrimSpace(entry.OwnText()), entry.Text()))), longestPrompt)
}

// tail reads the log from start on. told reports whether an entry in this part has the token counts.
func (i *Info) tail(f io.ReaderAt, start int64) (told bool, err error) {
	data, err := linesFrom(f, start, i.Bytes)
	if err != nil {
		return false, err
	}
	i.Title, i.Used = latestTitle(data), i.Started
	latest, model, branch, looked := false, false, false, 0
	for r := range recordsBackward(data) {
		if !latest && r.Type != TypeTitle { // a new title does not count as use
			i.Used, latest = r.Time, true
		}
		switch {
		case r.Type == TypeSession && !branch:
			var payload sessionPayload
			if branch = json.Unmarshal(r.Payload, &payload) == nil; branch {
				i.Branch, i.Parent = payload.Branch, cmp.Or(payload.Parent, i.Parent)
				i.Unattended = i.Unattended && payload.Unattended
				i.Workspace = cmp.Or(i.Workspace, payload.Workspace)
			}
		case r.Type == TypeEntry && r.Counts.Entries > 0 && !told:
			i.Counts, told = r.Counts, true
		}
		if r.Type == TypeEntry && !model {
			i.Model, model = modelOf(r.Payload)
			looked++
		}
		if looked == maxSearchedEntries { // the program that wrote the log recorded no model names
			model = true
		}
		if told && model && branch {
			break
		}
	}
	return told, nil
}

// linesFrom returns the lines of a log that begin after start, or all for a start of 0.
func linesFrom(f io.ReaderAt, start, size int64) ([]byte, error) {
	data := make([]byte, size-start)
	if n, err := f.ReadAt(data, start); n < len(data) && err != io.EOF {
		return nil, err
	}
	if start > 0 { // the first part belongs to a line that begins before start
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data, nil
}

// recordsBackward returns the records in lines, the latest first. It omits damaged lines.
func recordsBackward(lines []byte) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, line := range slices.Backward(bytes.Split(lines, []byte("\n"))) {
			if r, wrong := parse(bytes.TrimSpace(line)); wrong == nil && !yield(r) {
				return
			}
		}
	}
}

// modelOf returns the model that wrote an entry. wrote is false if no model did.
func modelOf(payload []byte) (model string, wrote bool) {
	if !bytes.HasPrefix(payload, []byte(`{"speaker":"ai"`)) {
		return "", false
	}
	var entry struct{ Metadata history.Metadata }
	if json.Unmarshal(payload, &entry) != nil {
		return "", false
	}
	model, wrote = entry.Metadata[history.MetaModel].(string)
	return model, wrote
}

// scan counts the entries of a log without readable counts: older programs wrote none, and counts in a
// newer format are not supported. It keeps only the beginnings of lines in memory. Such a log is listed
// nevertheless, so that opening it can explain the problem. A message is an entry with a human speaker.
func (i *Info) scan(f io.ReaderAt) error {
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, i.Bytes), wholeLog)
	for begins := true; ; {
		part, err := in.ReadSlice('\n')
		if begins && bytes.Contains(part[:min(len(part), 120)], []byte(`"type":"entry"`)) {
			i.Entries++
			if bytes.Contains(part[:min(len(part), 4<<10)], []byte(`"payload":{"speaker":"human"`)) {
				i.Messages++
			}
		}
		begins = !errors.Is(err, bufio.ErrBufferFull) // otherwise the line continues in the next part
		switch {
		case err == io.EOF:
			return nil
		case err != nil && begins:
			return err
		}
	}
}
