package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"agent/internal/history"
)

// NotALogError says that the input holds no session record.
type NotALogError struct{ Problem string }

func (e *NotALogError) Error() string { return "this is not a session log: " + e.Problem }

// Replay reads a log and returns the state it describes. Damage costs as little
// as possible: a torn last line is dropped, a broken one in the middle skipped,
// both with a notice. It fails with a *VersionError for a log of a newer version,
// with a *NotALogError for something else, and with the reader's error.
func Replay(r io.Reader) (State, error) {
	p, err := read(r)
	if err != nil {
		return State{}, err
	}
	return p.at(math.MaxUint64), nil
}

// read takes in all records of a log, which is not yet to apply them.
func read(r io.Reader) (*player, error) {
	p := newPlayer()
	lines := lineReader{in: bufio.NewReaderSize(r, 256<<10)}
	for {
		line, err := lines.next()
		if len(line) > 0 {
			if err := p.line(line, err == nil); err != nil {
				return nil, err
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the session log cannot be read: %w", err)
		}
	}
	switch {
	case p.newer != nil && !p.old:
		return nil, p.newer
	case p.state.seq == 0:
		return nil, &NotALogError{p.firstProblem()}
	}
	return p, nil
}

// lineReader reads lines into the same memory again and again: nothing of a record is
// kept but by copies.
type lineReader struct {
	in   *bufio.Reader
	line []byte
}

// next returns the next line, with its line break if it has one. It is valid until the
// one after it is read.
func (r *lineReader) next() ([]byte, error) {
	part, err := r.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return part, err
	}
	r.line = append(r.line[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.in.ReadSlice('\n')
		r.line = append(r.line, part...)
	}
	return r.line, err
}

// player takes records one after the other: what changes the conversation into its
// journal, the rest into the state.
type player struct {
	state   State
	journal journal
	number  int
	// announced is the highest version that the program writing the log said it would
	// write.
	announced int
	// newer is the first line of a higher version than that; old is set when a line of a
	// version that this program reads was there.
	newer *VersionError
	old   bool
}

func newPlayer() *player {
	return &player{state: State{Settings: map[string]string{}}, announced: version}
}

// at is the state with the conversation as it was before the record seq.
func (p *player) at(seq uint64) State {
	state := p.state
	state.notices = slices.Clone(p.state.notices)
	state.play(p.journal.line(seq))
	slices.SortStableFunc(state.notices, func(a, b notice) int { return cmp.Compare(a.line, b.line) })
	for _, n := range state.notices {
		state.Notices = append(state.Notices, n.text)
	}
	return state
}

// line applies one line; ended says that it has its line break.
func (p *player) line(line []byte, ended bool) error {
	p.number++
	length := int64(len(line))
	body := bytes.TrimSpace(line)
	if len(body) == 0 {
		p.state.good += length
		return nil
	}
	err := p.apply(body)
	var newer *VersionError
	switch {
	case errors.As(err, &newer):
		return newer
	case err != nil && !ended:
		p.state.notice(p.number, "the last line was cut off and has been dropped; what it was to record is lost")
		return nil
	case err != nil:
		p.state.notice(p.number, fmt.Sprintf("line %d was skipped: %v", p.number, err))
	}
	p.state.good += length
	p.state.unended = !ended
	return nil
}

func (p *player) firstProblem() string {
	if len(p.state.notices) == 0 {
		return "it is empty"
	}
	return p.state.notices[0].text
}

// apply applies one record. An error leaves the state as it is.
func (p *player) apply(line []byte) error {
	r, err := parse(line)
	var newer *VersionError
	switch {
	case errors.As(err, &newer):
		if err := p.odd(newer); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		p.old = true
	}
	if r.Seq <= p.state.seq {
		return fmt.Errorf("its number %d was there before", r.Seq)
	}
	if err := p.record(r); err != nil {
		// The cut of parse may have been wrong, so the slow way decides.
		if r, err = parseAny(line); err == nil {
			err = p.record(r)
		}
		if err != nil {
			return err
		}
	}
	p.state.seq = r.Seq
	return nil
}

// odd takes a line of a newer version. Who writes such lines says so beforehand, so that
// a single one of which nobody said it is a damaged number: the rest of it is taken as
// it stands. A second one is no accident.
func (p *player) odd(newer *VersionError) error {
	newer.Line = p.number
	switch {
	case p.newer != nil:
		return p.newer
	case newer.Version <= p.announced:
		return newer
	}
	p.newer = newer
	p.state.notice(p.number, fmt.Sprintf("line %d says that it is of version %d, of which there is none in this log; the number is damaged, and the rest of the line was taken as it is", p.number, newer.Version))
	return nil
}

// record applies the payload of one record, all of it or nothing.
func (p *player) record(r Record) error {
	switch r.Type {
	case TypeSession:
		return p.session(r)
	case TypeEntry:
		return p.entry(r)
	case TypeDensity:
		return p.density(r)
	case TypeCompression:
		return decoded[compressionPayload](p, r)
	case TypeClear:
		return decoded[clearPayload](p, r)
	case TypePin:
		return decoded[pinPayload](p, r)
	case TypeRewind:
		return p.rewind(r)
	case TypeTodo:
		return p.todo(r)
	case TypeSetting:
		return p.setting(r)
	case TypeJob:
		return p.job(r)
	case TypeNotice:
		return json.Unmarshal(r.Payload, &noticePayload{})
	}
	return fmt.Errorf("it is of an unknown type, %q", r.Type)
}

func (p *player) session(r Record) error {
	var payload sessionPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	if p.state.ID == "" || payload.Parent != "" {
		p.state.ID, p.state.Workspace, p.state.Started = payload.ID, payload.Workspace, r.Time
	}
	if payload.Parent != "" {
		p.state.Parent = payload.Parent
	}
	p.state.PID, p.state.Since, p.state.Jobs = payload.PID, r.Time, nil
	p.announced = max(payload.Format, version)
	return nil
}

func (p *player) entry(r Record) error {
	entry := new(history.Content)
	if err := entry.UnmarshalJSON(r.Payload); err != nil {
		return err
	}
	for vocabulary, blocks := range parseTokens(r.Tokens) {
		entry.SetTokens(history.TokenCounts{Vocabulary: vocabulary, Blocks: blocks})
	}
	p.happened(r, entry)
	p.state.hasEntries = true
	p.state.Counts.add(entry)
	return nil
}

// happened puts a decoded record into the journal.
func (p *player) happened(r Record, change any) {
	p.journal = append(p.journal, event{seq: r.Seq, at: r.Time, line: p.number, change: change})
}

// decoded decodes a record and puts it into the journal.
func decoded[T any](p *player, r Record) error {
	var payload T
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	p.happened(r, payload)
	return nil
}

func (p *player) density(r Record) error {
	var payload densityPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	for _, entry := range payload.Replacements {
		if entry == nil {
			return errors.New("a replacement is null")
		}
	}
	p.happened(r, payload)
	return nil
}

// rewind goes back to what was before an earlier record.
func (p *player) rewind(r Record) error {
	var payload rewindPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	if payload.To == 0 || payload.To >= r.Seq {
		return fmt.Errorf("it goes back to record %d, which is no earlier one", payload.To)
	}
	p.happened(r, payload)
	return nil
}

func (p *player) todo(r Record) error {
	if !json.Valid(r.Payload) {
		return errors.New("its todo list is not JSON")
	}
	p.happened(r, todoPayload{bytes.Clone(r.Payload)})
	return nil
}

func (p *player) setting(r Record) error {
	var payload settingPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	if payload.Value == "" {
		delete(p.state.Settings, payload.Key)
	} else {
		p.state.Settings[payload.Key] = payload.Value
	}
	return nil
}

func (p *player) job(r Record) error {
	var payload jobPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	p.state.Jobs = slices.DeleteFunc(p.state.Jobs, func(j Job) bool { return j.ID == payload.ID })
	if !payload.Ended {
		p.state.Jobs = append(p.state.Jobs, payload.Job)
	}
	return nil
}
